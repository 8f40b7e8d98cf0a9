package io.sluice.perf.compare;

import java.util.Locale;
import org.HdrHistogram.Histogram;

/** Every sample of a run as comma-separated values: behind each published table there is one. For one thread. */
public final class SampleTable {
    private static final double P90 = 90;
    private static final double P99 = 99;

    private final StringBuilder text = new StringBuilder(
            "jdk,row,jvm,round,contestant,value,p90,p99,hop_before,hop_after,last_of_burst,fast_phases\n");

    /** Creates a table with a head and no line. */
    public SampleTable() {}

    /**
     * Adds the samples of a row.
     *
     * @param jdk the JVM's name
     * @param row the row
     * @param measurement its samples
     */
    public void add(String jdk, Row row, Measurement measurement) {
        for (Measurement.Sample sample : measurement.samples()) {
            Histogram times = row.isTime() && !sample.detail().isEmpty() ? Times.read(sample.detail()) : null;
            text.append(String.format(
                    Locale.ROOT,
                    "%s,%s,%d,%d,%s,%.1f,%s,%s,%.1f,%.1f,%s,%s%n",
                    jdk.replace(',', ' '),
                    row.id(),
                    sample.jvm(),
                    sample.round(),
                    sample.contestant(),
                    sample.value(),
                    times == null ? "" : times.getValueAtPercentile(P90),
                    times == null ? "" : times.getValueAtPercentile(P99),
                    sample.hopBefore(),
                    sample.hopAfter(),
                    beside(Figure.LAST_OF_BURST, sample),
                    beside(Figure.FAST_PHASES, sample)));
        }
    }

    /** Empty if the sample does not have it. */
    private static String beside(Figure figure, Measurement.Sample sample) {
        double value = figure.of(sample.value(), sample.detail());
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%.1f", value);
    }

    /** The table's text. */
    @Override
    public String toString() {
        return text.toString();
    }
}
