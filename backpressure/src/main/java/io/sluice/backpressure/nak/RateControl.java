package io.sluice.backpressure.nak;

/** How a {@link NakController} turns NAKs, and their absence, into a rate. */
public enum RateControl {
    /**
     * The default. It computes the receiver's service rate from two of its NAKs, and sends a little less than that. While it has
     * only one NAK, for a refresh time, it halves the rate. It never sends more in an epoch than fits into a receiver that has
     * stopped. In silence it stays on a plateau near the last good rate, then rises by 1, 2, 4, 8, 16, 25 percent an epoch (the
     * increase accelerates as in CUBIC, RFC 9438). Several senders share the service rate explicitly, as in RCP (Dukkipati 2006).
     */
    ADAPTIVE,
    /** Additive increase by 1/64 of the rate of the first cut an epoch, multiplicative decrease to 1/2 (Chiu and Jain 1989). */
    AIMD,
    /** A cut to 0.7 and a cubic way back that is at the old rate after 8 epochs (the curve of RFC 9438, in epochs). */
    CUBIC,
    /**
     * The plain ladder of Möller's article, with numbers it leaves open: 7/8, 3/4, 1/2 and 1/8 of the rate at 50, 75, 87 and
     * 100 percent; steps of 1 percent an epoch, one percent more with each epoch of silence, 10 at most.
     */
    LADDER;

    RateAlgorithm algorithm() {
        return switch (this) {
            case ADAPTIVE -> new AdaptiveAlgorithm();
            case AIMD -> new AimdAlgorithm();
            case CUBIC -> new CubicAlgorithm();
            case LADDER -> new LadderAlgorithm();
        };
    }
}
