package io.sluice.backpressure.admission;

import org.HdrHistogram.IntCountsHistogram;

/*
 * The service times that an AdmissionGate has sampled, in two histograms of 32 samples: the batch that is being filled and the one
 * before it. The gate's bound follows the mean over both. So the mean stands still while a batch is filled, and forgets the past
 * within 64 samples.
 *
 * Owned by the holder of the gate's sampling flag. Nothing is allocated after construction.
 */
final class ServiceTimes {
    /** Samples in a batch: {@value}. */
    static final int BATCH = 32;

    static final long MAX_NANOS = 3_600_000_000_000L;

    private static final int DIGITS = 3;

    private final double assumedNanos;
    private final IntCountsHistogram one = new IntCountsHistogram(1, MAX_NANOS, DIGITS);
    private final IntCountsHistogram two = new IntCountsHistogram(1, MAX_NANOS, DIGITS);

    private IntCountsHistogram filling = one;
    private IntCountsHistogram before = two;

    static {
        // HdrHistogram has no module name that a descriptor could require. On a module path, this adds the reading edge
        // before the first histogram is made; elsewhere it changes nothing. By name: a class literal would be refused.
        try {
            ServiceTimes.class
                    .getModule()
                    .addReads(
                            Class.forName("org.HdrHistogram.AbstractHistogram").getModule());
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Starts with the service time that is assumed before the first sample, in nanoseconds. */
    ServiceTimes(double assumedNanos) {
        this.assumedNanos = assumedNanos;
    }

    /**
     * Adds a sample.
     *
     * @param nanos 0 or more; more than {@link #MAX_NANOS} counts as that
     * @return whether a batch is full, so that there is a new {@link #mean}
     */
    boolean add(long nanos) {
        filling.recordValue(Math.min(nanos, MAX_NANOS));
        return filling.getTotalCount() >= BATCH; // more, if who had to start the next batch was cut off
    }

    /** Starts the next batch; the full one becomes the one before it. */
    void startBatch() {
        IntCountsHistogram full = filling;
        filling = before;
        before = full;
        filling.reset();
    }

    /** The mean of the full batch and the one before it, nanoseconds, 1 or more. */
    double mean() {
        double earlier = before.getTotalCount() == 0 ? assumedNanos : before.getMean();
        return Math.max(1, (filling.getMean() + earlier) / 2);
    }

    /** The least value that so many percent of the samples do not exceed; the assumed time before the first sample. */
    double percentile(double percent) {
        long samples = filling.getTotalCount() + before.getTotalCount();
        if (samples == 0) {
            return assumedNanos;
        }
        long wanted = Math.max(1, (long) Math.ceil(samples * percent / 100));
        long low = 0; // binary search over the values: below low there are fewer than wanted
        long high = Math.max(filling.getMaxValue(), before.getMaxValue());
        while (low < high) {
            long middle = low + (high - low) / 2;
            long upTo = count(filling, middle) + count(before, middle);
            if (upTo >= wanted) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private static long count(IntCountsHistogram histogram, long value) {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getCountBetweenValues(0, value);
    }
}
