package io.sluice.perf.backpressure;

/** Takes permits from a limiter that has enough of them. */
@FunctionalInterface
interface Acquire {
    /**
     * Takes permits.
     *
     * @param permits how many
     * @return whether they were granted
     */
    boolean take(int permits);
}
