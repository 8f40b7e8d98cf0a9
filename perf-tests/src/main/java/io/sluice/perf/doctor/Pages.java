package io.sluice.perf.doctor;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import io.sluice.perf.compare.Quartiles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** The costs of small pages: memory of the system, with small pages and with large ones, walked at random. On Linux, through JNA. */
final class Pages {
    private static final int BYTES = 64 << 20;
    private static final int LARGE = 2 << 20;
    private static final int SMALL = 4096;
    private static final int LINE = 64;
    private static final int STEPS = 200_000;
    private static final int ROUNDS = 3;
    private static final long SEED = 20_261_124;

    private static final int READ_AND_WRITE = 3;
    private static final int PRIVATE_AND_ANONYMOUS = 0x22;
    private static final int WITH_LARGE_PAGES = 14;
    private static final int WITHOUT_LARGE_PAGES = 15;
    private static final boolean AVAILABLE = register();

    private Pages() {}

    /**
     * Medians.
     *
     * @param smallNanos a step at random through 64 MiB of small pages, each of which waits for the last
     * @param largeNanos the same where the system was asked for large pages
     * @param firstTouchNanos the first touch of a small page
     */
    record Costs(double smallNanos, double largeNanos, double firstTouchNanos) {}

    private static boolean register() {
        if (!Platform.isLinux() || !Platform.is64Bit()) {
            return false;
        }
        try {
            Native.register(Pages.class, Platform.C_LIBRARY_NAME);
            return true;
        } catch (LinkageError e) {
            return false; // the finding says then what is known without it
        }
    }

    /** Measures for half a second; null where it can not be. */
    static @Nullable Costs costs() {
        if (!AVAILABLE) {
            return null;
        }
        NativeLong length = new NativeLong((long) BYTES + LARGE);
        Pointer small = map(length);
        Pointer large = map(length);
        try {
            return small == null || large == null ? null : costs(small, large);
        } finally {
            for (Pointer mapped : new Pointer[] {small, large}) {
                if (mapped != null) {
                    munmap(mapped, length);
                }
            }
        }
    }

    private static @Nullable Costs costs(Pointer smallMap, Pointer largeMap) {
        ByteBuffer small = aligned(smallMap, WITHOUT_LARGE_PAGES);
        ByteBuffer large = aligned(largeMap, WITH_LARGE_PAGES);
        if (small == null || large == null) {
            return null;
        }
        double touch = touch(small);
        int[] next = circle(BYTES / LINE);
        for (int line = 0; line < next.length; line++) {
            small.putLong(line * LINE, next[line]);
            large.putLong(line * LINE, next[line]);
        }
        double[][] nanos = new double[2][ROUNDS];
        int[] at = {walked(small, 0), walked(large, 0)}; // compiles
        for (int round = 0; round < ROUNDS; round++) {
            for (int which = 0; which < 2; which++) {
                ByteBuffer buffer = which == 0 ? small : large;
                long begin = System.nanoTime();
                at[which] = walked(buffer, at[which]);
                nanos[which][round] = (System.nanoTime() - begin) / (double) STEPS;
            }
        }
        if (at[0] != at[1]) {
            throw new IllegalStateException("both walks must end at one place, but did at " + at[0] + " and " + at[1]);
        }
        return new Costs(Quartiles.of(nanos[0]).median(), Quartiles.of(nanos[1]).median(), touch);
    }

    /** The mean of a first touch, of which the first is not timed. */
    private static double touch(ByteBuffer buffer) {
        buffer.putLong(0, 1);
        long begin = System.nanoTime();
        for (int at = SMALL; at < BYTES; at += SMALL) {
            buffer.putLong(at, 1);
        }
        return (System.nanoTime() - begin) / (double) (BYTES / SMALL - 1);
    }

    /** The successor of each line; all lines form one circle. */
    static int[] circle(int lines) {
        int[] next = new int[lines];
        for (int i = 0; i < lines; i++) {
            next[i] = i;
        }
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = lines - 1; i > 0; i--) { // swaps of this kind leave one circle of all
            int other = random.nextInt(i);
            int swapped = next[i];
            next[i] = next[other];
            next[other] = swapped;
        }
        return next;
    }

    private static int walked(ByteBuffer buffer, int from) {
        int line = from;
        for (int step = 0; step < STEPS; step++) {
            line = (int) buffer.getLong(line * LINE);
        }
        return line;
    }

    private static @Nullable ByteBuffer aligned(Pointer mapped, int advice) {
        long address = Pointer.nativeValue(mapped);
        Pointer from = mapped.share((LARGE - address % LARGE) % LARGE, BYTES);
        return madvise(from, new NativeLong(BYTES), advice) == 0
                ? from.getByteBuffer(0, BYTES).order(ByteOrder.nativeOrder())
                : null;
    }

    private static @Nullable Pointer map(NativeLong length) {
        Pointer mapped = mmap(Pointer.NULL, length, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, -1, new NativeLong(0));
        return mapped == null || Pointer.nativeValue(mapped) == -1 ? null : mapped;
    }

    private static native Pointer mmap(
            @Nullable Pointer address, NativeLong length, int protection, int flags, int file, NativeLong offset);

    private static native int munmap(Pointer address, NativeLong length);

    private static native int madvise(Pointer address, NativeLong length, int advice);
}
