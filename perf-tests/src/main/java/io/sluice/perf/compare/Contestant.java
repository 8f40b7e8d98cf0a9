package io.sluice.perf.compare;

/**
 * One of those compared, in a JVM of its own: measures when it is asked to, and is quiet otherwise. One that keeps its threads at work
 * between its samples says so, and is stopped from outside.
 */
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

    /**
     * How many samples come first that do not count, so that it is warm.
     *
     * @return 12, unless overridden
     */
    default int warmUps() {
        return 12;
    }

    /**
     * Whether its threads work on between its samples. The driver then stops its process while another is measured: nothing of it
     * runs, and what lay in its buffers lies there still when it goes on.
     *
     * @return false, unless overridden
     */
    default boolean runsOn() {
        return false;
    }

    /**
     * Called once, behind the last sample: ends what works on, and checks what was moved in all samples.
     *
     * @throws Exception if something was lost, doubled or changed; the run ends then
     */
    default void finish() throws Exception {}
}
