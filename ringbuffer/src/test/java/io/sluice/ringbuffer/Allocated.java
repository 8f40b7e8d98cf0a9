package io.sluice.ringbuffer;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Bytes that the calling thread has allocated. */
public final class Allocated {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ATTEMPTS = 20;

    private Allocated() {}

    /**
     * The least that one of several runs has allocated, and the first 0 if there is one: the JVM allocates on behalf of the
     * thread too, when it links a call or compiles, but not in every run.
     */
    public static long least(Runnable run) {
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && least > 0; attempt++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run.run();
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }
}
