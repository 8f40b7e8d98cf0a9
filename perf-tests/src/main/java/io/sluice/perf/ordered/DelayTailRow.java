package io.sluice.perf.ordered;

/** Percentile 99 of the delay. */
public final class DelayTailRow extends DelayRow {
    /** For the service loader. */
    public DelayTailRow() {
        super(99, 20, 10);
    }
}
