package io.sluice.ringbuffer.pipeline;

/** The shared state of a stage's workers, without their loops, for tests that look between its steps. */
public final class Sharing {
    private final WorkerPoolState shared;

    /**
     * A stage of which nothing has been taken.
     *
     * @param capacity the ring's, a power of two
     */
    public Sharing(int capacity) {
        shared = new WorkerPoolState(capacity);
    }

    /**
     * Takes the next event, if nobody is faster.
     *
     * @return its sequence, or -1
     */
    public long take() {
        long next = shared.next();
        return shared.take(next, next) ? next : -1;
    }

    /**
     * Marks an event done.
     *
     * @param sequence the event's
     * @return whether this call has moved the progress
     */
    public boolean finish(long sequence) {
        shared.mark(sequence, sequence);
        return shared.move();
    }

    /**
     * How far all is done.
     *
     * @return the progress
     */
    public long progress() {
        return shared.progress.get();
    }
}
