package io.sluice.perf.report;

import java.util.List;
import java.util.Locale;

/**
 * A target of a row, and its result.
 *
 * @param contestant the id of the contestant whose figure is above the line
 * @param peer the id of the one whose figure is below it
 * @param figure the figure of the samples that is compared, such as {@code median}
 * @param must the bound of the median
 * @param stretch where it should be
 * @param atMost whether the bounds are upper ones
 * @param ratio what was measured
 * @param verdict what follows
 * @param limit the reason why it is out of reach, for people; empty if there is no limit
 * @param guard what was published last
 */
public record TargetResult(
        String contestant,
        String peer,
        String figure,
        double must,
        double stretch,
        boolean atMost,
        Spread ratio,
        Verdict verdict,
        String limit,
        Guard guard) {
    /**
     * The figure that was published last for the same thing. A new figure must keep nine tenths of it.
     *
     * @param date when it was published; empty if nothing was, and then the ratio is 0
     * @param ratio the median ratio
     * @param atMost whether less is better
     * @param runs in which run of that day it was found, 0 if nobody noted it; more than 1 where the row was run again, perhaps after a
     *     miss
     */
    public record Guard(String date, double ratio, boolean atMost, int runs) {
        /** Nothing was published. */
        public static final Guard NONE = new Guard("", 0, false, 0);

        private static final double KEPT = 0.9;

        /**
         * The figure of the first run of a day.
         *
         * @param date when it was published
         * @param ratio the median ratio
         * @param atMost whether less is better
         */
        public Guard(String date, double ratio, boolean atMost) {
            this(date, ratio, atMost, 1);
        }

        /**
         * The median that is to be kept.
         *
         * @return the least one, or where less is better the greatest one
         */
        public double bound() {
            return atMost ? ratio / KEPT : ratio * KEPT;
        }

        /**
         * Whether a median keeps it.
         *
         * @param median a ratio
         * @return true also if nothing was published
         */
        public boolean keeps(double median) {
            return date.isEmpty() || (atMost ? median <= bound() : median >= bound());
        }

        /**
         * The published figure, for people.
         *
         * @return such as {@code 1.15 published on 2026-11-23, to be kept: at most 1.28}
         */
        public String words() {
            return date.isEmpty()
                    ? "no published figure of this processor and JDK"
                    : String.format(
                            Locale.ROOT,
                            "%.2f published on %s%s, to be kept: at %s %.2f",
                            ratio,
                            date,
                            runs > 1 ? " after " + runs + " runs" : "",
                            atMost ? "most" : "least",
                            bound());
        }
    }

    /** The figure that needs no mention: {@value}. */
    public static final String MEDIAN = "median";

    /** The verdict of a measurement on a target. */
    public enum Verdict {
        /** It is reached. */
        HOLDS("holds"),
        /**
         * It is missed, also by a contestant that does only the work that cannot be left out; ours stays as near to that one as it has
         * come.
         */
        OUT_OF_REACH("out of reach"),
        /** It is reached, or out of reach, and worse than nine tenths of the ratio that was published last. */
        FALLEN_BACK("fallen back"),
        /** It is missed. */
        MISSED("missed"),
        /** It is missed, and the peer is better. */
        LOSS("a loss"),
        /** No peer keeps up with its load, so there is none to compare with. */
        NO_PEER("no peer keeps up"),
        /** There were fewer rounds to compare than were asked for. */
        NOT_MEASURED("not measured"),
        /** Other programs ran during a quick run. They disturb its few rounds more than a target is wide. */
        NOT_JUDGED("not judged: the machine was busy");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /**
     * The same without a verdict, since other programs ran.
     *
     * @return the figures, not judged; as it is if it was not measured
     */
    TargetResult notJudged() {
        return verdict == Verdict.NOT_MEASURED || verdict == Verdict.NO_PEER
                ? this
                : new TargetResult(
                        contestant, peer, figure, must, stretch, atMost, ratio, Verdict.NOT_JUDGED, limit, guard);
    }

    /**
     * The same without a ratio.
     *
     * @param other why there is none
     * @return what was to be reached, with nothing beside it
     */
    public TargetResult without(Verdict other) {
        return new TargetResult(contestant, peer, figure, must, stretch, atMost, Spread.NONE, other, "", Guard.NONE);
    }

    /**
     * The same result, marked as that of the best of several peers.
     *
     * @param peers the ids of those of whom this peer is the best
     * @return it, saying so
     */
    public TargetResult bestOf(List<String> peers) {
        String all = "the best of " + String.join(", ", peers);
        return new TargetResult(
                contestant,
                peer,
                figure,
                must,
                stretch,
                atMost,
                ratio,
                verdict,
                limit.isEmpty() ? all : all + "; " + limit,
                guard);
    }

    /**
     * Whether nothing is left to be done about it.
     *
     * @return whether it holds, or is out of reach, or no peer is to be measured by
     */
    public boolean holds() {
        return verdict == Verdict.HOLDS || verdict == Verdict.OUT_OF_REACH || verdict == Verdict.NO_PEER;
    }

    /**
     * The target, the ratio that was reached, and the verdict, for people.
     *
     * @return one line
     */
    public String sentence() {
        if (verdict == Verdict.NO_PEER) {
            return contestant + ", " + figure + ": " + verdict;
        }
        if (ratio.rounds() == 0) {
            return pair() + ": " + verdict;
        }
        return String.format(
                Locale.ROOT,
                "%s: %s, must be at %s %.2f, stretch %.2f: %s%s%s; %s",
                pair(),
                ratio.words(),
                atMost ? "most" : "least",
                must,
                stretch,
                verdict,
                verdict == Verdict.NOT_MEASURED ? ", " + ratio.rounds() + " near rounds only" : "",
                limit.isEmpty() ? "" : " (" + limit + ")",
                guard.words());
    }

    private String pair() {
        return contestant + " to " + peer + (figure.equals(MEDIAN) ? "" : ", " + figure);
    }
}
