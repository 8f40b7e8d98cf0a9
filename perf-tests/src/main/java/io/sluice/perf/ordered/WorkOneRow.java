package io.sluice.perf.ordered;

/** Work of 1 us an item. */
public final class WorkOneRow extends WorkRow {
    /** For the service loader. */
    public WorkOneRow() {
        super(1, 0.90);
    }
}
