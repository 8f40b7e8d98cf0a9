package io.sluice.perf.lab;

/**
 * The work of one worker. The rest of its array keeps its cache line apart from those of other workers. Written by one thread at a time.
 */
final class Tally {
    private static final int AT = 16;

    private final double[] sums = new double[2 * AT];
    private final long[] counts = new long[2 * AT];

    void add(long number, double result) {
        sums[AT] += result;
        counts[AT]++;
        counts[AT + 1] += number;
    }

    /** Adds the figures of another tally, and empties that one. */
    void take(Tally other) {
        sums[AT] += other.sums[AT];
        counts[AT] += other.counts[AT];
        counts[AT + 1] += other.counts[AT + 1];
        other.sums[AT] = 0;
        other.counts[AT] = 0;
        other.counts[AT + 1] = 0;
    }

    double sum() {
        return sums[AT];
    }

    long jobs() {
        return counts[AT];
    }

    long numbers() {
        return counts[AT + 1];
    }
}
