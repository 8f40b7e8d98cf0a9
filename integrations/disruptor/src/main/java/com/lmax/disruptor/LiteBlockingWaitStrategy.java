package com.lmax.disruptor;

/**
 * The same as {@link BlockingWaitStrategy}, which takes no lock here either. A publication costs a full fence, and a
 * wake-up for each that sleeps. No lock.
 */
public final class LiteBlockingWaitStrategy extends SignalledWait {
    /** Creates a strategy. */
    public LiteBlockingWaitStrategy() {}
}
