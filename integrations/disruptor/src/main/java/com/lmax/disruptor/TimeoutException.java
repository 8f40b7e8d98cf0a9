package com.lmax.disruptor;

/** Thrown where a wait has reached its time limit. There is one instance, without a stack trace, so nothing is allocated. */
@SuppressWarnings("StaticAssignmentOfThrowable") // the API is given
public final class TimeoutException extends Exception {
    /** The only instance. */
    public static final TimeoutException INSTANCE = new TimeoutException();

    private static final long serialVersionUID = 1L;

    private TimeoutException() {}

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
