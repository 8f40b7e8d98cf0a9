package io.sluice.perf.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A comparison, or several, and where they ran.
 *
 * @param title what it is about
 * @param date when it began, with its offset from UTC
 * @param complete whether all that was asked for was measured; not so after Ctrl-C
 * @param summary what the rows say together, for people
 * @param machine where it ran
 * @param rows what was measured
 * @param glossary what the report's words mean
 */
public record Report(
        String title,
        String date,
        boolean complete,
        String summary,
        Machine machine,
        List<RowResult> rows,
        Map<String, String> glossary) {
    /** The words of every comparison, beside those of its rows. */
    private static final String WORDS = "sample round hop near far tight changing ratio interval must stretch"
            + " peer bound ahead out of reach fallen back a loss ";

    /** Copies rows and words. */
    public Report {
        rows = List.copyOf(rows);
        glossary = Collections.unmodifiableMap(new LinkedHashMap<>(glossary));
    }

    /**
     * A report with the summary and the glossary of its rows.
     *
     * @param title what it is about
     * @param date when it began, with its offset from UTC
     * @param complete whether all that was asked for was measured
     * @param machine where it ran
     * @param rows what was measured
     * @return the report
     */
    public static Report of(String title, String date, boolean complete, Machine machine, List<RowResult> rows) {
        return new Report(title, date, complete, Summary.of(rows), machine, rows, Glossary.of(WORDS + rows));
    }
}
