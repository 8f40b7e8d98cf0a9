package io.sluice.perf.report;

import io.sluice.core.check.Check;
import java.util.Locale;

/**
 * The ratios of two contestants, paired within rounds: the median of the JVMs' medians, and the interval in which it lies in 95 of
 * 100 draws of the JVMs.
 *
 * @param rounds of how many rounds; 0 if there was none, and then the other figures are 0 too
 * @param jvms of how many JVMs; 0 if there was no round
 * @param lower the interval's lower end
 * @param median the median of the JVMs' medians
 * @param upper the interval's upper end
 */
public record Spread(int rounds, int jvms, double lower, double median, double upper) {
    /** Of no round. */
    public static final Spread NONE = new Spread(0, 0, 0, 0, 0);

    /** Checks the figures. */
    public Spread {
        Check.inRange(rounds, 0, Integer.MAX_VALUE, "rounds");
        Check.inRange(jvms, Math.min(1, rounds), rounds, "jvms");
        if (rounds == 0 && !(lower == 0 && median == 0 && upper == 0)) {
            throw new IllegalArgumentException(
                    "figures of no round must be 0, but were " + lower + ", " + median + ", " + upper);
        }
        if (!(lower <= median && median <= upper)) {
            throw new IllegalArgumentException(
                    "ends and median must be ascending numbers, but were " + lower + ", " + median + ", " + upper);
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
     * @return such as {@code   1.80 x lmax (1.60 to 2.00, 30 rounds, 10 JVMs)}; empty if there was no round
     */
    public String words(String reference) {
        return rounds == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "   %6.2f x %s (%.2f to %.2f, %d rounds, %d JVMs)",
                        median,
                        reference,
                        lower,
                        upper,
                        rounds,
                        jvms);
    }
}
