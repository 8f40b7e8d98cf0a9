package io.sluice.testing;

import org.jspecify.annotations.Nullable;

/**
 * Runs code where the stack of the thread ends.
 *
 * <p>An overflow costs time for each frame on the stack, a millisecond and more in all. So most of the way down goes by a known number of
 * large frames, without an overflow: only the rest goes by small ones to the very end.
 */
public final class StackEnd {
    private static final int STEPS = 8; // of a frame

    /** The small frames have the room of so many large ones, 16 to 32 KiB, and of one more for every two that are spared. */
    private static final int LARGE_FRAMES_LEFT = 64;

    /** The large frames are counted anew behind a way of more small ones: they were compiled meanwhile, and take less of the stack. */
    private static final int MOST_SMALL_FRAMES = 2_000;

    private static final int NOT_COUNTED = -1;

    /** A count is of no use where the compiler changes the size of the frames behind it. */
    private static final int MOST_COUNTS = 20;

    private static final ThreadLocal<Integer> LARGE_FRAMES = ThreadLocal.withInitial(() -> NOT_COUNTED);

    private final Runnable work;
    private final int toSpare;
    private int counts;
    private int largeFrames;
    private int smallFrames;
    private int spared;
    private @Nullable StackOverflowError tooEarly;
    private @Nullable StackOverflowError cutOff;

    private StackEnd(Runnable work, int toSpare) {
        this.work = work;
        this.toSpare = toSpare;
    }

    /**
     * Goes down to the end of the stack, then up by as many frames as are spared, and works there. Run the work once before, so that
     * nothing has to be loaded or linked there.
     *
     * @param spared frames, 0 or more, fewer than the stack has
     * @param work the code to run; the caller gets its exceptions
     * @return the error that cut the work off; null if it had stack enough
     * @throws StackOverflowError if the stack has fewer frames than are spared
     */
    public static @Nullable StackOverflowError run(int spared, Runnable work) {
        StackEnd end = new StackEnd(work, spared);
        int all = LARGE_FRAMES.get();
        while (all == NOT_COUNTED || !end.goDown(Math.max(0, all - LARGE_FRAMES_LEFT - spared / 2))) {
            all = end.countLargeFrames();
        }
        LARGE_FRAMES.set(end.smallFrames > MOST_SMALL_FRAMES ? NOT_COUNTED : all);
        return end.cutOff;
    }

    /**
     * The same by steps that are finer than a frame: eight of them for each. Step -1 initialises the classes of the library, and runs
     * the work, to load and link what there would be no stack for. A class that is cut off in its initialisation fails for good, in
     * every later test of this JVM.
     *
     * @param step -1 or more
     * @param work the code to run; the caller gets its exceptions
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
     * @param work the code to run; its exception is the cause of the error that the caller gets
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

    private int countLargeFrames() {
        if (counts++ == MOST_COUNTS && tooEarly != null) {
            throw tooEarly;
        }
        largeFrames = 0;
        goDown(Integer.MAX_VALUE);
        return largeFrames;
    }

    /** Whether there was stack enough for so many large frames, and those that are spared: then the work was done. */
    private boolean goDown(int frames) {
        smallFrames = 0;
        spared = toSpare;
        try {
            byLargeFrames(
                    frames, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24);
            return true;
        } catch (StackOverflowError e) {
            tooEarly = e;
            return false;
        }
    }

    /** Arguments that are not passed in registers make a frame large. */
    private void byLargeFrames(
            int frames,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            long i,
            long j,
            long k,
            long l,
            long m,
            long n,
            long o,
            long p,
            long q,
            long r,
            long s,
            long t,
            long u,
            long v,
            long w,
            long x) {
        if (frames > 0) {
            largeFrames++;
            byLargeFrames(frames - 1, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x);
        } else {
            down();
        }
    }

    @SuppressWarnings("InfiniteRecursion") // to the end of the stack
    private void down() {
        smallFrames++;
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
