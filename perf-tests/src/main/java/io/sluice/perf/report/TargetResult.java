package io.sluice.perf.report;

import java.util.Locale;

/**
 * What a row had to reach, and what it did.
 *
 * @param contestant the id of whose figure is above the line
 * @param peer the id of whose is below it
 * @param must the bound of the median
 * @param stretch where it should be
 * @param atMost whether the bounds are upper ones
 * @param ratio what was measured
 * @param verdict what follows
 * @param limit what showed that it is out of reach, for people; empty if nothing was to
 */
public record TargetResult(
        String contestant,
        String peer,
        double must,
        double stretch,
        boolean atMost,
        Spread ratio,
        Verdict verdict,
        String limit) {
    /** What a measurement says of a target. */
    public enum Verdict {
        /** It is reached. */
        HOLDS("holds"),
        /** It is missed, also by a contestant that does only what cannot be left out; the best that was reached is kept. */
        OUT_OF_REACH("out of reach"),
        /** It is missed. */
        MISSED("missed"),
        /** It is missed, and the peer is better. */
        LOSS("a loss"),
        /** There were fewer rounds to compare than were asked for. */
        NOT_MEASURED("not measured");

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
     * Whether nothing is left to be done about it.
     *
     * @return whether it holds, or is out of reach
     */
    public boolean holds() {
        return verdict == Verdict.HOLDS || verdict == Verdict.OUT_OF_REACH;
    }

    /**
     * What was to be reached, and what was, for people.
     *
     * @return one line
     */
    public String sentence() {
        if (ratio.rounds() == 0) {
            return contestant + " to " + peer + ": " + verdict;
        }
        return String.format(
                Locale.ROOT,
                "%s to %s: %s, must be at %s %.2f, stretch %.2f: %s%s%s",
                contestant,
                peer,
                ratio.words(),
                atMost ? "most" : "least",
                must,
                stretch,
                verdict,
                verdict == Verdict.NOT_MEASURED ? ", " + ratio.rounds() + " near rounds only" : "",
                limit.isEmpty() ? "" : " (" + limit + ")");
    }
}
