package io.sluice.perf;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C: a shutdown hook that asks a run to end, and then holds the JVM until the run has said what there is so far, at most
 * {@value #PATIENCE_SECONDS} s. Made and closed by the thread of the run.
 */
public final class Interruption implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;

    /**
     * Listens to the JVM's shutdown.
     *
     * @param end asks the run to end; called by the thread of the hook
     */
    public Interruption(Runnable end) {
        hook = new Thread(() -> hold(end), "sluice-measurement-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Whether the run was asked to end.
     *
     * @return whether so
     */
    public boolean requested() {
        return asked.getCount() == 0;
    }

    private void hold(Runnable end) {
        asked.countDown();
        end.run();
        try {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("sluice: ended without a report");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lets the JVM go on. */
    @Override
    public void close() {
        done.countDown();
        if (!requested()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                asked.countDown(); // the shutdown began just now: the hook finds the latch open
            }
        }
    }
}
