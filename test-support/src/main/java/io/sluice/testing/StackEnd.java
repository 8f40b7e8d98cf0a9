package io.sluice.testing;

import org.jspecify.annotations.Nullable;

/** Runs code where the stack of the thread ends. Give the thread a small stack: the way down is as long as it. */
public final class StackEnd {
    private static final int STEPS = 8; // of a frame

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

    /**
     * The same by steps that are finer than a frame: eight of them for each. Step -1 initialises the classes of the library, and runs
     * the work, to load and link what there would be no stack for. A class that is cut off in its initialisation fails for good, in
     * every later test of this JVM.
     *
     * @param step -1 or more
     * @param work what to run; what it throws reaches the caller
     * @return the error that cut the work off; null if it had stack enough
     */
    public static @Nullable StackOverflowError atStep(int step, Runnable work) {
        if (step < 0) {
            LibraryClasses.initialise();
            work.run();
            return null;
        }
        return run(step / STEPS, () -> below(step % STEPS, work));
    }

    /**
     * Runs work on a thread of its own, whose stack is small, and waits for it for 100 seconds at most.
     *
     * @param work what to run; what it throws is the cause of the error that the caller gets
     * @throws InterruptedException if the caller is interrupted
     */
    public static void onSmallStack(Runnable work) throws InterruptedException {
        Throwable[] thrown = {null};
        Thread thread = new Thread(null, work, "small-stack", 256 << 10);
        thread.setUncaughtExceptionHandler((one, t) -> thrown[0] = t);
        thread.setDaemon(true);
        thread.start();
        thread.join(100_000);
        if (thread.isAlive() || thrown[0] != null) {
            throw new AssertionError(thread.isAlive() ? "it has not ended" : "it has failed", thrown[0]);
        }
    }

    /** By some frames of another size than those of the way down, so that less of the stack lies between two depths. */
    private static void below(int frames, Runnable work) {
        if (frames > 0) {
            below(frames - 1, work);
        } else {
            work.run();
        }
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
