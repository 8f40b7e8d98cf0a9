package com.lmax.disruptor;

/** The same as {@link BlockingWaitStrategy}, which takes no lock here either. A publication costs a full fence, and a wake-up if somebody sleeps. No lock. */
public final class LiteBlockingWaitStrategy implements WaitStrategy {
    private final Sleepers sleepers = new Sleepers();
    /** Creates a strategy. */
    public LiteBlockingWaitStrategy() {}

    @Override
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException {
        try {
            return sleepers.waitFor(sequence, cursor, dependentSequence, barrier, Sleepers.NO_LIMIT);
        } catch (TimeoutException withoutLimit) {
            throw new AssertionError(withoutLimit);
        }
    }

    @Override
    public void signalAllWhenBlocking() {
        sleepers.signal();
    }

    @Override
    public String toString() {
        return "LiteBlockingWaitStrategy{}";
    }
}
