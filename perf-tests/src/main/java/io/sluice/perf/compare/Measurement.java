package io.sluice.perf.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What was measured for one row on one JDK. Ratios are formed only from samples that were near, by the {@linkplain Band
 * band}, at their beginning and at their end.
 */
public final class Measurement {
    /**
     * One sample.
     *
     * @param round in which round
     * @param jvm of which JVM of the contestant, from 0 on; those of one number live at the same time
     * @param contestant whose
     * @param value the figure, in the row's unit
     * @param hopBefore one way between the cores before it, in nanoseconds
     * @param hopAfter the same after it
     * @param detail what the contestant said beyond the figure
     */
    public record Sample(
            int round, int jvm, String contestant, double value, double hopBefore, double hopAfter, String detail) {}

    private static final double P90 = 90;
    private static final double P99 = 99;
    private static final double MEDIAN = 0.5;
    private static final double UPPER_DECILE = 0.9;

    /** One in so many samples counts as quiet. */
    private static final int QUIET = 5;

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
     * @return its figures in the near mode, by JVM
     */
    public Interval values(String contestant) {
        Map<Integer, List<Double>> byJvm = new TreeMap<>();
        near(contestant)
                .values()
                .forEach(sample -> byJvm.computeIfAbsent(sample.jvm, jvm -> new ArrayList<>())
                        .add(sample.value));
        return Interval.of(byJvm.values());
    }

    /** A contestant's figures in the near mode, all JVMs together. */
    double[] nearValues(String contestant) {
        return near(contestant).values().stream().mapToDouble(Sample::value).toArray();
    }

    /**
     * Ratios of two contestants, paired within rounds.
     *
     * @param contestant above the line
     * @param peer below it
     * @return the ratios of the rounds in which both were near, by JVM
     */
    public Interval ratio(String contestant, String peer) {
        Map<Integer, Sample> below = near(peer);
        Map<Integer, List<Double>> byJvm = new TreeMap<>();
        near(contestant).forEach((round, above) -> {
            Sample other = below.get(round);
            if (other != null) {
                byJvm.computeIfAbsent(above.jvm, jvm -> new ArrayList<>()).add(above.value / other.value);
            }
        });
        return Interval.of(byJvm.values());
    }

    /**
     * In how many rounds two contestants were near.
     *
     * @param contestant one's id
     * @param peer the other's
     * @return the number of rounds
     */
    int rounds(String contestant, String peer) {
        Set<Integer> rounds = new HashSet<>(near(contestant).keySet());
        rounds.retainAll(near(peer).keySet());
        return rounds.size();
    }

    /**
     * Ratios of a figure of two contestants.
     *
     * @param figure what of the samples; percentiles of single samples need samples with histograms
     * @param contestant above the line
     * @param peer below it
     * @return the ratios of the rounds in which both were near
     */
    public Interval ratio(Figure figure, String contestant, String peer) {
        if (figure == Figure.MEDIAN) {
            return ratio(contestant, peer);
        }
        if (figure == Figure.UPPER_DECILE) {
            return toUpperDecile(contestant, peer);
        }
        double percentile = figure == Figure.P90 ? P90 : P99;
        Map<Integer, Sample> below = near(peer);
        Map<Integer, List<double[]>> byJvm = new TreeMap<>();
        near(contestant).forEach((round, above) -> {
            Sample other = below.get(round);
            if (other != null && !above.detail.isEmpty() && !other.detail.isEmpty()) {
                byJvm.computeIfAbsent(above.jvm, jvm -> new ArrayList<>())
                        .add(new double[] {at(above, percentile), at(other, percentile)});
            }
        });
        if (figure == Figure.P90) {
            return Interval.of(byJvm.values().stream()
                    .map(pairs -> pairs.stream().map(pair -> pair[0] / pair[1]).toList())
                    .toList());
        }
        int rounds = byJvm.values().stream().mapToInt(List::size).sum();
        return Interval.of(rounds, List.copyOf(byJvm.values()), drawn -> quiet(drawn, 0) / quiet(drawn, 1));
    }

    private Interval toUpperDecile(String contestant, String peer) {
        Map<Integer, Sample> below = near(peer);
        Map<Integer, List<double[]>> byJvm = new TreeMap<>();
        near(contestant).forEach((round, above) -> {
            Sample other = below.get(round);
            if (other != null) {
                byJvm.computeIfAbsent(above.jvm, jvm -> new ArrayList<>()).add(new double[] {above.value, other.value});
            }
        });
        int rounds = byJvm.values().stream().mapToInt(List::size).sum();
        return Interval.of(
                rounds,
                List.copyOf(byJvm.values()),
                drawn -> Quartiles.at(sorted(drawn, 0), MEDIAN) / Quartiles.at(sorted(drawn, 1), UPPER_DECILE));
    }

    private static double at(Sample sample, double percentile) {
        return Math.max(1, Times.read(sample.detail).getValueAtPercentile(percentile));
    }

    /** The median of the lowest fifth of one side of all pairs. */
    private static double quiet(List<List<double[]>> jvms, int side) {
        double[] sorted = sorted(jvms, side);
        return Quartiles.of(Arrays.copyOf(sorted, (sorted.length + QUIET - 1) / QUIET))
                .median();
    }

    /** One side of all pairs. */
    private static double[] sorted(List<List<double[]>> jvms, int side) {
        return jvms.stream()
                .flatMap(List::stream)
                .mapToDouble(pair -> pair[side])
                .sorted()
                .toArray();
    }

    /** A contestant's samples in the near mode, by round. */
    private Map<Integer, Sample> near(String contestant) {
        Map<Integer, Sample> near = new TreeMap<>();
        for (Sample sample : samples) {
            if (sample.contestant.equals(contestant) && isNear(sample)) {
                near.put(sample.round, sample);
            }
        }
        return near;
    }

    boolean isNear(Sample sample) {
        return near.contains(sample.hopBefore) && near.contains(sample.hopAfter);
    }
}
