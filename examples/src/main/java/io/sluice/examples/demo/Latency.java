package io.sluice.examples.demo;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Makes and fills histograms of latencies. One writer each; recording allocates nothing. */
final class Latency {
    private static final long MAX_NANOS = TimeUnit.HOURS.toNanos(24);

    private Latency() {}

    /** An empty histogram, up to 24 h, to three digits. */
    static Histogram histogram() {
        return new Histogram(MAX_NANOS, 3);
    }

    /** Records a time in nanoseconds; one outside the range counts as the end of the range. */
    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.max(0, Math.min(nanos, MAX_NANOS)));
    }
}
