package io.sluice.ordered;

/** Tells an error handler of a failure that no policy passes over: the message names scheduler and ticket, the cause is it. */
public final class HandlingFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HandlingFailedException(String message, Throwable cause) {
        super(message, cause, false, false); // where it failed is in the cause
    }
}
