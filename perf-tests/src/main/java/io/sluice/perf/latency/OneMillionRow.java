package io.sluice.perf.latency;

/** Events due at 1 million a second. */
public final class OneMillionRow extends OpenLoopRow {
    /** For the service loader. */
    public OneMillionRow() {
        super(1);
    }
}
