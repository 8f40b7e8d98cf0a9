package com.lmax.disruptor.util;

/** Hints for the processor. */
public final class ThreadHints {
    private ThreadHints() {}

    /** {@link Thread#onSpinWait()}. */
    public static void onSpinWait() {
        Thread.onSpinWait();
    }
}
