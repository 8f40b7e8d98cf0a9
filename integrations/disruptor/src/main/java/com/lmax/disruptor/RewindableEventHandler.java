package com.lmax.disruptor;

/**
 * Handles events, and may have its batch handed out again from its first event by a {@link RewindableException}.
 *
 * @param <T> the type of the events
 */
public interface RewindableEventHandler<T> extends EventHandlerBase<T> {
    @Override
    void onEvent(T event, long sequence, boolean endOfBatch) throws RewindableException, Exception;
}
