package com.lmax.disruptor;

/** A processor of the program's own, with a progress that a test looks into. It ends behind an event, or by a halt. */
final class EndingProcessor implements EventProcessor {
    private final SequenceBarrier barrier;
    private final Sequence progress;
    private final long last;

    /** Ends by a halt only. */
    EndingProcessor(SequenceBarrier barrier, Sequence progress) {
        this(barrier, progress, Long.MAX_VALUE);
    }

    EndingProcessor(SequenceBarrier barrier, Sequence progress, long last) {
        this.barrier = barrier;
        this.progress = progress;
        this.last = last;
    }

    @Override
    public Sequence getSequence() {
        return progress;
    }

    @Override
    public void halt() {
        barrier.alert();
    }

    @Override
    public boolean isRunning() {
        return false; // the thread says it
    }

    @Override
    public void run() {
        try {
            while (progress.get() < last) {
                progress.set(Math.min(last, barrier.waitFor(progress.get() + 1)));
            }
        } catch (AlertException halted) {
            Thread.currentThread().interrupt(); // nobody looks: the thread ends
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
