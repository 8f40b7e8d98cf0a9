package com.lmax.disruptor;

/**
 * Hands each event to several handlers in turn, on one thread. The first that throws ends it for that event.
 *
 * @param <T> the type of the events
 */
@SuppressWarnings("varargs") // only read
public final class AggregateEventHandler<T> implements EventHandler<T>, LifecycleAware {
    private final EventHandler<T>[] eventHandlers;

    /**
     * Creates a handler.
     *
     * @param eventHandlers who gets each event, in this order
     */
    @SafeVarargs
    public AggregateEventHandler(EventHandler<T>... eventHandlers) {
        this.eventHandlers = eventHandlers.clone();
    }

    @Override
    public void onEvent(T event, long sequence, boolean endOfBatch) throws Exception {
        for (EventHandler<T> handler : eventHandlers) {
            handler.onEvent(event, sequence, endOfBatch);
        }
    }

    @Override
    public void onStart() {
        for (EventHandler<T> handler : eventHandlers) {
            if (handler instanceof LifecycleAware aware) {
                aware.onStart();
            }
        }
    }

    @Override
    public void onShutdown() {
        for (EventHandler<T> handler : eventHandlers) {
            if (handler instanceof LifecycleAware aware) {
                aware.onShutdown();
            }
        }
    }
}
