package io.sluice.perf.compare;

import io.sluice.perf.report.TargetResult;

/** The figure of a contestant's samples that a target compares. */
public enum Figure {
    /** The samples' own figures, paired within rounds. */
    MEDIAN(TargetResult.MEDIAN, "ns", ""),
    /** The 90th percentile of each sample, paired within rounds. */
    P90("p90", "ns", ""),
    /**
     * The median of the 99th percentiles of a contestant's quietest samples, those of a fifth with the lowest ones: the host's own
     * pauses drown the 99th percentile in the others. Each contestant has its own quietest samples.
     */
    QUIET_P99("p99 of the quietest fifth", "ns", ""),
    /**
     * The median of a contestant's samples to the upper decile of the peer's, of the rounds in which both were near: the peer at its best,
     * though not by one lucky sample.
     */
    UPPER_DECILE("median to the peer's upper decile", "events/s", ""),
    /** The median time of the last event of each burst; stands beside the histogram of all. Paired within rounds. */
    LAST_OF_BURST("p50 of each burst's last", "ns", "last"),
    /**
     * The number of events a second that were handled in the fast phases; stands beside the histogram of the slow ones. Paired within
     * rounds.
     */
    FAST_PHASES("events of the fast phases", "events/s", "fast");

    private static final double AT_P90 = 90;
    private static final double AT_P99 = 99;

    private final String words;
    private final String unit;
    private final String key;

    Figure(String words, String unit, String key) {
        this.words = words;
        this.unit = unit;
        this.key = key;
    }

    /**
     * The unit of the figure.
     *
     * @return such as {@code ns}
     */
    public String unit() {
        return unit;
    }

    /**
     * Whether it stands beside a histogram, in a word of its own.
     *
     * @return false for what comes from the samples' figures and histograms
     */
    public boolean isBeside() {
        return !key.isEmpty();
    }

    /**
     * A contestant's detail with this figure beside it.
     *
     * @param detail what {@link Times#write} wrote, perhaps with other figures
     * @param value the figure
     * @return one line
     */
    public String beside(String detail, double value) {
        return detail + " " + key + "=" + value;
    }

    /**
     * Of a sample; {@link #QUIET_P99} is its 99th percentile, {@link #UPPER_DECILE} its own figure.
     *
     * @param value the sample's own figure
     * @param detail what the contestant said beyond it
     * @return the figure, NaN if the sample does not have it
     */
    double of(double value, String detail) {
        if (this == MEDIAN || this == UPPER_DECILE) {
            return value;
        }
        if (detail.isEmpty()) {
            return Double.NaN;
        }
        return switch (this) {
            case P90 -> Math.max(1, Times.read(detail).getValueAtPercentile(AT_P90));
            case QUIET_P99 -> Math.max(1, Times.read(detail).getValueAtPercentile(AT_P99));
            default -> besideIn(detail);
        };
    }

    private double besideIn(String detail) {
        for (String word : detail.split(" ", -1)) {
            if (word.startsWith(key + "=")) {
                return Double.parseDouble(word.substring(key.length() + 1));
            }
        }
        return Double.NaN;
    }

    @Override
    public String toString() {
        return words;
    }
}
