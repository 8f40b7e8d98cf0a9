package io.sluice.ringbuffer;

/**
 * A publication came too late: the claim, or a part of it, was aborted on its owner's behalf, on a ring built with {@link
 * RingBufferBuilder#trackClaims}. What of the range was not aborted is published. The producer may go on claiming.
 */
public final class ClaimAbortedException extends RingException {
    private static final long serialVersionUID = 1L;

    ClaimAbortedException(String message) {
        super(message);
    }
}
