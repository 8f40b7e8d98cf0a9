package io.sluice.perf.batching;

import java.util.List;
import java.util.function.IntFunction;

/**
 * The findings of a bench, for a command that runs it as one of its parts.
 *
 * @param tables what was measured
 * @param checks what had to hold
 * @param plots the same as pictures
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
