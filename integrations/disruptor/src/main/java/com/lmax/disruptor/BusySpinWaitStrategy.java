package com.lmax.disruptor;

/** Spins. The lowest latency, and a whole core for each consumer. */
public final class BusySpinWaitStrategy implements WaitStrategy {
    /** Creates a strategy. */
    public BusySpinWaitStrategy() {}

    @Override
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException {
        long available = dependentSequence.get();
        while (available < sequence) {
            barrier.checkAlert();
            Thread.onSpinWait();
            available = dependentSequence.get();
        }
        return available;
    }

    /** Does nothing: a thread that spins need not be woken. */
    @Override
    public void signalAllWhenBlocking() {}
}
