package io.sluice.perf.compare;

import io.sluice.core.Sequence;
import io.sluice.perf.Pinning;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntPredicate;

/**
 * The distance between the two cores at this moment: two pinned threads pass a number to and fro, with release and acquire and nothing
 * else. Half of a round trip is the time that one cache line takes one way.
 */
public final class Probe {
    private static final int CHECK_EVERY = 256;

    private final IntPredicate pinning;
    private final int asking;
    private final int answering;
    private final AtomicBoolean bound = new AtomicBoolean(true);
    private final Sequence ping = new Sequence();
    private final Sequence pong = new Sequence();

    private Probe(IntPredicate pinning, int asking, int answering) {
        this.pinning = pinning;
        this.asking = asking;
        this.answering = answering;
    }

    /**
     * Measures.
     *
     * @param millis how long
     * @return nanoseconds one way, the mean over the time
     * @throws InterruptedException if interrupted; the other thread ends then
     */
    public static double oneWayNanos(long millis) throws InterruptedException {
        return new Probe(
                        processor -> {
                            Pinning.pin(processor);
                            return true;
                        },
                        0,
                        1)
                .measure(millis);
    }

    /**
     * Measures between two processors.
     *
     * @param millis how long
     * @param asking the system's number of one, 0 to 1023
     * @param answering that of the other
     * @return nanoseconds one way, the mean over the time; NaN if a thread could not be bound to one of them
     * @throws InterruptedException if interrupted; the other thread ends then
     */
    public static double oneWayNanos(long millis, int asking, int answering) throws InterruptedException {
        Probe probe = new Probe(Pinning::pinTo, asking, answering);
        double nanos = probe.measure(millis);
        return probe.bound.get() ? nanos : Double.NaN;
    }

    private double measure(long millis) throws InterruptedException {
        Thread other = new Thread(this::answer, "probe");
        other.setDaemon(true);
        other.start();
        Thread[] own = new Thread[1];
        double[] result = new double[1];
        own[0] = new Thread(() -> result[0] = ask(TimeUnit.MILLISECONDS.toNanos(millis)), "probe");
        own[0].setDaemon(true);
        own[0].start();
        own[0].join();
        other.join();
        return result[0];
    }

    private void pin(int processor) {
        if (!pinning.test(processor)) {
            bound.set(false);
        }
    }

    private double ask(long nanos) {
        pin(asking);
        trip(0); // until both are there
        long trips = 1;
        long start = System.nanoTime();
        long now;
        do {
            for (int i = 0; i < CHECK_EVERY; i++) {
                trip(trips++);
            }
            now = System.nanoTime();
        } while (now - start < nanos);
        ping.setRelease(Long.MAX_VALUE); // release: the end, to answer()
        return (now - start) / 2.0 / (trips - 1);
    }

    private void trip(long number) {
        ping.setRelease(number); // release: to answer()
        while (pong.getAcquire() != number) { // acquire: pairs with answer()
            Thread.onSpinWait();
        }
    }

    private void answer() {
        pin(answering);
        long expected = 0;
        for (; ; ) {
            long seen = ping.getAcquire(); // acquire: pairs with trip()
            if (seen == Long.MAX_VALUE) {
                return;
            }
            if (seen == expected) {
                pong.setRelease(expected++); // release: to trip()
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
