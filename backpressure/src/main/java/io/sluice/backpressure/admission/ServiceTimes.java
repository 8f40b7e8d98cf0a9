package io.sluice.backpressure.admission;

import org.HdrHistogram.IntCountsHistogram;

/*
 * The service times that an AdmissionGate has sampled: the lot that is being filled and the one before it, each a histogram.
 * The mean over both is what the gate's bound follows; two lots make it stand still between two looks and still forget the past
 * within 64 samples.
 *
 * Owned by whoever holds the gate's sampling flag. Nothing is allocated after construction.
 */
final class ServiceTimes {
    /** Samples in a lot: {@value}. */
    static final int LOT = 32;

    static final long MAX_NANOS = 3_600_000_000_000L;

    private static final int DIGITS = 3;

    private final double assumed;
    private final IntCountsHistogram one = new IntCountsHistogram(1, MAX_NANOS, DIGITS);
    private final IntCountsHistogram two = new IntCountsHistogram(1, MAX_NANOS, DIGITS);

    private IntCountsHistogram filling = one;
    private IntCountsHistogram before = two;

    static {
        // HdrHistogram has no module name that a descriptor could require; on the module path this module reads it from
        // here
        // on, before the first histogram is made. By name, since a class literal would be refused. Otherwise it changes
        // nothing.
        try {
            ServiceTimes.class
                    .getModule()
                    .addReads(
                            Class.forName("org.HdrHistogram.AbstractHistogram").getModule());
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** What is known before the first sample, nanoseconds. */
    ServiceTimes(double assumed) {
        this.assumed = assumed;
    }

    /**
     * Adds a sample.
     *
     * @param nanos 0 or more; more than {@link #MAX_NANOS} counts as that
     * @return whether a lot is full, so that there is a new {@link #mean}
     */
    boolean add(long nanos) {
        filling.recordValue(Math.min(nanos, MAX_NANOS));
        return filling.getTotalCount() == LOT;
    }

    /** Closes the lot that is full. */
    void turn() {
        IntCountsHistogram full = filling;
        filling = before;
        before = full;
        filling.reset();
    }

    /** The mean of the lot that is full and the one before it, nanoseconds, 1 or more. */
    double mean() {
        double earlier = before.getTotalCount() == 0 ? assumed : before.getMean();
        return Math.max(1, (filling.getMean() + earlier) / 2);
    }

    /** The least value that so many percent of the samples do not exceed; what was assumed before the first sample. */
    double percentile(double percent) {
        long samples = filling.getTotalCount() + before.getTotalCount();
        if (samples == 0) {
            return assumed;
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
