package io.sluice.examples.demo;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C, or any other wish to end: noticed by a shutdown hook, which then holds the JVM until the run has said what
 * there is so far, at most {@link #PATIENCE_SECONDS}. Made and closed by the thread of the run.
 */
final class Interruption implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;

    private final AtomicBoolean requested = new AtomicBoolean();
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook = new Thread(this::hold, "sluice-demo-shutdown");

    /** Creates one that nobody but {@link #request()} sets. */
    Interruption() {}

    /** Listens to the JVM's shutdown. */
    void install() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Asks the run to end. Any thread. */
    void request() {
        // release: whoever sees the wish sees why; the run reads nothing else of ours
        requested.setRelease(true);
    }

    /** Whether the run is to end. Any thread; costs a plain load on most machines. */
    boolean requested() {
        // opaque: polled in loops, must be seen some time soon, orders nothing
        return requested.getOpaque();
    }

    /** Lets the JVM go on. */
    @Override
    public void close() {
        done.countDown();
        if (!requested()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                request(); // the shutdown began just now: the hook finds the latch open
            }
        }
    }

    private void hold() {
        request();
        try {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("sluice demo: ended without a report");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
