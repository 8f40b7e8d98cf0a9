package io.sluice.perf.lab;

import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import java.util.List;

/** The rows of {@code ./sluice lab}. */
public final class LabRows implements RowTable {
    /** For the service loader. */
    public LabRows() {}

    @Override
    public List<Row> rows() {
        return Experiments.ALL.stream().map(Experiment::row).toList();
    }
}
