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
     * A contestant that does only what no implementation can leave out. Where it misses the bound too, in the same run and
     * with its better quartile, the machine cannot reach it; then the target is to stay as near to that contestant as it has
     * come. What the peer or ours beats in that run is no limit.
     *
     * @param contestant its id
     * @param kept the bound of the ratio of ours to that contestant, paired within rounds
     */
    public record Limit(String contestant, double kept) {}

    /** How far the worse quartile may lie on the wrong side of the bound. */
    private static final double QUARTILE_SLACK = 0.1;

    /** An upper bound up to here asks to be as good as the peer; a greater one sets a price. */
    private static final double MOST_PARITY = 1.1;

    private static final String OWN = "sluice";

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
     * @param asked how many rounds were asked for; with fewer nothing is said
     * @return the verdict
     */
    Verdict verdict(Quartiles ratio, Quartiles bare, Quartiles toBare, int asked) {
        if (ratio.count() < Math.max(1, asked)) {
            return Verdict.NOT_MEASURED;
        }
        if (holds(ratio)) {
            return Verdict.HOLDS;
        }
        if (isLoss(ratio)) {
            return Verdict.LOSS;
        }
        boolean outOfReach = limit != null
                && bare.count() > 0
                && (atMost ? bare.lower() > must : bare.upper() < must)
                && !isBeaten(bare, toBare)
                && holds(toBare, limit.kept);
        return outOfReach ? Verdict.OUT_OF_REACH : Verdict.MISSED;
    }

    /** Whether the peer, if it is another library, or ours itself is better than what is to be the limit. */
    private boolean isBeaten(Quartiles bare, Quartiles toBare) {
        boolean byPeer = !peer.startsWith(OWN) && (atMost ? bare.median() > 1 : bare.median() < 1);
        boolean byOurs = toBare.count() > 0 && (atMost ? toBare.upper() < 1 : toBare.lower() > 1);
        return byPeer || byOurs;
    }

    /** Whether it was to be as good as another library, and that one is better. What bounds another thing of ours is no peer. */
    private boolean isLoss(Quartiles ratio) {
        boolean parity = atMost ? must <= MOST_PARITY : must >= 1;
        return parity && !peer.startsWith(OWN) && (atMost ? ratio.median() > 1 : ratio.median() < 1);
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
