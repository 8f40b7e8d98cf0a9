package io.sluice.perf.ordered;

/** Work of 20 us an item. */
public final class WorkTwentyRow extends WorkRow {
    /** For the service loader. */
    public WorkTwentyRow() {
        super(20, 0.99);
    }
}
