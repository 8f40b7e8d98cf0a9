package io.sluice.perf.compare;

/** One of those compared, in a JVM of its own: measures when it is asked to, and is quiet otherwise. */
@FunctionalInterface
public interface Contestant {
    /**
     * Measures once, and checks that what it moved arrived unharmed.
     *
     * @param nanos how long, about, in nanoseconds
     * @return the figure, in the row's unit
     * @throws Exception if something was lost, doubled or changed; the run ends then
     */
    double sample(long nanos) throws Exception;

    /**
     * What there is to say of the last sample beyond its figure, such as a histogram.
     *
     * @return one line; empty for nothing
     */
    default String detail() {
        return "";
    }
}
