package com.lmax.disruptor;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** Logs by the logger of this class, at {@code ERROR}, and ends the processor whose handler threw from an event. Any thread; stateless. */
public final class FatalExceptionHandler implements ExceptionHandler<Object> {
    /** Creates a handler. */
    public FatalExceptionHandler() {}

    @Override
    public void handleEventException(Throwable ex, long sequence, @Nullable Object event) {
        Log.log(
                getClass(),
                Level.ERROR,
                () -> "exception while handling event " + event + " at sequence " + sequence,
                ex);
        throw new RuntimeException(ex);
    }

    @Override
    public void handleOnStartException(Throwable ex) {
        Log.log(getClass(), Level.ERROR, () -> "exception from onStart", ex);
    }

    @Override
    public void handleOnShutdownException(Throwable ex) {
        Log.log(getClass(), Level.ERROR, () -> "exception from onShutdown", ex);
    }
}
