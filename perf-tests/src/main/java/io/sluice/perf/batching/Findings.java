package io.sluice.perf.batching;

import java.util.List;
import java.util.function.IntFunction;

/**
 * What a bench found, for those who run it under a roof of their own.
 *
 * @param tables what was measured
 * @param checks what had to hold
 * @param plots what a reader would rather look at
 */
public record Findings(List<Table> tables, List<Check> checks, List<Plot> plots) {
    /** Copies the lists. */
    public Findings {
        tables = List.copyOf(tables);
        checks = List.copyOf(checks);
        plots = List.copyOf(plots);
    }

    /**
     * A plot.
     *
     * @param caption what is to be seen
     * @param drawing gives the SVG for a width in pixels
     */
    public record Plot(String caption, IntFunction<String> drawing) {}
}
