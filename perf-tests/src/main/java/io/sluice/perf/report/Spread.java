package io.sluice.perf.report;

/**
 * Median and quartiles of the ratios of two contestants, paired within rounds.
 *
 * @param rounds of how many rounds; 0 if there was none, and then the other figures are 0 too
 * @param lower the lower quartile
 * @param median the median
 * @param upper the upper quartile
 */
public record Spread(int rounds, double lower, double median, double upper) {
    /** Of no round. */
    public static final Spread NONE = new Spread(0, 0, 0, 0);

    /** Checks the figures. */
    public Spread {
        if (rounds < 0) {
            throw new IllegalArgumentException("rounds " + rounds + ": allowed is 0 or more");
        }
        if (rounds == 0 && !(lower == 0 && median == 0 && upper == 0)) {
            throw new IllegalArgumentException("figures of no round: " + lower + ", " + median + ", " + upper);
        }
        if (!(lower <= median && median <= upper)) {
            throw new IllegalArgumentException(
                    "quartiles " + lower + ", " + median + ", " + upper + ": allowed are ascending numbers");
        }
    }
}
