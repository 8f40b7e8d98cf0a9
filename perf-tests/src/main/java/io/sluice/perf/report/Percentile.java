package io.sluice.perf.report;

/**
 * A point of a distribution.
 *
 * @param percentile 0 to 100
 * @param value the least value that so many per cent of all values do not exceed, in the distribution's unit
 */
public record Percentile(double percentile, double value) {
    /** Checks the range. */
    public Percentile {
        if (!(percentile >= 0 && percentile <= 100)) {
            throw new IllegalArgumentException("percentile must be from 0 to 100, but was " + percentile);
        }
    }
}
