package io.sluice.backpressure.rate;

import java.util.Objects;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/* What both limiters share: the arguments and the waiting loop. */
abstract class LimiterBase implements RateLimiter {
    final NanoClock clock;

    LimiterBase(NanoClock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    abstract void rateUnits(long rateUnits);

    @Override
    public final boolean acquire(int n, long timeoutNanos, IdleStrategy idle) {
        if (timeoutNanos < 0) {
            throw new IllegalArgumentException("timeoutNanos is " + timeoutNanos + ", allowed: 0 or more");
        }
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
    public final void unlimited() {
        rateUnits(Permits.UNLIMITED);
    }
}
