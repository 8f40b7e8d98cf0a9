package com.lmax.disruptor;

/** Spins a hundred times, then yields. Low latency where there may be fewer cores than threads; it uses what is idle. */
public final class YieldingWaitStrategy implements WaitStrategy {
    private static final int SPINS = 100;

    /** Creates a strategy. */
    public YieldingWaitStrategy() {}

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException {
        long available = dependentSequence.get();
        for (int attempt = 0; available < sequence; attempt++) {
            barrier.checkAlert();
            if (attempt < SPINS) {
                Thread.onSpinWait();
            } else {
                attempt = SPINS;
                Thread.yield();
            }
            available = dependentSequence.get();
        }
        return available;
    }

    /** Does nothing: who yields need not be woken. */
    @Override
    public void signalAllWhenBlocking() {}
}
