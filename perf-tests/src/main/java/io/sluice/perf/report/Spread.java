package io.sluice.perf.report;

import io.sluice.core.check.Check;
import java.util.Locale;

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
        Check.inRange(rounds, 0, Integer.MAX_VALUE, "rounds");
        if (rounds == 0 && !(lower == 0 && median == 0 && upper == 0)) {
            throw new IllegalArgumentException(
                    "figures of no round must be 0, but were " + lower + ", " + median + ", " + upper);
        }
        if (!(lower <= median && median <= upper)) {
            throw new IllegalArgumentException(
                    "quartiles must be ascending numbers, but were " + lower + ", " + median + ", " + upper);
        }
    }

    /**
     * The figures for people.
     *
     * @return such as {@code 1.80 (1.60 to 2.00)}; empty if there was no round
     */
    public String words() {
        return rounds == 0 ? "" : String.format(Locale.ROOT, "%.2f (%.2f to %.2f)", median, lower, upper);
    }

    /**
     * The figures behind those of a contestant, for a terminal.
     *
     * @param reference to what the ratios are
     * @return such as {@code   1.80 x lmax (1.60 to 2.00, 30 rounds)}; empty if there was no round
     */
    public String words(String reference) {
        return rounds == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "   %6.2f x %s (%.2f to %.2f, %d rounds)",
                        median,
                        reference,
                        lower,
                        upper,
                        rounds);
    }
}
