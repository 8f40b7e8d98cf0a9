package io.sluice.perf.compare;

import java.util.Arrays;

/**
 * Which distances between the cores count as near. Where virtual cores float over a host, the distance is in one of several
 * modes, and every figure moves with it; so samples of one mode only are compared.
 *
 * @param low from here on, in nanoseconds one way
 * @param high up to here
 */
public record Band(double low, double high) {
    /** Two cores of one package that share their last cache: what most such machines show. */
    public static final Band NEIGHBOURS = new Band(35, 110);

    private static final int PROBES = 40;
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
     * The band of this machine as it is now; takes some seconds.
     *
     * @return the band
     * @throws InterruptedException if interrupted
     */
    public static Band here() throws InterruptedException {
        double[] probes = new double[PROBES];
        for (int i = 0; i < probes.length; i++) {
            probes[i] = Probe.oneWayNanos(PROBE_MILLIS);
            Thread.sleep(PROBE_MILLIS);
        }
        return of(probes);
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
