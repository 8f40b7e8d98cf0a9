package io.sluice.perf.compare;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.BooleanSupplier;

/**
 * The distances between the cores that count as near. Where virtual cores float over a host, the distance is in one of several modes, and
 * every figure moves with it; so samples of one mode only are compared.
 *
 * @param low from here on, in nanoseconds one way
 * @param high up to here
 */
public record Band(double low, double high) {
    /** Two cores of one package that share their last cache: most such machines show this distance. */
    public static final Band NEIGHBOURS = new Band(35, 110);

    /** Two cores that share no cache: some machines show this distance, for a while or always. */
    public static final Band FAR = new Band(150, 450);

    private static final int PROBES = 600;
    private static final long PROBE_MILLIS = 50;
    private static final double BELOW_MEDIAN = 0.62;
    private static final double ABOVE_MEDIAN = 1.5;

    /**
     * Whether a distance is near.
     *
     * @param nanos one way
     * @return whether it lies in the band
     */
    public boolean contains(double nanos) {
        return nanos >= low && nanos <= high;
    }

    /**
     * The band of this machine. Takes a tenth of a second where the cores are neighbours at present. Where they are not, it
     * looks for up to a minute whether they come near, since a machine may be far for a while and near for the rest of the
     * day.
     *
     * @param stop asked after each probe; once true, the probes so far decide
     * @return the band
     * @throws InterruptedException if interrupted
     */
    public static Band here(BooleanSupplier stop) throws InterruptedException {
        return search(
                () -> {
                    double nanos = Probe.oneWayNanos(PROBE_MILLIS);
                    Thread.sleep(PROBE_MILLIS);
                    return nanos;
                },
                stop);
    }

    /** As {@link #here}, by other probes. */
    static Band search(Distance distance, BooleanSupplier stop) throws InterruptedException {
        double[] probes = new double[PROBES];
        int done = 0;
        do {
            probes[done] = distance.nanos();
        } while (!NEIGHBOURS.contains(probes[done++]) && done < PROBES && !stop.getAsBoolean());
        return of(Arrays.copyOf(probes, done));
    }

    /** One probe. */
    interface Distance {
        double nanos() throws InterruptedException;
    }

    /**
     * The distances that count as near, in one sentence for the reader of the figures.
     *
     * @return the sentence, without a full stop
     */
    public String description() {
        String is = String.format(Locale.ROOT, "near is %.0f to %.0f ns one way between the cores", low, high);
        if (equals(FAR)) {
            return String.format(
                    Locale.ROOT, "this row counts rounds with the cores far apart, %.0f to %.0f ns one way", low, high);
        }
        return equals(NEIGHBOURS)
                ? is
                : is
                        + String.format(
                                Locale.ROOT,
                                "; they were not found at the distance of neighbours, %.0f to %.0f ns, so every figure is of another one",
                                NEIGHBOURS.low,
                                NEIGHBOURS.high);
    }

    /**
     * The band of this machine: {@link #NEIGHBOURS} where any of the probes lies in it, else one around their median.
     *
     * @param probes distances, at least one
     * @return the band
     */
    static Band of(double... probes) {
        if (Arrays.stream(probes).anyMatch(NEIGHBOURS::contains)) {
            return NEIGHBOURS;
        }
        double median = Quartiles.of(probes).median();
        return new Band(median * BELOW_MEDIAN, median * ABOVE_MEDIAN);
    }
}
