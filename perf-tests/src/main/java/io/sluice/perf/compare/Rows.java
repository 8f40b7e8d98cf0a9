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
     * All rows.
     *
     * @return in the order of their ids
     */
    public static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        ServiceLoader.load(Row.class).forEach(rows::add);
        rows.sort(Comparator.comparing(Row::id));
        return rows;
    }

    static Row named(String id) throws UsageException {
        for (Row row : all()) {
            if (row.id().equals(id)) {
                return row;
            }
        }
        throw new UsageException("--rows names '" + id + "', allowed are "
                + String.join(", ", all().stream().map(Row::id).toList()));
    }

    static Entry entry(Row row, String id) {
        for (Entry entry : row.entries()) {
            if (entry.id().equals(id)) {
                return entry;
            }
        }
        throw new IllegalArgumentException("contestant '" + id + "' of row " + row.id() + ": allowed are "
                + String.join(", ", row.entries().stream().map(Entry::id).toList()));
    }
}
