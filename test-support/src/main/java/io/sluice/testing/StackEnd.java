package io.sluice.testing;

import org.jspecify.annotations.Nullable;

/** Runs code where the stack of the thread ends. Give the thread a small stack: the way down is as long as it. */
public final class StackEnd {
    private final Runnable work;
    private int spared;
    private @Nullable StackOverflowError cutOff;

    private StackEnd(Runnable work, int spared) {
        this.work = work;
        this.spared = spared;
    }

    /**
     * Goes down to the end of the stack, then up by as many frames as are spared, and works there. Run the work once before, so that
     * nothing has to be loaded or linked there.
     *
     * @param spared frames, 0 or more, fewer than the stack has
     * @param work what to run; what it throws reaches the caller
     * @return the error that cut the work off; null if it had stack enough
     */
    public static @Nullable StackOverflowError run(int spared, Runnable work) {
        StackEnd end = new StackEnd(work, spared);
        end.down();
        return end.cutOff;
    }

    @SuppressWarnings("InfiniteRecursion") // to the end of the stack
    private void down() {
        try {
            down();
        } catch (StackOverflowError e) {
            if (spared-- > 0) {
                throw e;
            }
            spared = Integer.MIN_VALUE;
            try {
                work.run();
            } catch (StackOverflowError again) {
                cutOff = again;
            }
        }
    }
}
