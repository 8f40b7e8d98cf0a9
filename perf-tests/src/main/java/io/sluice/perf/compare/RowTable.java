package io.sluice.perf.compare;

import java.util.List;

/**
 * A table of rows: a public class with a no-argument constructor, named in
 * {@code META-INF/services/io.sluice.perf.compare.RowTable}.
 */
public interface RowTable {
    /**
     * The rows of the table.
     *
     * @return rows whose ids no other table has
     */
    List<Row> rows();
}
