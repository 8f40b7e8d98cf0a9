package com.lmax.disruptor;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Logs at {@code INFO}, and lets the processor go on. Any thread. */
public final class IgnoreExceptionHandler extends LoggingHandler {
    /** Creates a handler that logs by the logger of this class. */
    public IgnoreExceptionHandler() {
        super(null, Level.INFO);
    }

    /**
     * Creates a handler.
     *
     * @param logger logs the exceptions
     */
    public IgnoreExceptionHandler(Logger logger) {
        super(logger, Level.INFO);
    }

    @Override
    public void handleEventException(Throwable ex, long sequence, @Nullable Object event) {
        logEvent(ex, sequence, event);
    }
}
