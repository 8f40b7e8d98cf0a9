package io.sluice.perf.latency;

/** Events due at 5 million a second. */
public final class FiveMillionRow extends OpenLoopRow {
    /** For the service loader. */
    public FiveMillionRow() {
        super(5);
    }
}
