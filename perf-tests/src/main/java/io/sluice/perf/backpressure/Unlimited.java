package io.sluice.perf.backpressure;

import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;
import org.agrona.concurrent.SystemNanoClock;

/** A limiter that limits nothing, before each publication. */
public final class Unlimited implements Row {
    /** For the service loader. */
    public Unlimited() {}

    @Override
    public String suite() {
        return LimiterSuite.NAME;
    }

    @Override
    public String id() {
        return "limiter-free";
    }

    @Override
    public String title() {
        return "publish an event, with and without a limiter that limits nothing";
    }

    @Override
    public String unit() {
        return "ns";
    }

    @Override
    public List<Entry> entries() {
        return List.of(
                new Entry("raw", "publish", PublishLoop::new),
                new Entry("look", "look at a word, behind an interface, and publish", PublishLoop.Looking::new),
                new Entry(
                        "sluice",
                        "acquire, unlimited, and publish",
                        () -> new PublishLoop.Limited(RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 64))),
                new Entry(
                        "sluice-multi",
                        "acquire, unlimited, multi-writer, and publish",
                        () -> new PublishLoop.Limited(RateLimiter.multiWriter(SystemNanoClock.INSTANCE, 64))));
    }

    @Override
    public String reference() {
        return "raw";
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("sluice", "raw", 1.05, 1.02).limitedBy("look", 1.02));
    }

    @Override
    public List<String> topology() {
        return List.of("producer->ring");
    }
}
