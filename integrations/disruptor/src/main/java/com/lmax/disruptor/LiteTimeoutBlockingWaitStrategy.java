package com.lmax.disruptor;

import java.util.concurrent.TimeUnit;

/**
 * The same as {@link TimeoutBlockingWaitStrategy}, which takes no lock here either. A publication costs a full fence, and a
 * wake-up for each that sleeps. No lock.
 */
public class LiteTimeoutBlockingWaitStrategy extends TimedWait {
    /**
     * Creates a strategy.
     *
     * @param timeout how long the cursor may stand still; 0 or less for any time
     * @param units the unit of {@code timeout}
     */
    public LiteTimeoutBlockingWaitStrategy(long timeout, TimeUnit units) {
        super(timeout, units);
    }
}
