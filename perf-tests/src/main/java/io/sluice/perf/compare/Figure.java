package io.sluice.perf.compare;

import io.sluice.perf.report.TargetResult;

/** What of a contestant's samples a target compares. */
public enum Figure {
    /** The samples' own figures, paired within rounds. */
    MEDIAN(TargetResult.MEDIAN),
    /** The 90th percentile of each sample, paired within rounds. */
    P90("p90"),
    /**
     * The median of the 99th percentiles of a contestant's quietest samples, those of a fifth with the lowest ones: the host's own
     * pauses drown the 99th percentile in the others. Each contestant has its own quietest samples.
     */
    QUIET_P99("p99 of the quietest fifth"),
    /**
     * The median of a contestant's samples to the upper decile of the peer's, of the rounds in which both were near: the peer at its best,
     * though not by one lucky sample.
     */
    UPPER_DECILE("median to the peer's upper decile");

    private final String words;

    Figure(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
