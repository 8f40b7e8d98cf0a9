package com.lmax.disruptor;

import java.util.concurrent.TimeUnit;

/**
 * Sleeps until it is woken, or until a time has passed. Uses no core while nothing comes. A publication costs a full fence, and a
 * wake-up for each that sleeps. No lock.
 */
public class TimeoutBlockingWaitStrategy extends TimedWait {
    /**
     * Creates a strategy.
     *
     * @param timeout how long the cursor may stand still; 0 or less for any time
     * @param units the unit of {@code timeout}
     */
    public TimeoutBlockingWaitStrategy(long timeout, TimeUnit units) {
        super(timeout, units);
    }
}
