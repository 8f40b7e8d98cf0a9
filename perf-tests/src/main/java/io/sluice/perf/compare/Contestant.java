package io.sluice.perf.compare;

/**
 * One of those compared, in a JVM of its own: measures when it is asked to, and is quiet otherwise. One that keeps its threads at work
 * between its samples says so, and is stopped from outside.
 */
@FunctionalInterface
public interface Contestant {
    /**
     * Measures once, and checks that all that it moved arrived unharmed.
     *
     * @param nanos how long, about, in nanoseconds
     * @return the figure, in the row's unit
     * @throws Exception if something was lost, doubled or changed; the run ends then
     */
    double sample(long nanos) throws Exception;

    /**
     * The detail of the last sample beyond its figure, such as a histogram.
     *
     * @return one line; empty for nothing
     */
    default String detail() {
        return "";
    }

    /**
     * The number of samples that come first and do not count, so that the contestant is warm.
     *
     * @return 12, unless overridden
     */
    default int warmUps() {
        return 12;
    }

    /**
     * Whether its threads work on between its samples. The driver then stops its process while another is measured: nothing of it runs, and
     * its buffers keep their contents until it goes on.
     *
     * @return false, unless overridden
     */
    default boolean runsOn() {
        return false;
    }

    /**
     * Called once, behind the last sample: ends the threads that work on, and checks all that was moved in the samples.
     *
     * @throws Exception if something was lost, doubled or changed; the run ends then
     */
    default void finish() throws Exception {}
}
