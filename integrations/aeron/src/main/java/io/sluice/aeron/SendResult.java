package io.sluice.aeron;

import io.aeron.Publication;

/**
 * The answer of Aeron to a message. Aeron's numbers are not those of a ring's {@code Producer}, where -3 and -5 mean something else,
 * so they are never passed on as they are.
 *
 * <p>Aeron 1.51 has no code for a publication that was revoked: a sender on it gets {@link #CLOSED}. A receiver is told {@code revoked}
 * by {@link ReceiverListener#onUnavailable}.
 */
public enum SendResult {
    /** It is in the publication's log. */
    SENT(0),
    /** No subscriber is there. Also while the link has lost its driver. */
    NOT_CONNECTED(1),
    /** A subscriber, or flow control, holds the publication. */
    BACK_PRESSURED(2),
    /** The log is being rotated or unblocked: the next try may go through. */
    ADMIN_ACTION(3),
    /** The publication is closed: by its owner, by a revocation, or since its driver was lost. */
    CLOSED(4),
    /** The publication has reached the last position that it can have, and only a new one goes on. */
    MAX_POSITION_EXCEEDED(5);

    /** How many there are. */
    static final int NUMBER = 6;

    /** Its place among counters: 0 to {@link #NUMBER} - 1. */
    final int place;

    SendResult(int place) {
        this.place = place;
    }

    static SendResult of(long code) {
        if (code > 0) {
            return SENT;
        } else if (code == Publication.BACK_PRESSURED) {
            return BACK_PRESSURED;
        } else if (code == Publication.NOT_CONNECTED) {
            return NOT_CONNECTED;
        } else if (code == Publication.ADMIN_ACTION) {
            return ADMIN_ACTION;
        } else if (code == Publication.MAX_POSITION_EXCEEDED) {
            return MAX_POSITION_EXCEEDED;
        } else if (code == Publication.CLOSED) {
            return CLOSED;
        }
        throw new AssertionError("Aeron answered " + code);
    }
}
