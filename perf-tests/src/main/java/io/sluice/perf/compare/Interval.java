package io.sluice.perf.compare;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/**
 * The figure of several JVMs together: the median of their medians, and how far it is known. The rounds of one JVM are not independent,
 * since they share the code that its compiler made. So the interval comes from JVMs that are drawn again, each as often as chance says: 95
 * of 100 such draws have their median in it. The draws are the same in each run of the program. One JVM has no interval, and three have
 * hardly one.
 *
 * @param rounds of how many rounds
 * @param jvms of how many JVMs
 * @param lower the interval's lower end
 * @param median the median of the JVMs' medians
 * @param upper the interval's upper end
 */
public record Interval(int rounds, int jvms, double lower, double median, double upper) {
    /** The interval of nothing. */
    public static final Interval NONE = new Interval(0, 0, Double.NaN, Double.NaN, Double.NaN);

    private static final int DRAWS = 2_000;
    private static final long SEED = 20_261_123;
    private static final double TAIL = 0.025;

    /**
     * The interval of values by their JVMs.
     *
     * @param byJvm the values of each JVM, at least one each
     * @return what they say together, {@link #NONE} for no JVM
     */
    static Interval of(Collection<? extends Collection<Double>> byJvm) {
        List<Double> medians = byJvm.stream()
                .map(values -> Quartiles.of(array(values)).median())
                .toList();
        int rounds = byJvm.stream().mapToInt(Collection::size).sum();
        return of(rounds, medians, drawn -> Quartiles.of(array(drawn)).median());
    }

    /**
     * The interval of a figure of several JVMs together.
     *
     * @param rounds of how many rounds
     * @param jvms what each JVM has to say
     * @param figure makes the figure of JVMs, of which some may be there several times
     * @param <T> what a JVM has to say
     * @return the figure of all, with its interval; {@link #NONE} for no JVM
     */
    static <T> Interval of(int rounds, List<T> jvms, ToDoubleFunction<List<T>> figure) {
        if (jvms.isEmpty()) {
            return NONE;
        }
        double all = figure.applyAsDouble(jvms);
        if (jvms.size() == 1) {
            return new Interval(rounds, 1, all, all, all);
        }
        SplittableRandom random = new SplittableRandom(SEED);
        double[] drawn = new double[DRAWS];
        for (int i = 0; i < DRAWS; i++) {
            drawn[i] = figure.applyAsDouble(
                    random.ints(jvms.size(), 0, jvms.size()).mapToObj(jvms::get).toList());
        }
        Arrays.sort(drawn);
        return new Interval(
                rounds,
                jvms.size(),
                Math.min(all, Quartiles.at(drawn, TAIL)),
                all,
                Math.max(all, Quartiles.at(drawn, 1 - TAIL)));
    }

    private static double[] array(Collection<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
