package io.sluice.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ctrl-C, or any other wish to end: noticed by a shutdown hook, which then holds the JVM until the run has said what there is so
 * far, at most {@value #PATIENCE_SECONDS} s. Made and closed by the thread of the run.
 */
public final class Interruption implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 20;

    private final AtomicBoolean requested = new AtomicBoolean();
    private final CountDownLatch done = new CountDownLatch(1);
    private final String name;
    private final Runnable end;
    private final Thread hook;

    /**
     * Creates one that nobody but {@link #request()} sets.
     *
     * @param name of what runs, as the user knows it
     */
    public Interruption(String name) {
        this(name, () -> {});
    }

    private Interruption(String name, Runnable end) {
        this.name = name;
        this.end = end;
        this.hook = new Thread(this::hold, "sluice-shutdown");
    }

    /**
     * Creates one that listens to the JVM's shutdown.
     *
     * @param name of what runs, as the user knows it
     * @param end asks the run to end; called by the thread of the hook
     * @return it
     */
    public static Interruption listening(String name, Runnable end) {
        Interruption interruption = new Interruption(name, end);
        interruption.install();
        return interruption;
    }

    /** Listens to the JVM's shutdown from now on. */
    public void install() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Asks the run to end. Any thread. */
    public void request() {
        // release: a thread that sees the wish sees why; the run reads nothing else of ours
        requested.setRelease(true);
    }

    /**
     * Whether the run is to end. Any thread; costs a plain load on most machines.
     *
     * @return whether so
     */
    public boolean requested() {
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
        end.run();
        try {
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println(name + ": ended without a report");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
