package io.sluice.perf.lab;

/** What one worker did. Its line is no other worker's, by the array around it. Written by one thread at a time. */
final class Tally {
    private static final int AT = 16;

    private final double[] sums = new double[2 * AT];
    private final long[] counts = new long[2 * AT];

    void add(long number, double result) {
        sums[AT] += result;
        counts[AT]++;
        counts[AT + 1] += number;
    }

    /** Adds what another has, and empties that. */
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
