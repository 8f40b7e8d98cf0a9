package io.sluice.ringbuffer;

/** The thread was interrupted while it waited for room. Its interrupt flag is still set; nothing was claimed. */
public final class ClaimInterruptedException extends RingException {
    private static final long serialVersionUID = 1L;

    ClaimInterruptedException(String message) {
        super(message);
    }
}
