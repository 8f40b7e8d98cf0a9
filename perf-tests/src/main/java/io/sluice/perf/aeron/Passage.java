package io.sluice.perf.aeron;

import io.sluice.perf.Pinning;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Moves messages on a fresh way, by the calling thread on core 0 and a receiving thread on core 1, and checks each of them. */
@SuppressWarnings("ThreadPriorityCheck") // waits where threads may share cores
final class Passage implements AutoCloseable {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Gets the messages that arrive, on the receiving thread. */
    @FunctionalInterface
    interface Arrivals {
        /** A message that came in its turn. */
        void arrived(long value);
    }

    private final Way way;
    private final Thread receiving;
    private final AtomicLong wanted = new AtomicLong(Long.MAX_VALUE);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private long endNanos;

    /** Makes the way, waits until both sides are there, and begins to receive. */
    Passage(Way.Maker maker, Values values, Arrivals arrivals) {
        Pinning.pin(0);
        way = maker.make();
        long begin = System.nanoTime();
        while (!way.isConnected()) {
            way.housekeep();
            checkTime(begin, "the other side is not there");
        }
        receiving = new Thread(() -> receive(values, arrivals), "receiving");
        receiving.setDaemon(true);
        receiving.start();
    }

    /** The values by their places. */
    @FunctionalInterface
    interface Values {
        /** The value of a message. */
        long at(long place);
    }

    private void receive(Values values, Arrivals arrivals) {
        try {
            Pinning.pin(1);
            long[] place = {0};
            Way.Sink sink = (value, last) -> {
                if (value != values.at(place[0]) || last != value) {
                    throw new IllegalStateException(
                            "message " + place[0] + " is " + value + " to " + last + ", not " + values.at(place[0]));
                }
                place[0]++;
                arrivals.arrived(value);
            };
            while (place[0] < wanted.getOpaque()) { // opaque: seen some time soon, orders nothing
                if (way.take(sink) == 0) {
                    Thread.onSpinWait();
                }
            }
            endNanos = System.nanoTime();
        } catch (Throwable t) {
            failure.set(t);
        }
    }

    Way way() {
        return way;
    }

    /** Sends a message, and does all other work of this thread until there is room for it. */
    void send(long value) {
        if (!way.offer(value)) {
            long begin = System.nanoTime();
            do {
                way.flush();
                way.housekeep();
                check();
                checkTime(begin, "there is no room");
            } while (!way.offer(value));
        }
    }

    /** Waits until so many messages have arrived. Returns the time at which the last one did. */
    long await(long messages) {
        wanted.setOpaque(messages); // opaque: seen some time soon; what was sent came by the way itself
        long begin = System.nanoTime();
        while (receiving.isAlive()) {
            way.flush();
            way.housekeep();
            checkTime(begin, "not all messages arrived");
        }
        check();
        return endNanos; // behind the end of its thread
    }

    private void check() {
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("the receiving thread failed: " + thrown, thrown);
        }
    }

    private void checkTime(long begin, String what) {
        if (System.nanoTime() - begin > LIMIT_NANOS) {
            check();
            throw new IllegalStateException(what + " after " + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NANOS) + " s");
        }
    }

    @Override
    public void close() {
        wanted.setOpaque(0); // opaque: as above
        try {
            receiving.join(TimeUnit.NANOSECONDS.toMillis(LIMIT_NANOS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        way.close();
    }
}
