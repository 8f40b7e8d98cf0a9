package com.lmax.disruptor;

import java.util.concurrent.locks.LockSupport;

/** Rewinds each time, after a pause. */
public class NanosecondPauseBatchRewindStrategy implements BatchRewindStrategy {
    private final long nanoSecondPauseTime;

    /**
     * Creates a strategy.
     *
     * @param nanoSecondPauseTime how long the processor's thread parks before the batch is handed out again, in nanoseconds
     */
    public NanosecondPauseBatchRewindStrategy(long nanoSecondPauseTime) {
        this.nanoSecondPauseTime = nanoSecondPauseTime;
    }

    @Override
    public RewindAction handleRewindException(RewindableException e, int attempts) {
        LockSupport.parkNanos(nanoSecondPauseTime);
        return RewindAction.REWIND;
    }
}
