package io.sluice.perf.compare;

import io.sluice.cli.UsageException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** All rows on the class path. */
public final class Rows {
    private Rows() {}

    /**
     * The rows of {@code bench compare}.
     *
     * @return in the order of their ids
     */
    public static List<Row> all() {
        return suite(Row.COMPARE);
    }

    /**
     * The rows of a suite.
     *
     * @param suite the word after {@code bench}
     * @return in the order of their ids
     */
    public static List<Row> suite(String suite) {
        return every().stream().filter(row -> row.suite().equals(suite)).toList();
    }

    /** The rows of a suite that are measured where none is named. */
    static List<Row> usual(String suite) {
        return suite(suite).stream().filter(row -> !row.isOnRequest()).toList();
    }

    private static List<Row> every() {
        List<Row> rows = new ArrayList<>();
        ServiceLoader.load(RowTable.class).forEach(table -> rows.addAll(table.rows()));
        rows.sort(Comparator.comparing(Row::id));
        return rows;
    }

    /** The row of a suite that has an id. */
    static Row named(String suite, String id) throws UsageException {
        return named(suite(suite), id);
    }

    /** The row that has an id, of any suite: a child process is told no suite. */
    static Row named(String id) throws UsageException {
        return named(every(), id);
    }

    private static Row named(List<Row> rows, String id) throws UsageException {
        for (Row row : rows) {
            if (row.id().equals(id)) {
                return row;
            }
        }
        throw new UsageException("--rows must name rows of "
                + String.join(", ", rows.stream().map(Row::id).toList()) + ", but names '" + id + "'");
    }

    static Entry entry(Row row, String id) {
        for (Entry entry : row.entries()) {
            if (entry.id().equals(id)) {
                return entry;
            }
        }
        throw new IllegalArgumentException("contestant of row " + row.id() + " must be one of "
                + String.join(", ", row.entries().stream().map(Entry::id).toList()) + ", but was '" + id + "'");
    }
}
