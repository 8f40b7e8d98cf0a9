package io.sluice.ringbuffer.product;

/** Runs something where hardly any stack is left. */
final class EndOfStack {
    private EndOfStack() {}

    /**
     * Goes down to the end of the calling thread's stack, then up by some frames, and runs something there. What it loads or links for
     * the first time there may be broken for good: run it once before, where there is stack.
     *
     * @param spared how many frames to go up
     * @param finer how many smaller ones to go down again
     * @param work what to run
     * @return whether the end of the stack cut it off
     */
    static boolean cutsOff(int spared, int finer, Runnable work) {
        boolean[] cut = {false};
        deep(() -> below(finer, work), new int[] {spared}, cut);
        return cut[0];
    }

    private static void below(int frames, Runnable work) {
        if (frames > 0) {
            below(frames - 1, work);
        } else {
            work.run();
        }
    }

    @SuppressWarnings("InfiniteRecursion") // to the end of the stack
    private static void deep(Runnable work, int[] spared, boolean[] cut) {
        try {
            deep(work, spared, cut);
        } catch (StackOverflowError e) {
            if (spared[0]-- > 0) {
                throw e;
            }
            spared[0] = Integer.MIN_VALUE;
            try {
                work.run();
            } catch (StackOverflowError again) {
                cut[0] = true;
            }
        }
    }
}
