package io.sluice.ringbuffer;

/**
 * A publication came too late: the claim, or a part of it, was aborted on its owner's behalf, on a ring built with {@link
 * RingBufferBuilder#trackClaims}. What of the range was not aborted is published. The producer may go on claiming. Also told to who asks for
 * the event of a claim that others have overtaken, on such a ring that nobody gates.
 */
public final class ClaimAbortedException extends RingException {
    private static final long serialVersionUID = 1L;

    ClaimAbortedException(String message) {
        super(message);
    }
}
