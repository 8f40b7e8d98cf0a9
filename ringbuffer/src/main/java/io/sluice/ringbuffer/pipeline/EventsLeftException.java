package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.Ring;

/**
 * Tells an error handler that a ring was closed before all claimed events were handled, or while a handler had not returned. It is
 * never thrown. See {@link Pipeline#errorHandler}.
 */
public final class EventsLeftException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Ring.Leftover leftover;

    EventsLeftException(String ring, Ring.Leftover leftover) {
        super(
                "ring " + ring + ": closed with " + leftover.unhandled() + " events unhandled and "
                        + leftover.openClaims() + " claims open"
                        + (leftover.slowest().isEmpty() ? "" : "; the slowest consumer is " + leftover.slowest())
                        + (leftover.running().isEmpty()
                                ? ""
                                : "; still inside their handlers are " + leftover.running()),
                null,
                true,
                false);
        this.leftover = leftover;
    }

    /**
     * The leftover.
     *
     * @return the counts when the ring had been closed
     */
    public Ring.Leftover leftover() {
        return leftover;
    }
}
