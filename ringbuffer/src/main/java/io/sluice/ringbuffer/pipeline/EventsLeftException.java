package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.Ring;

/**
 * What an error handler is told when a ring is closed before all that was claimed has been handled, or while a handler has not returned. Nobody throws it. See {@link
 * Pipeline#errorHandler}.
 */
public final class EventsLeftException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Ring.Leftover leftover;

    EventsLeftException(String ring, Ring.Leftover leftover) {
        super(
                "ring " + ring + ": closed with " + leftover.unhandled() + " events unhandled and "
                        + leftover.openClaims() + " claims open; the slowest consumer is " + leftover.slowest()
                        + (leftover.running().isEmpty()
                                ? ""
                                : "; still inside their handlers are " + leftover.running()),
                null,
                true,
                false);
        this.leftover = leftover;
    }

    /**
     * What is left.
     *
     * @return the counts when the ring had been closed
     */
    public Ring.Leftover leftover() {
        return leftover;
    }
}
