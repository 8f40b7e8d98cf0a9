package io.sluice.cli;

/** Bad input or usage. The message says what, where, and what is allowed, in one line. */
public final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message one line: what is wrong, where, what is allowed
     */
    public UsageException(String message) {
        super(message);
    }
}
