package com.lmax.disruptor;

/** Thrown by {@code tryNext} if the ring has no room. There is one instance, without a stack trace, so nothing is allocated. */
@SuppressWarnings("StaticAssignmentOfThrowable") // the API is given
public final class InsufficientCapacityException extends Exception {
    /** The only instance. */
    public static final InsufficientCapacityException INSTANCE = new InsufficientCapacityException();

    private static final long serialVersionUID = 1L;

    private InsufficientCapacityException() {}

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
