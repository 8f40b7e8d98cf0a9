package io.sluice.perf.ordered;

/** Percentile 50 of the delay. */
public final class DelayMedianRow extends DelayRow {
    /** For the service loader. */
    public DelayMedianRow() {
        super(50, 2, 1);
    }
}
