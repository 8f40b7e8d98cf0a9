package io.sluice.testing;

import java.util.concurrent.TimeUnit;

/** Waits until another thread waits. */
public final class ThreadState {
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private ThreadState() {}

    /**
     * Waits until a thread is in a state. It may have left the state when this returns.
     *
     * @param thread the other thread
     * @param wanted its state
     * @throws AssertionError if it has not been seen there within 30 seconds
     */
    public static void await(Thread thread, Thread.State wanted) {
        long start = System.nanoTime();
        Thread.State seen = thread.getState();
        while (seen != wanted) {
            if (System.nanoTime() - start > LIMIT_NANOS) {
                throw new AssertionError(thread + " must come to be " + wanted + ", but is " + seen);
            }
            Thread.onSpinWait();
            seen = thread.getState();
        }
    }
}
