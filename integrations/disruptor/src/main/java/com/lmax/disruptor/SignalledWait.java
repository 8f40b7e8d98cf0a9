package com.lmax.disruptor;

/** A wait that ends when somebody signals. What the strategies with and without a lock of the Disruptor have in common here: all. */
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
