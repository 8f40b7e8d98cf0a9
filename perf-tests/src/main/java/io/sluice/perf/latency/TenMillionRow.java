package io.sluice.perf.latency;

/** Events due at 10 million a second. */
public final class TenMillionRow extends OpenLoopRow {
    /** For the service loader. */
    public TenMillionRow() {
        super(10);
    }
}
