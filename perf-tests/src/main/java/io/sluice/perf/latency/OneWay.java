package io.sluice.perf.latency;

import io.sluice.perf.Pinning;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One sample over one lane: a thread that sends, one that receives, and the check that all arrived once and in order. */
final class OneWay {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int SENDING_CORE = 0;
    private static final int RECEIVING_CORE = 1;

    private OneWay() {}

    /** The work of the sending thread: it sends 0, 1, 2 and so on. */
    @FunctionalInterface
    interface Sending {
        /**
         * Sends everything.
         *
         * @param to takes it
         * @return how many events
         */
        long send(Lane.Sender to);
    }

    /** The work of the receiving thread, to which it belongs; another thread reads it after the sample. */
    abstract static class Arrivals implements Lane.Receiver {
        private final CountDownLatch done = new CountDownLatch(1);
        private long count;
        private long sum;
        private @Nullable String fault;

        /** To be called with each payload; gives the number of events that came before. */
        final long arrived(long value) {
            if (value != count && fault == null) {
                fault = "event " + count + " arrived as " + value;
            }
            sum += value;
            return count++;
        }

        /** To be called after the last event. */
        final void end() {
            done.countDown();
        }
    }

    /**
     * Sends and receives.
     *
     * @param transport makes the lane
     * @param arrivals takes the events
     * @param sending sends them
     * @param nanos how long that takes if nothing is late
     * @throws IllegalStateException if something was lost, doubled or changed, or did not arrive in time
     */
    static void run(Lane.Transport transport, Arrivals arrivals, Sending sending, long nanos)
            throws InterruptedException {
        long[] sent = new long[1];
        Thread thread;
        boolean inTime;
        try (Lane lane = transport.open(arrivals, RECEIVING_CORE)) {
            thread = new Thread(
                    () -> {
                        Pinning.pin(SENDING_CORE);
                        sent[0] = sending.send(lane.sender());
                    },
                    "sender");
            thread.setDaemon(true);
            thread.start();
            inTime = arrivals.done.await(nanos + LIMIT_NANOS, TimeUnit.NANOSECONDS);
        }
        LaneThread.join(thread);
        if (!inTime) {
            throw new IllegalStateException("not all of " + sent[0] + " events arrived in time");
        }
        if (arrivals.fault != null) {
            throw new IllegalStateException(arrivals.fault);
        }
        long expected = sent[0] * (sent[0] - 1) / 2;
        if (arrivals.sum != expected) {
            throw new IllegalStateException("the events' sum is " + arrivals.sum + ", sent was " + expected);
        }
    }
}
