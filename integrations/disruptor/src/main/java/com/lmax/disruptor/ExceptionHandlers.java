package com.lmax.disruptor;

/** The exception handler of processors that have set none. */
public final class ExceptionHandlers {
    private static final ExceptionHandler<Object> DEFAULT = new FatalExceptionHandler();

    private ExceptionHandlers() {}

    /**
     * The handler that a processor has before one is set.
     *
     * @return a {@link FatalExceptionHandler}, always the same
     */
    public static ExceptionHandler<Object> defaultHandler() {
        return DEFAULT;
    }
}
