package io.sluice.backpressure.nak;

/** Decides about a receiver that has slowed the sender, and so every other receiver, for long. */
@FunctionalInterface
public interface SlowReceiverHandler {
    /** The decision about the receiver. */
    enum Decision {
        /** It still governs the rate; the handler is called again after the same time. */
        KEEP,
        /** Its NAKs are ignored from now on, so it may lose messages; see {@link NakController#readmit}. */
        LEAVE_BEHIND
    }

    /**
     * Called by the controller's thread when one receiver has governed the rate for the configured time.
     *
     * @param receiver its id
     * @param messagesPerSecond what it handles, as far as is known; negative if unknown
     * @param nanos for how long it has governed the rate
     * @return what is to become of it
     */
    Decision onSlowReceiver(long receiver, double messagesPerSecond, long nanos);
}
