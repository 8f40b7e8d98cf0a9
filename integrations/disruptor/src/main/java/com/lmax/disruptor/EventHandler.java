package com.lmax.disruptor;

/**
 * Handles the events of a ring, one after another, in the order of their sequences. All methods are called by the thread that
 * runs the handler's processor.
 *
 * @param <T> the type of the events
 */
public interface EventHandler<T> extends EventHandlerBase<T> {
    @Override
    void onEvent(T event, long sequence, boolean endOfBatch) throws Exception;

    /**
     * Gives the handler the sequence of its processor, before the first event. A handler that sets it in the middle of a batch
     * gives slots back before the batch ends.
     *
     * @param sequenceCallback the processor's sequence
     */
    default void setSequenceCallback(Sequence sequenceCallback) {}
}
