package com.lmax.disruptor;

/** Rewinds each time. */
public class SimpleBatchRewindStrategy implements BatchRewindStrategy {
    /** Creates a strategy. */
    public SimpleBatchRewindStrategy() {}

    @Override
    public RewindAction handleRewindException(RewindableException e, int attempts) {
        return RewindAction.REWIND;
    }
}
