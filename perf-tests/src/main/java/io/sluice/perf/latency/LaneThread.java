package io.sluice.perf.latency;

import io.sluice.perf.Pinning;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The receiving thread of a lane that is not a ring with threads of its own. */
final class LaneThread {
    /** The work of the thread until {@link LaneThread#isStopped}. */
    @FunctionalInterface
    interface Loop {
        void run(LaneThread thread) throws InterruptedException;
    }

    private static final long LIMIT_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread;

    LaneThread(int core, Loop loop) {
        thread = new Thread(
                () -> {
                    Pinning.pin(core);
                    try {
                        loop.run(this);
                    } catch (InterruptedException e) {
                        stopped.set(true); // by stop(): the end of a loop that blocks
                    }
                },
                "lane-" + core);
        thread.setDaemon(true);
    }

    LaneThread start() {
        thread.start();
        return this;
    }

    boolean isStopped() {
        return stopped.getOpaque(); // opaque: seen some time soon, orders nothing
    }

    /** Ends the loop and waits for it. */
    void stop() {
        stopped.set(true);
        thread.interrupt();
        join(thread);
    }

    /** Waits for a thread's end. */
    static void join(Thread thread) {
        try {
            thread.join(LIMIT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            throw new IllegalStateException(thread.getName() + " did not end");
        }
    }
}
