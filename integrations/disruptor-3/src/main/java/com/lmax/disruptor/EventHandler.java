package com.lmax.disruptor;

/**
 * Handles the events of a ring, one after another, in the order of their sequences. Called by the thread that runs the handler's
 * processor.
 *
 * <p>A handler that is also {@link LifecycleAware}, {@link BatchStartAware}, {@link TimeoutHandler} or {@link
 * SequenceReportingEventHandler} is told of that too.
 *
 * @param <T> the type of the events
 */
public interface EventHandler<T> {
    /**
     * Handles one event.
     *
     * @param event the event
     * @param sequence its sequence
     * @param endOfBatch whether it is the last of its batch
     * @throws Exception whatever goes to the exception handler
     */
    void onEvent(T event, long sequence, boolean endOfBatch) throws Exception;
}
