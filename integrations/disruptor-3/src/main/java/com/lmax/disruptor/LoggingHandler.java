package com.lmax.disruptor;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Logs exceptions by a logger of {@code java.util.logging}, as the API of version 3 demands. Any thread. */
abstract class LoggingHandler implements ExceptionHandler<Object> {
    private final Logger logger;
    private final Level level;

    LoggingHandler(@Nullable Logger logger, Level level) {
        this.logger = logger == null ? Logger.getLogger(getClass().getName()) : logger;
        this.level = level;
    }

    final void logEvent(Throwable ex, long sequence, @Nullable Object event) {
        logger.log(level, ex, () -> "exception while handling event " + event + " at sequence " + sequence);
    }

    @Override
    public void handleOnStartException(Throwable ex) {
        logger.log(level, "exception from onStart", ex);
    }

    @Override
    public void handleOnShutdownException(Throwable ex) {
        logger.log(level, "exception from onShutdown", ex);
    }
}
