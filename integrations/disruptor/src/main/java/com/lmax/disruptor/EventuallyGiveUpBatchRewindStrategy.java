package com.lmax.disruptor;

/** Rewinds until a batch has failed a number of times. */
public class EventuallyGiveUpBatchRewindStrategy implements BatchRewindStrategy {
    private final long maxAttempts;

    /**
     * Creates a strategy.
     *
     * @param maxAttempts at which failure of one batch it gives up
     */
    public EventuallyGiveUpBatchRewindStrategy(long maxAttempts) {
        this.maxAttempts = maxAttempts;
    }

    @Override
    public RewindAction handleRewindException(RewindableException e, int attempts) {
        return attempts == maxAttempts ? RewindAction.THROW : RewindAction.REWIND;
    }
}
