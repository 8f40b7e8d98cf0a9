package io.sluice.perf.compare;

import io.sluice.perf.report.TargetResult;
import io.sluice.perf.report.TargetResult.Verdict;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A ratio that a row must reach: a contestant's figure to a peer's, paired within rounds.
 *
 * @param contestant whose figure is above the line
 * @param peer whose figure is below it
 * @param must the bound of the median
 * @param stretch where it should be
 * @param atMost whether the bounds are upper ones (a time), not lower ones (a rate)
 * @param figure the figure of the samples that is compared
 * @param limit the contestant that shows that the bound cannot be reached, null if there is none
 * @param field the peers of whom only the best counts, null if this peer counts by itself
 */
public record Target(
        String contestant,
        String peer,
        double must,
        double stretch,
        boolean atMost,
        Figure figure,
        @Nullable Limit limit,
        @Nullable Field field) {
    /**
     * A contestant that does only the work that no implementation can leave out. If it misses the bound too, in the same run and with the
     * better end of its interval, the machine cannot reach the bound. Then ours must stay as near to that contestant as it has come. A
     * contestant that a peer of the row or ours beats in that run is no limit.
     *
     * @param contestant its id
     * @param kept the bound of the ratio of ours to that contestant, paired within rounds
     */
    public record Limit(String contestant, double kept) {}

    /**
     * Several peers, of whom the best counts, figure by figure. A peer that does not keep up with the row's work does not count: events
     * wait in it, and its times grow with the length of the sample.
     *
     * @param peers their ids
     * @param most the greatest median of the peer's own figures with which it keeps up, in the row's unit; infinite if all do
     */
    public record Field(List<String> peers, double most) {
        /** Copies the ids. */
        public Field {
            peers = List.copyOf(peers);
        }
    }

    /** The share of the bound by which the worse end of the interval may lie on its wrong side. */
    private static final double SLACK = 0.1;

    /** An upper bound up to this one asks ours to be as good as the peer; a greater one sets a price. */
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
        return new Target(contestant, peer, must, stretch, false, Figure.MEDIAN, null, null);
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
        return new Target(contestant, peer, must, stretch, true, Figure.MEDIAN, null, null);
    }

    /**
     * The same target with a limit, which shows whether the bound is out of reach.
     *
     * @param bare the id of a contestant that does only what no implementation can leave out
     * @param kept the ratio to that one that is to be kept where it misses the bound: at least below 1 for rates, above for times
     * @return the target
     */
    public Target limitedBy(String bare, double kept) {
        return new Target(contestant, peer, must, stretch, atMost, figure, new Limit(bare, kept), field);
    }

    /**
     * The same target of another figure.
     *
     * @param other the figure of the samples that is compared
     * @return the target
     */
    public Target on(Figure other) {
        return new Target(contestant, peer, must, stretch, atMost, other, limit, field);
    }

    /**
     * The same target to the best of several peers that keep up: one for each peer, of which the best peer's counts.
     *
     * @param field the peers
     * @return a target for each peer
     */
    public List<Target> toBestOf(Field field) {
        return field.peers().stream()
                .map(one -> new Target(contestant, one, must, stretch, atMost, figure, limit, field))
                .toList();
    }

    /**
     * Judges the target by measured ratios.
     *
     * @param ratio the contestant's to the peer
     * @param bare the limiting contestant's to the peer, of no rounds if there is none
     * @param toBare the ratios of the contestant and of each peer of the row to the limiting one, by their ids
     * @param asked how many rounds were asked for; with fewer nothing is said
     * @param guard what was published last
     * @return the verdict
     */
    Verdict verdict(Interval ratio, Interval bare, Map<String, Interval> toBare, int asked, TargetResult.Guard guard) {
        if (ratio.rounds() < Math.max(1, asked)) {
            return Verdict.NOT_MEASURED;
        }
        Verdict verdict = verdict(ratio, bare, toBare);
        boolean fallen = verdict != Verdict.LOSS && verdict != Verdict.MISSED && !guard.keeps(ratio.median());
        return fallen ? Verdict.FALLEN_BACK : verdict;
    }

    private Verdict verdict(Interval ratio, Interval bare, Map<String, Interval> toBare) {
        if (holds(ratio)) {
            return Verdict.HOLDS;
        }
        if (isLoss(ratio)) {
            return Verdict.LOSS;
        }
        boolean outOfReach = limit != null
                && bare.rounds() > 0
                && (atMost ? bare.lower() > must : bare.upper() < must)
                && beatenBy(toBare).isEmpty()
                && holds(toBare.getOrDefault(contestant, Interval.NONE), limit.kept);
        return outOfReach ? Verdict.OUT_OF_REACH : Verdict.MISSED;
    }

    /**
     * Finds a contestant that is better than the one that is to be the limit, which is no limit then. Ours is better by the worse end of
     * its interval, a peer by its median.
     *
     * @param toBare the ratios of the contestant and of each peer of the row to the limiting one, by their ids
     * @return an id, empty if nobody is
     */
    String beatenBy(Map<String, Interval> toBare) {
        for (Map.Entry<String, Interval> one : toBare.entrySet()) {
            Interval ratio = one.getValue();
            boolean ours = one.getKey().equals(contestant);
            boolean better =
                    atMost ? (ours ? ratio.upper() : ratio.median()) < 1 : (ours ? ratio.lower() : ratio.median()) > 1;
            if (ratio.rounds() > 0 && better) {
                return one.getKey();
            }
        }
        return "";
    }

    /** Whether ours was to be as good as another library, and that one is better. Another contestant of ours is no such peer. */
    private boolean isLoss(Interval ratio) {
        boolean parity = atMost ? must <= MOST_PARITY : must >= 1;
        return parity && !peer.startsWith(OWN) && (atMost ? ratio.median() > 1 : ratio.median() < 1);
    }

    /**
     * Whether the measured ratios hold the bound: the median meets it, and the worse end of the interval misses it by a
     * tenth at most.
     *
     * @param ratio the measured ratios
     * @return whether the row holds
     */
    public boolean holds(Interval ratio) {
        return holds(ratio, must);
    }

    private boolean holds(Interval ratio, double bound) {
        if (ratio.rounds() == 0) {
            return false;
        }
        return atMost
                ? ratio.median() <= bound && ratio.upper() <= bound * (1 + SLACK)
                : ratio.median() >= bound && ratio.lower() >= bound * (1 - SLACK);
    }
}
