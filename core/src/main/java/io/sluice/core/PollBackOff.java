package io.sluice.core;

import org.jspecify.annotations.Nullable;

/*
 * A consumer that polls too eagerly ruins throughput: its read takes the cache line from the producer that is about to store
 * to it again. One that waits too readily ruins latency. So a spinning consumer waits only while EarnedWait finds that waiting moves
 * more events. The wait after a batch of n that left nothing behind, in units of about 25 ns:
 *
 *   n < 4    none: the stream is slow, and latency counts
 *   else     n, up to the limit of 128 units, which is 3.2 us
 *   n > r    shorter in proportion, r being a quarter of the ring: the producers must not run out of room meanwhile
 *
 * So a stream that slows down ends the wait by itself: each wait gathers fewer events than the one before, until they are fewer than
 * four.
 *
 * A thread whose idle strategy gives the processor away waits always, and a wait of eight units or more begins with a yield: if
 * threads share a core, another has better use for the time, and what it does meanwhile makes the next batch larger. If none is
 * there to run, the rest of the wait is spun. But it does not yield where several producers contend for one claim word: yielding to one
 * more of them makes all slower. Time slices of a shared core hide from EarnedWait what a wait earns.
 *
 * A unit is one spin hint, or as many as fit into 25 ns; a hint takes from a nanosecond to over a hundred. Its length is
 * measured on the first long wait, which is short enough for hints of 100 ns, and then now and then; on the waits themselves, since
 * a loop made for measuring would be run by the interpreter, in which a hint takes several times as long. All fields belong to the
 * runner's thread.
 */
/**
 * How a consumer waits after a batch, so that its next one is larger. A {@link Runner} has its own; this is for a loop that has no
 * runner.
 *
 * <p>For one thread, the consumer's. A call takes about 3.2 µs at most, or a yield; it neither blocks nor allocates.
 */
public final class PollBackOff {
    static final int MOST_UNITS = 128;

    /** There is no wait after a smaller batch: {@value} events. */
    public static final int SMALLEST_BATCH = 4;

    private static final double UNIT_NANOS = 25;
    private static final double MOST_NANOS = 3_200;

    /** One long wait of so many is measured. */
    private static final int MEASURE_EVERY = 64;

    /** A wait of fewer hints is not measured. */
    private static final int MEASURABLE_HINTS = 16;

    /** A shorter wait is not worth a yield, which takes longer. */
    private static final int UNITS_WORTH_A_YIELD = 8;

    private static final double SMOOTHING = 1.0 / 16;
    private static final double MOST_GROWTH = 2;
    private static final double LEAST_HINT_NANOS = 0.25;

    final @Nullable EarnedWait earned; // null where it always waits
    private double hintNanos = UNIT_NANOS;
    private int hintsAUnit = 1;
    private int limit = 2 * MEASURABLE_HINTS; // 3.2 us of hints of 100 ns
    private int longWaits = MEASURE_EVERY - 1; // so that the first one is measured
    int measurements; // not private for tests

    /**
     * Makes one that has measured nothing yet.
     *
     * @param spins whether the thread spins when idle, and so waits only while that moves more events
     */
    public PollBackOff(boolean spins) {
        earned = spins ? new EarnedWait(System::nanoTime) : null;
    }

    /**
     * Waits as long as a batch is worth.
     *
     * @param work how much was handled
     * @param batch how much was handled since the consumer last had caught up; 0 if it is behind
     * @param batchLimit the largest batch that leaves the producers plenty of room
     * @param yields whether a long wait begins with a yield; then such a wait is made whether it moves more events or not
     * @return how many nanoseconds the yield took; 0 without one, as in a wait that is measured
     */
    public long after(int work, int batch, int batchLimit, boolean yields) {
        boolean mayYield = yields && Math.min(batch, batchLimit) >= UNITS_WORTH_A_YIELD;
        if (earned != null && !earned.after(work) && !mayYield) { // it counts each batch, whoever decides
            return 0;
        }
        int units = units(batch, batchLimit, limit);
        int hints = units * hintsAUnit;
        if (hints >= MEASURABLE_HINTS && ++longWaits % MEASURE_EVERY == 0) { // without a yield, which leaves few hints
            measurements++;
            long start = System.nanoTime();
            spin(hints);
            measured((System.nanoTime() - start) / (double) hints);
            return 0;
        }
        long yielded = 0;
        if (mayYield && units >= UNITS_WORTH_A_YIELD) {
            yielded = yieldOnce();
            units -= (int) Math.min(units, yielded / UNIT_NANOS);
        }
        spin(units * hintsAUnit);
        return yielded;
    }

    /** Yields once; how many nanoseconds that took. */
    @SuppressWarnings(
            "ThreadPriorityCheck") // not to get an order: the rest of the wait is spun if nobody else is there
    private static long yieldOnce() {
        long start = System.nanoTime();
        Thread.yield();
        return System.nanoTime() - start;
    }

    private static void spin(int hints) {
        for (int i = hints; i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    /** How many units a batch is worth. */
    static int units(int batch, int batchLimit, int limit) {
        if (batch < SMALLEST_BATCH) {
            return 0;
        }
        int units = Math.min(Math.min(batch, batchLimit), limit);
        return batch <= batchLimit ? units : (int) ((long) units * batchLimit / batch);
    }

    /**
     * Takes in how long a hint took: a shorter time and the first one at once, a longer one slowly, since the thread may have been
     * interrupted. The first one counts for 100 ns at most, so that the next waits are long enough to be measured.
     */
    void measured(double nanos) {
        hintNanos = nanos < hintNanos || longWaits == MEASURE_EVERY
                ? Math.min(Math.max(nanos, LEAST_HINT_NANOS), MOST_NANOS / (2 * MEASURABLE_HINTS))
                : hintNanos + (Math.min(nanos, hintNanos * MOST_GROWTH) - hintNanos) * SMOOTHING;
        hintsAUnit = (int) Math.max(1, Math.round(UNIT_NANOS / hintNanos));
        limit = (int) Math.max(1, Math.min(MOST_UNITS, MOST_NANOS / (hintsAUnit * hintNanos)));
    }

    double hintNanos() {
        return hintNanos;
    }

    int hintsAUnit() {
        return hintsAUnit;
    }

    int limit() {
        return limit;
    }
}
