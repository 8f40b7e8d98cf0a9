package io.sluice.jcstress;

import io.sluice.backpressure.rate.RateLimiter;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The limiter for many threads under Lincheck, at a constant rate, with a clock that is one of the operations: each acquire
 * is granted or refused as by plain arithmetic at one moment of the call. Changes of rate are tried while no time goes by: an
 * acquire in the middle of which both happen counts by the line that it has read.
 */
@Tag("once")
class LimiterLincheckTest {
    /** More than is earned in an execution. */
    private static final int MUCH = 64;

    private static final int LITTLE = 4;
    private static final long SECOND = 1_000_000_000;

    @Test
    void acquiresAreAtomic() {
        Interleavings.check(Limiter.class, Arithmetic.class, 3, 4, 900);
    }

    @Test
    void stockAndCreditAreBounded() {
        Interleavings.check(SmallLimiter.class, SmallBurst.class, 2, 5, 400);
    }

    @Test
    void changesOfRateLoseAndGiveNothing() {
        Interleavings.check(ChangedLimiter.class, Changes.class, 3, 3, 900);
    }

    /** One permit a tick of a millisecond; a clock read that is a few ticks late is no clock that stepped back. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:2")
    public static class Limiter {
        private final AtomicLong ticks = new AtomicLong();
        private final RateLimiter limiter = RateLimiter.multiWriter(() -> ticks.get() * 1_000_000L, MUCH);

        public Limiter() {
            limiter.setRate(1_000);
        }

        @Operation
        public boolean tryAcquire(@Param(name = "permits") int n) {
            return limiter.tryAcquire(n);
        }

        @Operation
        public void tick() {
            ticks.incrementAndGet();
        }
    }

    /** Earned and taken, in whole permits: who finds what in the stock does not matter, while nothing is forgotten. */
    public static class Arithmetic {
        private long left;

        public boolean tryAcquire(int n) {
            if (left < n) {
                return false;
            }
            left -= n;
            return true;
        }

        public void tick() {
            left++;
        }
    }

    /** Three permits a tick, of which no more are kept than the burst allows. */
    public static class SmallLimiter {
        private final AtomicLong ticks = new AtomicLong();
        private final RateLimiter limiter = RateLimiter.multiWriter(() -> ticks.get() * 1_000_000L, LITTLE);

        public SmallLimiter() {
            limiter.setRate(3_000);
        }

        @Operation
        public boolean tryAcquire() {
            return limiter.tryAcquire(1);
        }

        @Operation
        public void tick() {
            ticks.incrementAndGet();
        }
    }

    /** A stock that is filled when it is empty and looked at, from a credit that is earned all the time. */
    public static class SmallBurst {
        private int stock;
        private int credit;

        public boolean tryAcquire() {
            if (stock == 0) {
                stock = credit;
                credit = 0;
            }
            return stock > 0 && stock-- > 0;
        }

        public void tick() {
            credit = Math.min(LITTLE / 2, credit + 3);
        }
    }

    /** Idle for long, then asked and changed while no time goes by. */
    @Param(name = "rate", gen = IntGen.class, conf = "1:2")
    public static class ChangedLimiter {
        private static final int SLOWEST = 1_000;

        private long now;
        private final RateLimiter limiter = RateLimiter.multiWriter(() -> now, LITTLE);

        public ChangedLimiter() {
            limiter.setRate(SLOWEST);
            now = SECOND / 2;
        }

        @Operation
        public boolean tryAcquire() {
            return limiter.tryAcquire(1);
        }

        @Operation
        public void setRate(@Param(name = "rate") int rate) {
            limiter.setRate((double) rate * SLOWEST);
        }

        @Operation
        public void unlimited() {
            limiter.setUnlimited();
        }

        /** Whatever was asked and changed: nobody waits for longer than a permit takes. */
        @Validate
        public void owesNothing() {
            long nanos = limiter.nanosUntil(1);
            if (nanos > SECOND / SLOWEST) {
                throw new IllegalStateException("the next permit is there in " + nanos + " ns");
            }
        }
    }

    /** What the burst leaves of the idle time, once; after a time without a limit there is nothing. */
    public static class Changes {
        private int left = LITTLE / 2;
        private boolean unlimited;

        public boolean tryAcquire() {
            return unlimited || left-- > 0;
        }

        public void setRate(int rate) {
            if (unlimited) {
                left = 0;
            }
            unlimited = false;
        }

        public void unlimited() {
            unlimited = true;
        }
    }
}
