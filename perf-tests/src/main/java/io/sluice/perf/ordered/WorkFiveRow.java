package io.sluice.perf.ordered;

/** Work of 5 us an item. */
public final class WorkFiveRow extends WorkRow {
    /** For the service loader. */
    public WorkFiveRow() {
        super(5, 0.97);
    }
}
