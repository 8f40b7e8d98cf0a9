package com.lmax.disruptor;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Logs by the logger of this class, at {@code INFO}, and lets the processor go on. Any thread; stateless. */
public final class IgnoreExceptionHandler implements ExceptionHandler<Object> {
    /** Creates a handler. */
    public IgnoreExceptionHandler() {}

    @Override
    public void handleEventException(Throwable ex, long sequence, @Nullable Object event) {
        Log.log(
                getClass(),
                Level.INFO,
                () -> "exception while handling event " + event + " at sequence " + sequence,
                ex);
    }

    @Override
    public void handleOnStartException(Throwable ex) {
        Log.log(getClass(), Level.INFO, () -> "exception from onStart", ex);
    }

    @Override
    public void handleOnShutdownException(Throwable ex) {
        Log.log(getClass(), Level.INFO, () -> "exception from onShutdown", ex);
    }
}
