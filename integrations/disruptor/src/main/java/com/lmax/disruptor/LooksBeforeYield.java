package com.lmax.disruptor;

/*
 * A yield that returns at once has found no other thread that wants the core. Then looks are better: an event that comes during a yield
 * waits for its end. A yield that takes longer has given the core to another thread, which waits for the next yield. Then looks are few,
 * without a spin hint, which may take as long as twenty looks, and most yields are not timed.
 */

/** How often a consumer looks before it yields. For the thread that waits; where several share it, the last one is believed. */
final class LooksBeforeYield {
    private static final int ON_A_SHARED_CORE = 100;
    private static final int ON_A_CORE_OF_ITS_OWN = 1_000;
    private static final int LOOKS_A_HINT = 64;

    /** A yield that takes less has returned at once: two switches of threads take longer. */
    private static final long AT_ONCE_NANOS = 1_000;

    static final int YIELDS_A_TIMED_ONE = 16;

    /** Threads of the ring give the core back earlier, to wait for events or room. A thread that computes keeps it for a time slice. */
    static final long LONG_NANOS = 500_000;

    static final int FIRST_BETWEEN_LONG_YIELDS = 64;
    static final int MOST_BETWEEN_LONG_YIELDS = 1 << 16;

    // plain: hints

    private int looks = ON_A_SHARED_CORE;
    int untimed; // not private for tests
    private int batchesWithoutYield;
    private int betweenLongYields = FIRST_BETWEEN_LONG_YIELDS;

    int looks() {
        return looks;
    }

    /** Whether to yield after a batch: another thread wants the core, and does not keep it for long. True before the first yield, too. */
    boolean yieldsAfterBatch() {
        if (looks == ON_A_CORE_OF_ITS_OWN || --batchesWithoutYield >= 0) {
            return false;
        }
        batchesWithoutYield = 0;
        return true;
    }

    /** Takes in how long a yield after a batch took. */
    void yieldedAfterBatch(long nanos) {
        yielded(nanos);
        if (nanos < LONG_NANOS) {
            betweenLongYields = FIRST_BETWEEN_LONG_YIELDS;
        } else {
            batchesWithoutYield = betweenLongYields;
            betweenLongYields = Math.min(2 * betweenLongYields, MOST_BETWEEN_LONG_YIELDS);
        }
    }

    /** Passes the time between two looks. */
    void passTime(int attempt) {
        if (looks == ON_A_CORE_OF_ITS_OWN && attempt % LOOKS_A_HINT == 0) {
            Thread.onSpinWait();
        }
    }

    /** Yields once. Returns whether the core is known to have come back at once. */
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    boolean yieldOnce() {
        if (looks == ON_A_SHARED_CORE && ++untimed < YIELDS_A_TIMED_ONE) {
            Thread.yield();
            return false;
        }
        untimed = 0;
        long start = System.nanoTime();
        Thread.yield();
        return yielded(System.nanoTime() - start);
    }

    /** Takes in how long a yield took. Returns whether that was at once. */
    boolean yielded(long nanos) {
        boolean atOnce = nanos < AT_ONCE_NANOS;
        looks = atOnce ? ON_A_CORE_OF_ITS_OWN : ON_A_SHARED_CORE;
        return atOnce;
    }
}
