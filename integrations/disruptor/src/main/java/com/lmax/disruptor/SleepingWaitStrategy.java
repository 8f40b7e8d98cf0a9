package com.lmax.disruptor;

import java.util.concurrent.locks.LockSupport;

/** Spins, then yields, then parks for a short time again and again. The producer pays nothing. */
public final class SleepingWaitStrategy implements WaitStrategy {
    private static final int SPIN_ABOVE = 100;
    private static final int DEFAULT_RETRIES = 200;
    private static final long DEFAULT_SLEEP_NANOS = 100;

    private final int retries;
    private final long sleepTimeNs;

    /** Creates a strategy with 200 retries and parks of 100 ns. */
    public SleepingWaitStrategy() {
        this(DEFAULT_RETRIES, DEFAULT_SLEEP_NANOS);
    }

    /**
     * Creates a strategy with parks of 100 ns.
     *
     * @param retries how often it looks before it parks; it spins while more than a hundred are left, then yields
     */
    public SleepingWaitStrategy(int retries) {
        this(retries, DEFAULT_SLEEP_NANOS);
    }

    /**
     * Creates a strategy.
     *
     * @param retries how often it looks before it parks; it spins while more than a hundred are left, then yields
     * @param sleepTimeNs how long each park lasts at most, in nanoseconds; the system rounds it up
     */
    public SleepingWaitStrategy(int retries, long sleepTimeNs) {
        this.retries = retries;
        this.sleepTimeNs = sleepTimeNs;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException {
        int left = retries;
        long available = dependentSequence.get();
        while (available < sequence) {
            barrier.checkAlert();
            if (left > SPIN_ABOVE) {
                left--;
                Thread.onSpinWait();
            } else if (left > 0) {
                left--;
                Thread.yield();
            } else {
                LockSupport.parkNanos(this, sleepTimeNs);
            }
            available = dependentSequence.get();
        }
        return available;
    }

    /** Does nothing: the parks end by themselves. */
    @Override
    public void signalAllWhenBlocking() {}
}
