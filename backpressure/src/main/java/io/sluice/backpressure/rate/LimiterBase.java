package io.sluice.backpressure.rate;

import io.sluice.core.IdleStrategies;
import io.sluice.core.check.Check;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/* The common part of both limiters: the setters of the rate, and the loop that waits. */
abstract class LimiterBase implements RateLimiter {
    final NanoClock clock;

    LimiterBase(NanoClock clock) {
        this.clock = Check.notNull(clock, "clock");
    }

    abstract void rateUnits(long rateUnits);

    /** Nobody knows when there are permits: a thread that parks until somebody signals would never go on. */
    static void checkWakesByItself(IdleStrategy idle) {
        IdleStrategies.checkWakesByItself(idle, "idle", "who waits for permits");
    }

    @Override
    public final boolean acquire(int n, long timeoutNanos, IdleStrategy idle) {
        Check.notNull(idle, "idle");
        Check.inRange(timeoutNanos, 0, Long.MAX_VALUE, "timeoutNanos");
        checkWakesByItself(idle);
        if (tryAcquire(n)) {
            return true;
        }
        if (timeoutNanos == 0) {
            return false;
        }
        long start = clock.nanoTime();
        idle.reset();
        while (!Thread.currentThread().isInterrupted()) {
            idle.idle();
            if (tryAcquire(n)) {
                return true;
            }
            if (clock.nanoTime() - start >= timeoutNanos) {
                return false;
            }
        }
        return false;
    }

    @Override
    public final void setRate(double permitsPerSecond) {
        rateUnits(Permits.rateUnits(permitsPerSecond));
    }

    @Override
    public final void pause() {
        rateUnits(Permits.PAUSED);
    }

    @Override
    public final void setUnlimited() {
        rateUnits(Permits.UNLIMITED);
    }
}
