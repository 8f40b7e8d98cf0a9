package io.sluice.core;

/*
 * A consumer that polls too eagerly ruins throughput: its read takes the cache line from the producer that is about to store
 * to it again. After a batch the producer is likely in the middle of the next one, so a short wait lets it finish. The wait
 * is one spin hint an event, and none after tiny batches, where latency counts; it ends after about a microsecond, in spin
 * hints counted once for this machine, since a hint costs from a nanosecond to over forty.
 */
final class PollBackOff {
    private static final int SMALLEST_BATCH = 4;
    private static final int MOST_HINTS = 128;
    private static final long MOST_NANOS = 1_000;

    private static final int LIMIT = calibrate();

    private PollBackOff() {}

    /** Waits as long as a batch of this size is worth. */
    static void after(int batch) {
        for (int i = hints(batch); i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    /** How many spin hints a batch of this size is worth. */
    static int hints(int batch) {
        return batch < SMALLEST_BATCH ? 0 : Math.min(batch, LIMIT);
    }

    /** How many spin hints fit into the longest wait. The best of several rounds, since a round can be interrupted. */
    private static int calibrate() {
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long start = System.nanoTime();
            for (int i = 0; i < MOST_HINTS; i++) {
                Thread.onSpinWait();
            }
            best = Math.min(best, System.nanoTime() - start);
        }
        return (int) Math.max(1, Math.min(MOST_HINTS, MOST_HINTS * MOST_NANOS / Math.max(1, best)));
    }
}
