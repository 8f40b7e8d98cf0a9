package com.lmax.disruptor;

import org.jspecify.annotations.Nullable;

/**
 * Fills an event from any number of arguments. Called by the publishing thread.
 *
 * @param <T> the type of the events
 */
public interface EventTranslatorVararg<T> {
    /**
     * Fills the event. If it throws, the event is published all the same, and the exception goes to the caller.
     *
     * @param event the event
     * @param sequence its sequence
     * @param args what was given to {@code publishEvent}
     */
    void translateTo(T event, long sequence, @Nullable Object... args);
}
