package io.sluice.perf.compare;

/**
 * What a row must reach: the ratio of a contestant's figure to a peer's, paired within rounds.
 *
 * @param contestant whose figure is above the line
 * @param peer whose figure is below it
 * @param must the bound of the median
 * @param stretch where it should be
 * @param atMost whether the bounds are upper ones (a time), not lower ones (a rate)
 */
public record Target(String contestant, String peer, double must, double stretch, boolean atMost) {
    /** How far the worse quartile may lie on the wrong side of the bound. */
    private static final double QUARTILE_SLACK = 0.1;

    /**
     * A lower bound, for rates.
     *
     * @param contestant whose figure is above the line
     * @param peer whose figure is below it
     * @param must the least median
     * @param stretch where it should be
     * @return the target
     */
    public static Target atLeast(String contestant, String peer, double must, double stretch) {
        return new Target(contestant, peer, must, stretch, false);
    }

    /**
     * An upper bound, for times.
     *
     * @param contestant whose figure is above the line
     * @param peer whose figure is below it
     * @param must the greatest median
     * @param stretch where it should be
     * @return the target
     */
    public static Target atMost(String contestant, String peer, double must, double stretch) {
        return new Target(contestant, peer, must, stretch, true);
    }

    /**
     * Whether the measured ratios hold the bound: the median meets it, and the worse quartile misses it by a tenth at most.
     *
     * @param ratio the measured ratios
     * @return whether the row holds
     */
    public boolean holds(Quartiles ratio) {
        return atMost
                ? ratio.median() <= must && ratio.upper() <= must * (1 + QUARTILE_SLACK)
                : ratio.median() >= must && ratio.lower() >= must * (1 - QUARTILE_SLACK);
    }
}
