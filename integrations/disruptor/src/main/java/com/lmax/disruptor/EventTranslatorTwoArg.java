package com.lmax.disruptor;

import org.jspecify.annotations.Nullable;

/**
 * Fills an event between its claim and its publication. Called by the publishing thread.
 *
 * @param <T> the type of the events
 * @param <A> the type of the first argument
 * @param <B> the type of the second argument
 */
public interface EventTranslatorTwoArg<T, A extends @Nullable Object, B extends @Nullable Object> {
    /**
     * Fills the event. If it throws, the event is published all the same, and the exception goes to the caller.
     *
     * @param event the event
     * @param sequence its sequence
     * @param arg0 what was given to {@code publishEvent}
     * @param arg1 what was given to {@code publishEvent}
     */
    void translateTo(T event, long sequence, A arg0, B arg1);
}
