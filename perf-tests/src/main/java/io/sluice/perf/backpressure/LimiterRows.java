package io.sluice.perf.backpressure;

import io.github.bucket4j.local.SynchronizationStrategy;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;

/** The rows of {@code bench limiter}: the cost of a permit. */
public final class LimiterRows implements RowTable {
    /** For the service loader. */
    public LimiterRows() {}

    @Override
    public List<Row> rows() {
        return List.of(
                granted("limiter-1", "one permit, one thread, limited and granted", "clock", 0.1, 0.05)
                        .contestants("clock", LimiterRows::oneThread)
                        .topology("thread->limiter")
                        .build(),
                granted("limiter-2", "one permit, two threads at once, limited and granted", "add-clock", 0.5, 0.25)
                        .contestants("add-clock", LimiterRows::twoThreads)
                        .topology("threads->limiter")
                        .build(),
                Row.of(
                                LimiterSuite.NAME,
                                "limiter-free",
                                "ns",
                                "publish an event, with and without a limiter that limits nothing")
                        .contestants("raw", LimiterRows::unlimited)
                        .targets(Target.atMost("sluice", "raw", 1.05, 1.02).limitedBy("look", 1.02))
                        .topology("producer->ring")
                        .build());
    }

    private static Row.Builder granted(String id, String title, String bound, double must, double stretch) {
        return Row.of(LimiterSuite.NAME, id, "ns", title)
                .targets(
                        bound.equals("clock")
                                ? Target.atMost("sluice", bound, 0.5, 0.25)
                                : Target.atMost("sluice", bound, 1.0, 0.7),
                        Target.atMost("sluice", "guava", must, stretch),
                        Target.atMost("sluice", "resilience", must, stretch),
                        Target.atMost("sluice", "bucket", must, stretch));
    }

    private static List<Entry> oneThread() {
        List<Entry> entries = new ArrayList<>();
        entries.add(Limiters.entry("sluice", "Sluice, single writer", 1, Limiters::single));
        entries.add(Limiters.entry("sluice-multi", "Sluice, multi-writer", 1, Limiters::multi));
        entries.add(
                Limiters.entry("clock", "System.nanoTime()", 1, Limiters::clock).asBound());
        addPeers(entries, 1);
        return entries;
    }

    private static List<Entry> twoThreads() {
        List<Entry> entries = new ArrayList<>();
        entries.add(Limiters.entry("sluice", "Sluice, multi-writer", 2, Limiters::multi));
        entries.add(Limiters.entry("add-clock", "2 getAndAdd and a clock read", 2, Limiters::addTwiceAndClock)
                .asBound());
        entries.add(Limiters.entry("add-once", "1 getAndAdd and a clock read", 2, Limiters::addAndClock)
                .asBound());
        addPeers(entries, 2);
        return entries;
    }

    private static void addPeers(List<Entry> entries, int threads) {
        entries.add(Limiters.entry("guava", "Guava RateLimiter", threads, Limiters::guava));
        entries.add(Limiters.entry("resilience", "Resilience4j AtomicRateLimiter", threads, Limiters::resilience));
        entries.add(Limiters.entry(
                "bucket", "Bucket4j, lock-free", threads, () -> Limiters.bucket(SynchronizationStrategy.LOCK_FREE)));
        entries.add(Limiters.entry(
                "bucket-lock",
                "Bucket4j, synchronized",
                threads,
                () -> Limiters.bucket(SynchronizationStrategy.SYNCHRONIZED)));
    }

    private static List<Entry> unlimited() {
        return List.of(
                new Entry("raw", "publish", PublishLoop::new).asBound(),
                new Entry("look", "look at a word, behind an interface, and publish", PublishLoop.Looking::new)
                        .asBound(),
                new Entry(
                        "sluice",
                        "acquire, unlimited, and publish",
                        () -> new PublishLoop.Limited(RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 64))),
                new Entry(
                        "sluice-multi",
                        "acquire, unlimited, multi-writer, and publish",
                        () -> new PublishLoop.Limited(RateLimiter.multiWriter(SystemNanoClock.INSTANCE, 64))));
    }
}
