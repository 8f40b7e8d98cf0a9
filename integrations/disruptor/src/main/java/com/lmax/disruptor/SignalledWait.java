package com.lmax.disruptor;

/** A wait that ends when somebody signals. Here the Disruptor's strategies with and without a lock have all of it in common. */
abstract class SignalledWait implements WaitStrategy {
    private final Sleepers sleepers = new Sleepers();

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
        return getClass().getSimpleName() + "{}";
    }
}
