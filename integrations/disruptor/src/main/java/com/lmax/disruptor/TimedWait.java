package com.lmax.disruptor;

import java.util.concurrent.TimeUnit;

/** A wait that ends when somebody signals, or after a time; a time of 0 never passes. */
abstract class TimedWait implements WaitStrategy {
    private final Sleepers sleepers = new Sleepers();
    private final long timeoutInNanos;

    TimedWait(long timeout, TimeUnit units) {
        timeoutInNanos = units.toNanos(timeout);
    }

    @Override
    public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException, TimeoutException {
        long limit = timeoutInNanos <= 0 ? Sleepers.NO_LIMIT : timeoutInNanos;
        return sleepers.waitFor(sequence, cursor, dependentSequence, barrier, limit);
    }

    @Override
    public void signalAllWhenBlocking() {
        sleepers.signal();
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "{timeoutInNanos=" + timeoutInNanos + "}";
    }
}
