package com.lmax.disruptor;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Logs at {@code SEVERE}, and ends the processor whose handler threw from an event. Any thread. */
public final class FatalExceptionHandler extends LoggingHandler {
    /** Creates a handler that logs by the logger of this class. */
    public FatalExceptionHandler() {
        super(null, Level.SEVERE);
    }

    /**
     * Creates a handler.
     *
     * @param logger logs the exceptions
     */
    public FatalExceptionHandler(Logger logger) {
        super(logger, Level.SEVERE);
    }

    @Override
    public void handleEventException(Throwable ex, long sequence, @Nullable Object event) {
        logEvent(ex, sequence, event);
        throw new RuntimeException(ex);
    }
}
