package io.sluice.perf;

import com.sun.jna.Native;
import com.sun.jna.NativeLong;
import com.sun.jna.Platform;
import io.sluice.core.check.Check;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Binds threads to processors where the system lets us: on Linux, through JNA. Elsewhere it does nothing, and says so.
 */
public final class Pinning {
    private static final @Nullable String UNAVAILABLE = register();

    private static final int MOST_PROCESSORS = 1024;
    private static final int MOST_USED = 64;

    /** Asked once, before this class binds any thread: a newer JVM tells a bound thread of its own processors only. */
    private static final int AVAILABLE = Runtime.getRuntime().availableProcessors();

    /** Asked once: a thread that is bound already, or was started by one, is told of its own processors only. */
    private static final int[] USABLE = usable();

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

    /** The processors that this process may use, as the system tells; else as many as the JVM sees, from 0 on. */
    private static int[] usable() {
        int[] allowed = {};
        if (UNAVAILABLE == null) {
            long[] mask = new long[MOST_PROCESSORS / Long.SIZE];
            if (sched_getaffinity(0, new NativeLong(MOST_PROCESSORS / Byte.SIZE), mask) > 0) {
                allowed = processors(mask);
            }
        }
        int[] counted = IntStream.range(0, AVAILABLE).toArray();
        return Arrays.copyOf(
                allowed.length == 0 ? counted : allowed,
                Math.min(MOST_USED, allowed.length == 0 ? counted.length : allowed.length));
    }

    /** The numbers of the bits that are set. */
    static int[] processors(long[] mask) {
        return BitSet.valueOf(mask).stream().toArray();
    }

    /**
     * The number of processors that the JVM may use at once, quotas included. Bound threads get the same number as all others.
     *
     * @return 1 or more
     */
    public static int available() {
        return AVAILABLE;
    }

    /**
     * Binds the calling thread to one processor, for the rest of its life.
     *
     * @param processor which of those that this process may use, 0 to 63; taken modulo their number
     */
    public static void pin(int processor) {
        Check.inRange(processor, 0, MOST_USED - 1, "processor");
        if (UNAVAILABLE == null) {
            pinTo(USABLE[processor % USABLE.length]);
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
        return UNAVAILABLE != null
                ? "not pinned: " + UNAVAILABLE
                : isPermitted() ? "pinned" : "not pinned: the system does not permit it";
    }

    /** Tries it with a thread of its own. */
    private static boolean isPermitted() {
        AtomicBoolean permitted = new AtomicBoolean();
        Thread thread = new Thread(() -> permitted.set(pinTo(USABLE[0])), "pinning");
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return permitted.get();
    }

    private static native int sched_getaffinity(int thread, NativeLong size, long[] mask);

    private static native int sched_setaffinity(int thread, NativeLong size, long[] mask);
}
