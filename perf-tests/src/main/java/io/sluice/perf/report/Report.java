package io.sluice.perf.report;

import java.util.List;

/**
 * A run of a benchmark.
 *
 * @param title of the page
 * @param date when it began: ISO 8601 with the offset from UTC
 * @param complete whether all that was asked for was measured; not so after Ctrl-C
 * @param machine where it ran
 * @param rows what was measured
 */
public record Report(String title, String date, boolean complete, Machine machine, List<RowResult> rows) {
    /** Copies the rows. */
    public Report {
        rows = List.copyOf(rows);
    }
}
