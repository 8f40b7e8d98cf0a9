package io.sluice.ringbuffer;

/** Told of a claim that consumers have waited for too long. See {@link RingBufferBuilder#onAbandonedClaim}. */
@FunctionalInterface
public interface AbandonedClaimHandler {
    /**
     * A claim stands in the way. Called once a claim, on the thread of a consumer that waits for it; it may abort the claim, or
     * leave it and tell somebody.
     *
     * @param claim whose it is, and its range
     * @throws Exception which fails the ring
     */
    void onAbandonedClaim(AbandonedClaim claim) throws Exception;
}
