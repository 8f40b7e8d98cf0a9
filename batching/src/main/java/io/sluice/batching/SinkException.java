package io.sluice.batching;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A sink did not take a batch, or failed at its end or when idle, or the batch's header could not be made. Messages that were not
 * taken stay, and go first at the next attempt.
 */
public final class SinkException extends IOException {
    private static final long serialVersionUID = 1L;

    /** -1 for none. */
    private final long firstSequence;
    /** -1 for none. */
    private final long lastSequence;
    /** Those that were not taken. */
    private final int messages;

    SinkException(String message, long firstSequence, long lastSequence, int messages, @Nullable Throwable cause) {
        super(message, cause);
        this.firstSequence = firstSequence;
        this.lastSequence = lastSequence;
        this.messages = messages;
    }

    /**
     * The sequence of the first event whose message was not taken, or not in full.
     *
     * @return the sequence; -1 if all messages were taken, as where the end of the batch or an idle call failed
     */
    public long firstSequence() {
        return firstSequence;
    }

    /**
     * The sequence of the last event whose message was not taken.
     *
     * @return the sequence; -1 if all messages were taken, as where the end of the batch or an idle call failed
     */
    public long lastSequence() {
        return lastSequence;
    }

    /**
     * How many messages were not taken.
     *
     * @return the number, 0 or more
     */
    public int messages() {
        return messages;
    }
}
