package io.sluice.jcstress;

import io.sluice.backpressure.RateLimiter;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The limiter for many threads under Lincheck, at a constant rate, with a clock that is one of the operations: each acquire
 * is granted or refused as by plain arithmetic at one moment of the call. What a change of rate in the middle of an acquire
 * does is not part of this: such an acquire counts by the line that it has read.
 */
@Tag("once")
class LimiterLincheckTest {
    private static final int BURST = 2;

    @Test
    void acquiresAreAtomic() {
        Interleavings.check(Limiter.class, Arithmetic.class, 3, 4, 900);
    }

    /** One permit a tick of a millisecond; a clock read that is a few ticks late is no clock that stepped back. */
    @Param(name = "permits", gen = IntGen.class, conf = "1:2")
    public static class Limiter {
        private final AtomicLong ticks = new AtomicLong();
        private final RateLimiter limiter = RateLimiter.multiWriter(() -> ticks.get() * 1_000_000L, BURST);

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

    /** Earned and taken, in whole permits. */
    public static class Arithmetic {
        private long earned;
        private long taken;

        public boolean tryAcquire(int n) {
            long from = Math.max(taken, earned - BURST);
            if (from + n > earned) {
                return false;
            }
            taken = from + n;
            return true;
        }

        public void tick() {
            earned++;
        }
    }
}
