package io.sluice.perf.batching;

import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.latency.Platform;
import java.util.List;

/**
 * The pauses that the host caused in the rounds of a load, seen by threads that only look at the clock. They are no part of the comparison,
 * but the 99th percentiles of all approaches contain them, by chance more of one than of another.
 *
 * @param load in percent of the device's rate
 * @param p99Nanos the 99th percentile of how late the clock was seen, the median of the rounds
 */
record Watch(double load, double p99Nanos) {
    private static final double PERCENTILE = 99;

    /** A watch takes one part in so many of the time that each approach takes. */
    private static final int PART = 5;

    /** Watches for a round of a load. */
    static double round(long nanosEach) throws Exception {
        return new Platform(PERCENTILE).sample(nanosEach / PART);
    }

    /** The median of the rounds. */
    static Watch median(double load, List<Double> rounds) {
        double[] values = rounds.stream().mapToDouble(Double::doubleValue).toArray();
        return new Watch(load, values.length == 0 ? 0 : Quartiles.of(values).median());
    }

    /** The watch of a load; one that saw nothing if there was none. */
    static Watch at(List<Watch> all, double load) {
        return all.stream().filter(one -> one.load == load).findFirst().orElse(new Watch(load, 0));
    }
}
