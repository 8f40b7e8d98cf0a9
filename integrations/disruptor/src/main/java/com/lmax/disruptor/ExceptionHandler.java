package com.lmax.disruptor;

import org.jspecify.annotations.Nullable;

/**
 * Is told of exceptions of a handler. Called by the thread of the handler's processor.
 *
 * @param <T> the type of the events
 */
public interface ExceptionHandler<T> {
    /**
     * A handler threw from {@code onEvent}, {@code onBatchStart} or {@code onTimeout}, or the wait for an event failed. The
     * processor goes on with the next event, unless this method throws.
     *
     * @param ex what was thrown
     * @param sequence the sequence in hand
     * @param event the event; where a wait failed, the one that was handled last; null if there is none
     */
    void handleEventException(Throwable ex, long sequence, @Nullable T event);

    /**
     * A handler threw from {@code onStart}.
     *
     * @param ex what was thrown
     */
    void handleOnStartException(Throwable ex);

    /**
     * A handler threw from {@code onShutdown}.
     *
     * @param ex what was thrown
     */
    void handleOnShutdownException(Throwable ex);
}
