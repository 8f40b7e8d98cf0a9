package com.lmax.disruptor;

/** Looks a hundred times, then yields. Low latency where there may be fewer cores than threads; it uses what is idle. */
public final class YieldingWaitStrategy implements WaitStrategy {
    private static final int LOOKS = 100;

    /** A hint may take as long as twenty looks; where threads share a core, the other one waits for the yield. */
    private static final int LOOKS_A_HINT = 16;

    /** Creates a strategy. */
    public YieldingWaitStrategy() {}

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException {
        long available = dependentSequence.get();
        for (int attempt = 0; available < sequence; attempt++) {
            barrier.checkAlert();
            if (attempt >= LOOKS) {
                attempt = LOOKS;
                Thread.yield();
            } else if (attempt % LOOKS_A_HINT == 0) {
                Thread.onSpinWait();
            }
            available = dependentSequence.get();
        }
        return available;
    }

    /** Does nothing: who yields need not be woken. */
    @Override
    public void signalAllWhenBlocking() {}
}
