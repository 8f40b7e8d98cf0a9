package io.sluice.perf.compare;

import io.sluice.perf.report.TargetResult.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * What a row must reach: the ratio of a contestant's figure to a peer's, paired within rounds.
 *
 * @param contestant whose figure is above the line
 * @param peer whose figure is below it
 * @param must the bound of the median
 * @param stretch where it should be
 * @param atMost whether the bounds are upper ones (a time), not lower ones (a rate)
 * @param limit what shows that the bound cannot be had, null if nothing does
 */
public record Target(
        String contestant,
        String peer,
        double must,
        double stretch,
        boolean atMost,
        @Nullable Limit limit) {
    /**
     * A contestant that does only what no implementation can leave out. Where it misses the bound too, in the same run, the
     * machine cannot reach it; then the target is to stay as near to that contestant as it has come.
     *
     * @param contestant its id
     * @param kept the bound of the ratio of ours to that contestant, paired within rounds
     */
    public record Limit(String contestant, double kept) {}

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
        return new Target(contestant, peer, must, stretch, false, null);
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
        return new Target(contestant, peer, must, stretch, true, null);
    }

    /**
     * The same target, with what shows that it may be out of reach.
     *
     * @param bare the id of a contestant that does only what no implementation can leave out
     * @param kept the ratio to that one that is to be kept where it misses the bound: at least below 1 for rates, above for times
     * @return the target
     */
    public Target limitedBy(String bare, double kept) {
        return new Target(contestant, peer, must, stretch, atMost, new Limit(bare, kept));
    }

    /**
     * What measured ratios say of the target.
     *
     * @param ratio the contestant's to the peer
     * @param bare the limiting contestant's to the peer, of no rounds if there is none
     * @param toBare the contestant's to the limiting one
     * @return the verdict
     */
    Verdict verdict(Quartiles ratio, Quartiles bare, Quartiles toBare) {
        if (ratio.count() == 0) {
            return Verdict.NOT_MEASURED;
        }
        if (holds(ratio)) {
            return Verdict.HOLDS;
        }
        boolean outOfReach = bare.count() > 0 && (atMost ? bare.median() > must : bare.median() < must);
        return limit != null && outOfReach && holds(toBare, limit.kept) ? Verdict.OUT_OF_REACH : Verdict.MISSED;
    }

    /**
     * Whether the measured ratios hold the bound: the median meets it, and the worse quartile misses it by a tenth at most.
     *
     * @param ratio the measured ratios
     * @return whether the row holds
     */
    public boolean holds(Quartiles ratio) {
        return holds(ratio, must);
    }

    private boolean holds(Quartiles ratio, double bound) {
        if (ratio.count() == 0) {
            return false;
        }
        return atMost
                ? ratio.median() <= bound && ratio.upper() <= bound * (1 + QUARTILE_SLACK)
                : ratio.median() >= bound && ratio.lower() >= bound * (1 - QUARTILE_SLACK);
    }
}
