package io.sluice.perf.compare;

import java.util.List;

/** Measurements of samples that were not taken, for tests of other packages. */
public final class RecordedMeasurements {
    private RecordedMeasurements() {}

    /**
     * Of samples, all of which count.
     *
     * @param samples in their order
     * @return a measurement
     */
    public static Measurement of(List<Measurement.Sample> samples) {
        Measurement measurement = new Measurement(new Band(0, Double.MAX_VALUE));
        samples.forEach(measurement::add);
        return measurement;
    }
}
