package io.sluice.batching;

/** A message does not fit, and was refused: nothing of it was sent. */
public final class MessageTooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** In bytes. */
    private final int length;
    /** In bytes. */
    private final int limit;

    MessageTooLargeException(String message, int length, int limit) {
        super(message);
        this.length = length;
        this.limit = limit;
    }

    /**
     * The message's length.
     *
     * @return the length in bytes
     */
    public int length() {
        return length;
    }

    /**
     * The longest message that would not be refused.
     *
     * @return the length in bytes
     */
    public int limit() {
        return limit;
    }
}
