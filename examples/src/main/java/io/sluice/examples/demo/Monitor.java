package io.sluice.examples.demo;

import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at a run from a thread of its own, once a millisecond: samples how full the ring is, and tells the progress. Its
 * samples are to be read after {@link #stop()}.
 */
final class Monitor implements AutoCloseable {
    private static final long SAMPLE_NANOS = 1_000_000;

    private final ConsumerHandle last;
    private final RingFill fill;
    private final Progress progress;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread thread = new Thread(this::work, "sluice-demo-monitor");

    /**
     * Creates the monitor.
     *
     * @param last the consumer behind all others
     * @param fill takes the samples
     * @param progress is told
     */
    Monitor(ConsumerHandle last, RingFill fill, Progress progress) {
        this.last = last;
        this.fill = fill;
        this.progress = progress;
    }

    Monitor start() {
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    /** Ends the thread and waits for it. Does nothing the second time. */
    void stop() {
        // release: pairs with nothing that we wrote; the thread only has to see it soon
        stopped.setRelease(true);
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        stop();
    }

    private void work() {
        do {
            fill.sample(last.lag());
            progress.handled(last.sequence().get() + 1);
            LockSupport.parkNanos(SAMPLE_NANOS);
        } while (!stopped.getOpaque()); // opaque: a flag that is polled
        progress.clear();
    }
}
