package io.sluice.perf.compare;

import java.util.Arrays;

/**
 * Median and quartiles.
 *
 * @param count of how many values
 * @param lower the lower quartile
 * @param median the median
 * @param upper the upper quartile
 */
public record Quartiles(int count, double lower, double median, double upper) {
    /** The quartiles of nothing. */
    public static final Quartiles NONE = new Quartiles(0, Double.NaN, Double.NaN, Double.NaN);

    /**
     * Computes them, by linear interpolation between the nearest ranks.
     *
     * @param values in any order
     * @return the quartiles, {@link #NONE} for no values
     */
    public static Quartiles of(double[] values) {
        if (values.length == 0) {
            return NONE;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Quartiles(sorted.length, at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    static double at(double[] sorted, double share) {
        double rank = share * (sorted.length - 1);
        int below = (int) rank;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (rank - below) * (sorted[above] - sorted[below]);
    }
}
