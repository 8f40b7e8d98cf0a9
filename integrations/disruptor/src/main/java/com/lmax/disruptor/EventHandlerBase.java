package com.lmax.disruptor;

/**
 * The callbacks of both kinds of handlers. All methods are called by the thread that runs the handler's processor.
 *
 * @param <T> the type of the events
 */
interface EventHandlerBase<T> extends EventHandlerIdentity {
    /**
     * Handles one event.
     *
     * @param event the event
     * @param sequence its sequence
     * @param endOfBatch whether it is the last of its batch
     * @throws Throwable whatever goes to the exception handler
     */
    void onEvent(T event, long sequence, boolean endOfBatch) throws Throwable;

    /**
     * Called before the first event of each batch.
     *
     * @param batchSize how many events the batch holds
     * @param queueDepth how many events are available, with those beyond the batch limit
     */
    default void onBatchStart(long batchSize, long queueDepth) {}

    /** Called once by the processor's thread, before its first event. */
    default void onStart() {}

    /** Called once by the processor's thread, after its last event. */
    default void onShutdown() {}

    /**
     * Called when the wait strategy has timed out.
     *
     * @param sequence the last sequence that was handled
     * @throws Exception whatever goes to the exception handler
     */
    default void onTimeout(long sequence) throws Exception {}
}
