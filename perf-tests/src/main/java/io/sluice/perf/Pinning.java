package io.sluice.perf;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import io.sluice.core.check.Check;
import org.jspecify.annotations.Nullable;

/**
 * Binds threads to processors where the system lets us: on Linux, through JNA. Elsewhere it does nothing, and says so.
 */
public final class Pinning {
    private static final @Nullable String UNAVAILABLE = register();

    /** Asked once: a thread that is bound already, or was started by one, is told of its own processors only. */
    private static final int USABLE = Math.min(64, Runtime.getRuntime().availableProcessors());

    private static final int MOST_PROCESSORS = 1024;

    private Pinning() {}

    private static @Nullable String register() {
        if (!Platform.isLinux()) {
            return "not on " + System.getProperty("os.name");
        }
        try {
            Native.register(Pinning.class, Platform.C_LIBRARY_NAME);
            return null;
        } catch (LinkageError e) {
            return e.toString();
        }
    }

    /**
     * Binds the calling thread to one processor, for the rest of its life.
     *
     * @param processor its number, 0 to 63; taken modulo the number of processors
     */
    public static void pin(int processor) {
        Check.inRange(processor, 0, 63, "processor");
        if (UNAVAILABLE == null) {
            sched_setaffinity(0, new NativeLong(Long.BYTES), new long[] {1L << (processor % USABLE)});
        }
    }

    /**
     * Binds the calling thread to just this processor, for the rest of its life.
     *
     * @param processor the system's number of it, 0 to 1023
     * @return whether the system did so; false where it is not allowed, not there, or threads can not be bound at all
     */
    public static boolean pinTo(int processor) {
        Check.inRange(processor, 0, MOST_PROCESSORS - 1, "processor");
        if (UNAVAILABLE != null) {
            return false;
        }
        long[] mask = new long[MOST_PROCESSORS / Long.SIZE];
        mask[processor / Long.SIZE] = 1L << processor % Long.SIZE;
        return sched_setaffinity(0, new NativeLong(MOST_PROCESSORS / Byte.SIZE), mask) == 0;
    }

    /**
     * Whether threads are bound, for the head of a report.
     *
     * @return {@code pinned}, or why not
     */
    public static String description() {
        return UNAVAILABLE == null ? "pinned" : "not pinned: " + UNAVAILABLE;
    }

    private static native int sched_setaffinity(int thread, NativeLong size, long[] mask);
}
