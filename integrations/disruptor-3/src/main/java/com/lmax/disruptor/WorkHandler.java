package com.lmax.disruptor;

/**
 * Handles events that are shared out among several handlers: each event goes to one of them. Called by the thread that runs the
 * handler's {@link WorkProcessor}.
 *
 * <p>A handler that is also {@link LifecycleAware}, {@link TimeoutHandler} or {@link EventReleaseAware} is told of that too.
 *
 * @param <T> the type of the events
 */
public interface WorkHandler<T> {
    /**
     * Handles one event.
     *
     * @param event the event
     * @throws Exception whatever goes to the exception handler
     */
    void onEvent(T event) throws Exception;
}
