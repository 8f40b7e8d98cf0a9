package io.sluice.ringbuffer;

/** The ring takes no more claims, because a consumer failed. The cause is what its handler threw. */
public final class RingFailedException extends RingException {
    private static final long serialVersionUID = 1L;

    RingFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
