package io.sluice.ringbuffer;

/**
 * A publication came too late: the claim, or a part of it, was aborted on its owner's behalf, on a ring built with {@link
 * RingBufferBuilder#trackClaims}. The rest of the range is published. The producer may go on claiming. On such a ring without consumers
 * {@link Producer#get} throws it too, when other producers have claimed the slot again.
 */
public final class ClaimAbortedException extends RingException {
    private static final long serialVersionUID = 1L;

    ClaimAbortedException(String message) {
        super(message);
    }
}
