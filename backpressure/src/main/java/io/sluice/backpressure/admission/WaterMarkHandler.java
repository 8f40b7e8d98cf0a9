package io.sluice.backpressure.admission;

/** Hears when an {@link AdmissionGate} fills up and when it has emptied again. Called by the thread that crossed the mark. */
public interface WaterMarkHandler {
    /**
     * The high water mark was reached. Not called again before the low one has been.
     *
     * @param inside requests inside
     * @param bound how many may be
     */
    void onHighWater(long inside, long bound);

    /**
     * The fill fell to the low water mark after the high one had been reached.
     *
     * @param inside requests inside
     * @param bound how many may be
     */
    void onLowWater(long inside, long bound);
}
