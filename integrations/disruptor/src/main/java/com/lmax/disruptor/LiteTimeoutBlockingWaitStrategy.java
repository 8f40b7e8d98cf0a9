package com.lmax.disruptor;

import java.util.concurrent.TimeUnit;

/** The same as {@link TimeoutBlockingWaitStrategy}, which takes no lock here either. A publication costs a full fence, and a wake-up if somebody sleeps. No lock. */
public class LiteTimeoutBlockingWaitStrategy implements WaitStrategy {
    private final Sleepers sleepers = new Sleepers();
    private final long timeoutInNanos;

    /**
     * Creates a strategy.
     *
     * @param timeout how long the cursor may stand still
     * @param units the unit of {@code timeout}
     */
    public LiteTimeoutBlockingWaitStrategy(long timeout, TimeUnit units) {
        timeoutInNanos = units.toNanos(timeout);
    }

    @Override
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException, TimeoutException {
        return sleepers.waitFor(sequence, cursor, dependentSequence, barrier, timeoutInNanos);
    }

    @Override
    public void signalAllWhenBlocking() {
        sleepers.signal();
    }

    @Override
    public String toString() {
        return "LiteTimeoutBlockingWaitStrategy{timeoutInNanos=" + timeoutInNanos + "}";
    }
}
