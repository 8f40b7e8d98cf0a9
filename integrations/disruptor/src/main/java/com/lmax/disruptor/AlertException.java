package com.lmax.disruptor;

/**
 * Thrown by a barrier that was alerted: its consumer looks whether it was halted. There is one instance, without a stack trace, so nothing
 * is allocated.
 */
@SuppressWarnings("StaticAssignmentOfThrowable") // the API is given
public final class AlertException extends Exception {
    /** The only instance. */
    public static final AlertException INSTANCE = new AlertException();

    private static final long serialVersionUID = 1L;

    private AlertException() {}

    /**
     * Takes no stack trace.
     *
     * @return this
     */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
