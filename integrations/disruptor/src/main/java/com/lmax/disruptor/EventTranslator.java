package com.lmax.disruptor;

/**
 * Fills an event between its claim and its publication. Called by the publishing thread.
 *
 * @param <T> the type of the events
 */
public interface EventTranslator<T> {
    /**
     * Fills the event. If it throws, the event is published all the same, and the exception goes to the caller.
     *
     * @param event the event
     * @param sequence its sequence
     */
    void translateTo(T event, long sequence);
}
