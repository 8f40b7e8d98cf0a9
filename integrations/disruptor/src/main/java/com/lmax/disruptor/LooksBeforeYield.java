package com.lmax.disruptor;

/*
 * A yield that returns at once has found nobody who wants the core. Then looks are better: an event that comes during a yield waits for its
 * end. A yield that takes longer has given the core to another thread, which waits for the next yield.
 */

/** How often a consumer looks before it yields. For the thread that waits; where two share it, the last one is believed. */
final class LooksBeforeYield {
    static final int ON_A_SHARED_CORE = 100;
    static final int ON_A_CORE_OF_ITS_OWN = 400;

    /** Two switches of threads take longer. */
    private static final long AT_ONCE_NANOS = 1_000;

    private int looks = ON_A_SHARED_CORE;

    int looks() {
        return looks; // plain: a hint
    }

    /** Yields once. Returns whether the core came back at once. */
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    boolean yieldOnce() {
        long start = System.nanoTime();
        Thread.yield();
        return yielded(System.nanoTime() - start);
    }

    /** Takes in how long a yield took. Returns whether that was at once. */
    boolean yielded(long nanos) {
        boolean atOnce = nanos < AT_ONCE_NANOS;
        int now = atOnce ? ON_A_CORE_OF_ITS_OWN : ON_A_SHARED_CORE;
        if (now != looks) { // a store that changes nothing would take the line from whoever else has it
            looks = now; // plain: a hint
        }
        return atOnce;
    }
}
