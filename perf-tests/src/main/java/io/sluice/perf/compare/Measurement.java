package io.sluice.perf.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.ToDoubleFunction;

/**
 * The samples of one row on one JDK. Ratios are formed only from samples that were near, by the {@linkplain Band band}, at their beginning
 * and at their end.
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

    private static final double HALF = 0.5;
    private static final double NINE_TENTHS = 0.9;

    /** One in so many samples counts as quiet. */
    private static final int QUIET = 5;

    private final Band near;
    private final List<Sample> samples = new ArrayList<>();

    Measurement(Band near) {
        this.near = near;
    }

    /**
     * The band of the distances that count as near.
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
        return values(Figure.MEDIAN, contestant);
    }

    /** The same of another figure, of those samples that have it. */
    Interval values(Figure figure, String contestant) {
        Map<Integer, List<Double>> byJvm = new TreeMap<>();
        for (Sample sample : near(contestant).values()) {
            double value = figure.of(sample.value, sample.detail);
            if (!Double.isNaN(value)) {
                byJvm.computeIfAbsent(sample.jvm, jvm -> new ArrayList<>()).add(value);
            }
        }
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
        return ratio(Figure.MEDIAN, contestant, peer);
    }

    /**
     * Whether a contestant keeps up. One without a near sample counts as keeping up.
     *
     * @param contestant its id
     * @param field holds the greatest median with which it does
     * @return false if its median is greater
     */
    boolean keepsUp(String contestant, Target.Field field) {
        return !(values(contestant).median() > field.most()); // NaN without a sample
    }

    /**
     * The contestants that do not keep up, for the reader.
     *
     * @param field holds the greatest median with which one does
     * @param words writes a figure
     * @return a sentence for each
     */
    public List<String> behind(Target.Field field, DoubleFunction<String> words) {
        return samples.stream()
                .map(Sample::contestant)
                .distinct()
                .filter(one -> !keepsUp(one, field))
                .sorted()
                .map(one -> one + " does not keep up: its median is "
                        + words.apply(values(one).median()) + ", and may be " + words.apply(field.most()) + " at most"
                        + (field.peers().contains(one) ? "; no target is set beside it" : ""))
                .toList();
    }

    /**
     * The number of rounds in which two contestants were near.
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
     * @param figure the figure of the samples; samples without it do not count
     * @param contestant above the line
     * @param peer below it
     * @return the ratios of the rounds in which both were near
     */
    public Interval ratio(Figure figure, String contestant, String peer) {
        Map<Integer, Sample> below = near(peer);
        Map<Integer, List<double[]>> byJvm = new TreeMap<>();
        near(contestant).forEach((round, above) -> {
            Sample other = below.get(round);
            if (other != null) {
                double[] pair = {figure.of(above.value, above.detail), figure.of(other.value, other.detail)};
                if (!Double.isNaN(pair[0] + pair[1])) {
                    byJvm.computeIfAbsent(above.jvm, jvm -> new ArrayList<>()).add(pair);
                }
            }
        });
        return switch (figure) {
            case QUIET_P99 -> together(byJvm, drawn -> quiet(drawn, 0) / quiet(drawn, 1));
            case UPPER_DECILE ->
                together(
                        byJvm,
                        drawn -> Quartiles.at(sorted(drawn, 0), HALF) / Quartiles.at(sorted(drawn, 1), NINE_TENTHS));
            default ->
                Interval.of(byJvm.values().stream()
                        .map(pairs ->
                                pairs.stream().map(pair -> pair[0] / pair[1]).toList())
                        .toList());
        };
    }

    /** The interval of a ratio that is formed from the samples of all rounds together. */
    private static Interval together(Map<Integer, List<double[]>> byJvm, ToDoubleFunction<List<List<double[]>>> ratio) {
        int rounds = byJvm.values().stream().mapToInt(List::size).sum();
        return Interval.of(rounds, List.copyOf(byJvm.values()), ratio);
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
