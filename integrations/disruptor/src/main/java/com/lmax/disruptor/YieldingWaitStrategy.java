package com.lmax.disruptor;

/**
 * Looks a hundred times, then yields. While no other thread wants the core, it looks a thousand times before each yield. Low latency where
 * there may be fewer cores than threads; it uses idle cores.
 */
public final class YieldingWaitStrategy implements WaitStrategy {
    /** For threads that wait at barriers of a program's own. */
    private final LooksBeforeYield atOtherBarriers = new LooksBeforeYield();

    /** Creates a strategy. */
    public YieldingWaitStrategy() {}

    @Override
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException {
        long available = dependentSequence.get();
        if (available < sequence) {
            LooksBeforeYield looks =
                    barrier instanceof ProcessingSequenceBarrier ours ? ours.looksBeforeYield() : atOtherBarriers;
            int most = looks.looks();
            for (int attempt = 0; available < sequence; attempt++) {
                barrier.checkAlert();
                if (attempt >= most) {
                    boolean atOnce = looks.yieldOnce();
                    most = looks.looks();
                    attempt = atOnce ? 0 : most;
                } else {
                    looks.passTime(attempt);
                }
                available = dependentSequence.get();
            }
        }
        return available;
    }

    /** Does nothing: a thread that yields need not be woken. */
    @Override
    public void signalAllWhenBlocking() {}
}
