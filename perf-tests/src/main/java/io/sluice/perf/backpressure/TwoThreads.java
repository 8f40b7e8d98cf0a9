package io.sluice.perf.backpressure;

import io.github.bucket4j.local.SynchronizationStrategy;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** A limiter with two acquiring threads that contend all the time. */
public final class TwoThreads implements Row {
    /** For the service loader. */
    public TwoThreads() {}

    @Override
    public String suite() {
        return LimiterSuite.NAME;
    }

    @Override
    public String id() {
        return "limiter-2";
    }

    @Override
    public String title() {
        return "one permit, two threads at once, limited and granted";
    }

    @Override
    public String unit() {
        return "ns";
    }

    @Override
    public List<Entry> entries() {
        return List.of(
                Limiters.entry("sluice", "Sluice, multi-writer", 2, Limiters::multi),
                Limiters.entry("add-clock", "2 getAndAdd and a clock read", 2, Limiters::addTwiceAndClock),
                Limiters.entry("add-once", "1 getAndAdd and a clock read", 2, Limiters::addAndClock),
                Limiters.entry("guava", "Guava RateLimiter", 2, Limiters::guava),
                Limiters.entry("resilience", "Resilience4j AtomicRateLimiter", 2, Limiters::resilience),
                Limiters.entry(
                        "bucket", "Bucket4j, lock-free", 2, () -> Limiters.bucket(SynchronizationStrategy.LOCK_FREE)),
                Limiters.entry(
                        "bucket-lock",
                        "Bucket4j, synchronized",
                        2,
                        () -> Limiters.bucket(SynchronizationStrategy.SYNCHRONIZED)));
    }

    @Override
    public String reference() {
        return "add-clock";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atMost("sluice", "add-clock", 1.0, 0.7),
                Target.atMost("sluice", "guava", 0.5, 0.25),
                Target.atMost("sluice", "resilience", 0.5, 0.25),
                Target.atMost("sluice", "bucket", 0.5, 0.25));
    }

    @Override
    public List<String> topology() {
        return List.of("threads->limiter");
    }
}
