package io.sluice.ringbuffer;

/** The ring or the producer takes no more claims, because it is draining or closed. */
public final class RingClosedException extends RingException {
    private static final long serialVersionUID = 1L;

    RingClosedException(String message) {
        super(message);
    }
}
