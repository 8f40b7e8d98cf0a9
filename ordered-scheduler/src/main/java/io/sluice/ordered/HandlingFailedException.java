package io.sluice.ordered;

/** The report to an error handler: the message names the scheduler and the ticket, and the cause is the failure itself. */
public final class HandlingFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HandlingFailedException(String message, Throwable cause) {
        super(message, cause, false, false); // where it failed is in the cause
    }
}
