package io.sluice.ringbuffer;

/**
 * A claim was refused for good, or its wait was ended, or it was aborted before it was published: the subclass says why. No
 * claim is left open by it: nothing has to be undone.
 */
public abstract class RingException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    RingException(String message) {
        super(message);
    }

    RingException(String message, Throwable cause) {
        super(message, cause);
    }
}
