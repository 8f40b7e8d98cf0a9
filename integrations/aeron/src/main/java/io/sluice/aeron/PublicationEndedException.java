package io.sluice.aeron;

import java.io.Serial;

/** An {@link AeronSender} cannot send any more. It fails the sender's consumer, and so by default its ring. */
public final class PublicationEndedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    /** The answer of Aeron. */
    private final SendResult result;

    PublicationEndedException(SendResult result, String channel, int streamId) {
        super("cannot send on " + channel + ", stream " + streamId + ": " + result);
        this.result = result;
    }

    /**
     * The answer of Aeron.
     *
     * @return any but {@link SendResult#SENT}
     */
    public SendResult result() {
        return result;
    }
}
