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
 * @param holds whether the bound was held
 */
public record TargetResult(
        String contestant, String peer, double must, double stretch, boolean atMost, Spread ratio, boolean holds) {
    /**
     * What was to be reached, and what was, for people.
     *
     * @return one line
     */
    public String sentence() {
        return String.format(
                Locale.ROOT,
                "%s to %s: %.2f (%.2f to %.2f), must be at %s %.2f, stretch %.2f: %s",
                contestant,
                peer,
                ratio.median(),
                ratio.lower(),
                ratio.upper(),
                atMost ? "most" : "least",
                must,
                stretch,
                ratio.rounds() == 0 ? "not measured" : holds ? "holds" : "missed");
    }
}
