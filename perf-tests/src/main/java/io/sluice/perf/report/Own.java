package io.sluice.perf.report;

import io.sluice.perf.report.svg.Labels;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A contestant's own figures while the cores were near: how they spread, and each of them, for one that has two speeds.
 *
 * @param lowerDecile one in ten samples is below it
 * @param lowerQuartile one in four
 * @param middle half of them; of all samples together, where the figure of a row is the median of the JVMs' medians
 * @param upperQuartile one in four is above it
 * @param upperDecile one in ten
 * @param samples each figure, in ascending order
 */
public record Own(
        double lowerDecile,
        double lowerQuartile,
        double middle,
        double upperQuartile,
        double upperDecile,
        List<Double> samples) {
    /** The figures of no sample. */
    public static final Own NONE = new Own(0, 0, 0, 0, 0, List.of());

    /** Each speed has so many samples at least, in number and as a share. */
    private static final int LEAST = 3;

    private static final double LEAST_SHARE = 0.1;

    /** The speeds are so far apart at least. */
    private static final double APART = 1.4;

    /**
     * At least this share of the samples' variance, on a logarithmic scale, lies between the speeds. A uniform spread has three quarters
     * there, and a normal one less than two thirds.
     */
    private static final double BETWEEN = 0.85;

    /** Copies the list. */
    public Own {
        samples = List.copyOf(samples);
    }

    /**
     * The spread of figures.
     *
     * @param values in any order, above 0
     * @return how they spread, {@link #NONE} for no value
     */
    public static Own of(double[] values) {
        if (values.length == 0) {
            return NONE;
        }
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Own(
                at(sorted, 0.1),
                at(sorted, 0.25),
                at(sorted, 0.5),
                at(sorted, 0.75),
                at(sorted, 0.9),
                Arrays.stream(sorted).boxed().toList());
    }

    private static double at(double[] sorted, double share) {
        double rank = share * (sorted.length - 1);
        int below = (int) rank;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (rank - below) * (sorted[above] - sorted[below]);
    }

    /**
     * Two speeds of one contestant.
     *
     * @param slow the median of the slower samples
     * @param slower how many these are
     * @param fast the median of the faster ones
     * @param faster how many these are
     */
    public record TwoSpeeds(double slow, int slower, double fast, int faster) {
        /**
         * Both, for people.
         *
         * @param unit of the figures
         * @return such as {@code 82M events/s in 18 samples, 270M events/s in 12}
         */
        public String words(String unit) {
            return Labels.number(slow) + " " + unit + " in " + slower + " samples, " + Labels.number(fast) + " " + unit
                    + " in " + faster;
        }
    }

    /**
     * Whether the samples fall into two groups with a gap between them.
     *
     * @return both groups; empty if there is one group, or they are not apart
     */
    public Optional<TwoSpeeds> twoSpeeds() {
        double[] sorted = samples.stream().mapToDouble(Double::doubleValue).toArray();
        int least = (int) Math.max(LEAST, Math.ceil(sorted.length * LEAST_SHARE));
        if (sorted.length < 2 * least || !(sorted[0] > 0)) {
            return Optional.empty();
        }
        double[] logs = Arrays.stream(sorted).map(Math::log).toArray();
        int best = least;
        double between = -1;
        for (int split = least; split <= logs.length - least; split++) {
            double share = shareBetween(logs, split);
            if (share > between) {
                between = share;
                best = split;
            }
        }
        double slow = at(Arrays.copyOf(sorted, best), 0.5);
        double fast = at(Arrays.copyOfRange(sorted, best, sorted.length), 0.5);
        return between >= BETWEEN && fast >= APART * slow
                ? Optional.of(new TwoSpeeds(slow, best, fast, sorted.length - best))
                : Optional.empty();
    }

    /** The share of the variance that lies between two groups: the values below an index, and those from it on. */
    private static double shareBetween(double[] values, int split) {
        double all = Arrays.stream(values).average().orElse(0);
        double below = Arrays.stream(values, 0, split).average().orElse(0);
        double above = Arrays.stream(values, split, values.length).average().orElse(0);
        double between = split * square(below - all) + (values.length - split) * square(above - all);
        double total = Arrays.stream(values).map(value -> square(value - all)).sum();
        return total == 0 ? 0 : between / total;
    }

    private static double square(double value) {
        return value * value;
    }
}
