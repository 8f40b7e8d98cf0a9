package io.sluice.perf.backpressure;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.local.LocalBucketBuilder;
import io.github.bucket4j.local.SynchronizationStrategy;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.perf.compare.Entry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.agrona.concurrent.SystemNanoClock;

/** The limiters, each limiting, but with a rate that is never reached, so that the price of a grant is measured. */
final class Limiters {
    /** Our clock runs that much faster than time, so that the greatest rate is not reached either; it is read as the real one. */
    private static final int FASTER = 32;

    private static final double GREATEST = 100_000_000;
    private static final int BURST = 1024;

    private Limiters() {}

    /** Ours for one thread. */
    static Acquire single() {
        RateLimiter limiter = RateLimiter.singleWriter(() -> System.nanoTime() * FASTER, BURST);
        limiter.setRate(GREATEST);
        return filled(limiter);
    }

    /** Ours for many. */
    static Acquire multi() {
        RateLimiter limiter = RateLimiter.multiWriter(() -> System.nanoTime() * FASTER, BURST);
        limiter.setRate(GREATEST);
        return filled(limiter);
    }

    /** Waits until the limiter has a stock of permits; it has none at first. */
    private static Acquire filled(RateLimiter limiter) {
        while (!limiter.tryAcquire(BURST / 2)) {
            Thread.onSpinWait();
        }
        return permits -> {
            while (!limiter.tryAcquire(permits)) {
                Thread.onSpinWait(); // counted: a permit is there a third of a nanosecond later
            }
            return true;
        };
    }

    /** A clock read and nothing else. */
    static Acquire clock() {
        long[] last = {System.nanoTime()};
        return permits -> {
            long now = SystemNanoClock.INSTANCE.nanoTime();
            boolean forward = now - last[0] >= 0;
            last[0] = now;
            return forward;
        };
    }

    /** Two contended additions and a clock read: the bound within which two threads at our limiter have to stay. */
    static Acquire addTwiceAndClock() {
        AtomicLong word = new AtomicLong();
        return permits -> {
            long first = word.getAndAdd(permits);
            long second = word.getAndAdd(permits);
            return second > first && System.nanoTime() != Long.MIN_VALUE;
        };
    }

    /** One contended addition and a clock read: the cost of any limiter that counts for all threads and knows the time. */
    static Acquire addAndClock() {
        AtomicLong word = new AtomicLong();
        return permits -> System.nanoTime() != Long.MIN_VALUE && word.getAndAdd(permits) >= 0;
    }

    /** Guava's. */
    @SuppressWarnings("UnstableApiUsage") // the class is marked as beta
    static Acquire guava() {
        com.google.common.util.concurrent.RateLimiter limiter =
                com.google.common.util.concurrent.RateLimiter.create(1e9);
        return limiter::tryAcquire;
    }

    /** Resilience4j's. */
    static Acquire resilience() {
        AtomicRateLimiter limiter = new AtomicRateLimiter(
                "bench",
                RateLimiterConfig.custom()
                        .limitForPeriod(Integer.MAX_VALUE)
                        .limitRefreshPeriod(Duration.ofMillis(1))
                        .timeoutDuration(Duration.ZERO)
                        .build());
        return limiter::acquirePermission;
    }

    /** Bucket4j's, by default with compare-and-set. */
    static Acquire bucket(SynchronizationStrategy strategy) {
        LocalBucketBuilder builder = Bucket.builder()
                .addLimit(limit -> limit.capacity(1_000_000_000L).refillGreedy(1_000_000_000L, Duration.ofSeconds(1)))
                .withNanosecondPrecision();
        Bucket bucket = builder.withSynchronizationStrategy(strategy).build();
        return permits -> bucket.tryConsume(permits);
    }

    static Entry entry(String id, String label, int threads, Supplier<Acquire> maker) {
        return new Entry(id, label, () -> new AcquireLoop(maker.get(), threads));
    }
}
