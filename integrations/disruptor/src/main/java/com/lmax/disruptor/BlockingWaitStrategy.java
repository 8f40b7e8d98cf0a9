package com.lmax.disruptor;

/**
 * Sleeps until it is woken. Uses no core while nothing comes. A publication costs a full fence, and a
 * wake-up for each that sleeps. No lock.
 */
public final class BlockingWaitStrategy extends SignalledWait {
    /** Creates a strategy. */
    public BlockingWaitStrategy() {}
}
