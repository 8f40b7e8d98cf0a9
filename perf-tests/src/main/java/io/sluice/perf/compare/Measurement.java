package io.sluice.perf.compare;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was measured for one row on one JDK. Ratios are formed only from samples that were near, by the {@linkplain Band
 * band}, at their beginning and at their end.
 */
public final class Measurement {
    /**
     * One sample.
     *
     * @param round in which round
     * @param contestant whose
     * @param value the figure, in the row's unit
     * @param hopBefore one way between the cores before it, in nanoseconds
     * @param hopAfter the same after it
     * @param detail what the contestant said beyond the figure
     */
    public record Sample(
            int round, String contestant, double value, double hopBefore, double hopAfter, String detail) {}

    private final Band near;
    private final List<Sample> samples = new ArrayList<>();

    Measurement(Band near) {
        this.near = near;
    }

    /**
     * What counts as near.
     *
     * @return the band
     */
    public Band band() {
        return near;
    }

    void add(Sample sample) {
        samples.add(sample);
    }

    /**
     * All samples.
     *
     * @return in the order in which they were taken
     */
    public List<Sample> samples() {
        return List.copyOf(samples);
    }

    /**
     * The distance between the cores.
     *
     * @return quartiles of all probes, in nanoseconds one way
     */
    public Quartiles hops() {
        return Quartiles.of(samples.stream()
                .flatMapToDouble(sample -> java.util.stream.DoubleStream.of(sample.hopBefore, sample.hopAfter))
                .toArray());
    }

    /**
     * Samples of a contestant.
     *
     * @param contestant its id
     * @param nearOnly only those in the near mode
     * @return quartiles of its figures
     */
    public Quartiles values(String contestant, boolean nearOnly) {
        return Quartiles.of(samples.stream()
                .filter(sample -> sample.contestant.equals(contestant) && (!nearOnly || isNear(sample)))
                .mapToDouble(Sample::value)
                .toArray());
    }

    /**
     * Ratios of two contestants, paired within rounds.
     *
     * @param contestant above the line
     * @param peer below it
     * @return quartiles of the ratios of the rounds in which both were near
     */
    public Quartiles ratio(String contestant, String peer) {
        Map<Integer, Double> above = near(contestant);
        Map<Integer, Double> below = near(peer);
        double[] ratios = above.entrySet().stream()
                .filter(one -> below.containsKey(one.getKey()))
                .mapToDouble(one -> one.getValue() / below.getOrDefault(one.getKey(), Double.NaN))
                .toArray();
        return Quartiles.of(ratios);
    }

    private Map<Integer, Double> near(String contestant) {
        Map<Integer, Double> values = new HashMap<>();
        for (Sample sample : samples) {
            if (sample.contestant.equals(contestant) && isNear(sample)) {
                values.put(sample.round, sample.value);
            }
        }
        return values;
    }

    boolean isNear(Sample sample) {
        return near.contains(sample.hopBefore) && near.contains(sample.hopAfter);
    }
}
