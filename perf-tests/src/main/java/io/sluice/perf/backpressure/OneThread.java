package io.sluice.perf.backpressure;

import io.github.bucket4j.local.SynchronizationStrategy;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** A limiter with one acquiring thread. */
public final class OneThread implements Row {
    /** For the service loader. */
    public OneThread() {}

    @Override
    public String suite() {
        return LimiterSuite.NAME;
    }

    @Override
    public String id() {
        return "limiter-1";
    }

    @Override
    public String title() {
        return "one permit, one thread, limited and granted";
    }

    @Override
    public String unit() {
        return "ns";
    }

    @Override
    public List<Entry> entries() {
        return List.of(
                Limiters.entry("sluice", "Sluice, single writer", 1, Limiters::single),
                Limiters.entry("sluice-multi", "Sluice, multi-writer", 1, Limiters::multi),
                Limiters.entry("clock", "System.nanoTime()", 1, Limiters::clock),
                Limiters.entry("guava", "Guava RateLimiter", 1, Limiters::guava),
                Limiters.entry("resilience", "Resilience4j AtomicRateLimiter", 1, Limiters::resilience),
                Limiters.entry(
                        "bucket", "Bucket4j, lock-free", 1, () -> Limiters.bucket(SynchronizationStrategy.LOCK_FREE)),
                Limiters.entry(
                        "bucket-lock",
                        "Bucket4j, synchronized",
                        1,
                        () -> Limiters.bucket(SynchronizationStrategy.SYNCHRONIZED)));
    }

    @Override
    public String reference() {
        return "clock";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atMost("sluice", "clock", 0.5, 0.25),
                Target.atMost("sluice", "guava", 0.1, 0.05),
                Target.atMost("sluice", "resilience", 0.1, 0.05),
                Target.atMost("sluice", "bucket", 0.1, 0.05));
    }

    @Override
    public List<String> topology() {
        return List.of("thread->limiter");
    }
}
