package io.sluice.perf.compare;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was measured for one row on one JDK. The distance between the cores is in one of several modes; the one that is seen
 * most is here called <em>near</em>, and ratios are formed only from samples that were near at their beginning and their end.
 */
public final class Measurement {
    /** A probe within this share of the run's median is near. */
    private static final double NEAR_BELOW = 0.62;

    private static final double NEAR_ABOVE = 1.5;

    /**
     * One sample.
     *
     * @param round in which round
     * @param contestant whose
     * @param value the figure, in the row's unit
     * @param hopBefore one way between the cores before it, in nanoseconds
     * @param hopAfter the same after it
     */
    public record Sample(int round, String contestant, double value, double hopBefore, double hopAfter) {}

    private final List<Sample> samples = new ArrayList<>();

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
     * The distance between the cores that counts as near.
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
     * @param near only those in the near mode
     * @return quartiles of its figures
     */
    public Quartiles values(String contestant, boolean near) {
        double hop = hops().median();
        return Quartiles.of(samples.stream()
                .filter(sample -> sample.contestant.equals(contestant) && (!near || isNear(sample, hop)))
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
        double hop = hops().median();
        Map<Integer, Double> above = near(contestant, hop);
        Map<Integer, Double> below = near(peer, hop);
        double[] ratios = above.entrySet().stream()
                .filter(one -> below.containsKey(one.getKey()))
                .mapToDouble(one -> one.getValue() / below.getOrDefault(one.getKey(), Double.NaN))
                .toArray();
        return Quartiles.of(ratios);
    }

    private Map<Integer, Double> near(String contestant, double hop) {
        Map<Integer, Double> values = new HashMap<>();
        for (Sample sample : samples) {
            if (sample.contestant.equals(contestant) && isNear(sample, hop)) {
                values.put(sample.round, sample.value);
            }
        }
        return values;
    }

    private static boolean isNear(Sample sample, double hop) {
        return isNear(sample.hopBefore, hop) && isNear(sample.hopAfter, hop);
    }

    private static boolean isNear(double probe, double hop) {
        return probe >= hop * NEAR_BELOW && probe <= hop * NEAR_ABOVE;
    }
}
