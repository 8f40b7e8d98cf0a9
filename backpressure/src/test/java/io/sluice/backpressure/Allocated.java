package io.sluice.backpressure;

import java.lang.reflect.Method;

/** Bytes that the calling thread has allocated, through a class that this module does not read. */
public final class Allocated {
    private static final Object THREADS;
    private static final Method COUNTER;

    private Allocated() {}

    /** The least that one of several runs has allocated: the first ones also allocate what the JVM needs to compile. */
    public static long least(int attempts, Runnable run) {
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < attempts && least > 0; attempt++) {
            long before = bytes();
            long own = bytes() - before; // boxing the figure allocates, too
            before = bytes();
            run.run();
            least = Math.min(least, bytes() - before - own);
        }
        return least;
    }

    private static long bytes() {
        try {
            return (long) COUNTER.invoke(THREADS, Thread.currentThread().getId());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    static {
        try {
            THREADS = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            COUNTER = Class.forName("com.sun.management.ThreadMXBean").getMethod("getThreadAllocatedBytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
