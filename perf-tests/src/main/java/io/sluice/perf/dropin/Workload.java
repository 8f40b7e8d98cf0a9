package io.sluice.perf.dropin;

/** The work that a child JVM does again and again. It knows {@code com.lmax.disruptor} only, so that it runs on either jar. */
interface Workload {
    /**
     * Does it once, and checks that nothing was lost or doubled.
     *
     * @return the figures, in the order of {@link Case#measures}
     * @throws Exception what fails; {@link IllegalStateException} if a count or a sum is wrong
     */
    double[] run() throws Exception;
}
