package io.sluice.ringbuffer.pipeline;

import org.jspecify.annotations.Nullable;

/**
 * Tells an error handler that a consumer has failed, and where. The cause is what its handler threw. It is never thrown. See {@link
 * Pipeline#errorHandler}.
 */
public final class ConsumerFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The ring's name. */
    private final String ring;

    /** The consumer's name. */
    private final String consumer;

    // set when it is told: the object is made beforehand, since there may be no memory left then
    /** The event's sequence. */
    private long sequence;

    /** The place of the failure, if not at an event. */
    private @Nullable String place;

    /** The throwable of the handler. */
    private @Nullable Throwable thrown;

    ConsumerFailedException(String ring, String consumer) {
        super(null, null, true, false); // no stack of its own: that of the cause counts
        this.ring = ring;
        this.consumer = consumer;
    }

    /**
     * Sets the failure. Allocates nothing.
     *
     * @param newPlace the place of the failure, if not at an event
     */
    ConsumerFailedException by(Throwable cause, long newSequence, @Nullable String newPlace) {
        thrown = cause;
        sequence = newSequence;
        place = newPlace;
        return this;
    }

    /**
     * The ring.
     *
     * @return its name
     */
    public String ring() {
        return ring;
    }

    /**
     * The consumer that failed.
     *
     * @return its name
     */
    public String consumer() {
        return consumer;
    }

    /**
     * The event that it failed at.
     *
     * @return its sequence; where it failed at no event, as in {@code onStart}, the last one that it had finished, -1 for none
     */
    public long sequence() {
        return sequence;
    }

    @Override
    public String getMessage() {
        return "ring " + ring + ": consumer " + consumer + " failed "
                + (place == null ? "at sequence " + sequence : "in " + place);
    }

    @Override
    public synchronized @Nullable Throwable getCause() {
        return thrown;
    }
}
