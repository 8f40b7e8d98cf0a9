package io.sluice.backpressure.admission;

/** Called when an {@link AdmissionGate} fills up, and when it has emptied again, by the thread that reached the mark or was refused. */
public interface WaterMarkHandler {
    /**
     * The high water mark was reached. Not called again before the low one has been. Does nothing unless overridden.
     *
     * @param inside requests inside
     * @param bound how many may be inside
     */
    default void onHighWater(long inside, long bound) {}

    /**
     * The fill fell to the low water mark after the high one had been reached. Does nothing unless overridden.
     *
     * @param inside requests inside
     * @param bound how many may be inside
     */
    default void onLowWater(long inside, long bound) {}
}
