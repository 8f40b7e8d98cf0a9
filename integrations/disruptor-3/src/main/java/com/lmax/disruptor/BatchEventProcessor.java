package com.lmax.disruptor;

import io.sluice.core.check.Check;
import org.jspecify.annotations.Nullable;

/**
 * Hands out events in batches: all that are available when it looks. One thread at a time runs it; {@link #halt} and the other
 * methods are for any thread.
 *
 * @param <T> the type of the events
 */
public final class BatchEventProcessor<T> extends BatchLoop<T> {
    private final EventHandler<? super T> eventHandler;
    private final @Nullable BatchStartAware batchStartAware;

    /**
     * Creates a processor.
     *
     * @param dataProvider gives the events
     * @param sequenceBarrier says how far it may go
     * @param eventHandler handles them
     * @throws NullPointerException if an argument is null
     */
    public BatchEventProcessor(
            DataProvider<T> dataProvider, SequenceBarrier sequenceBarrier, EventHandler<? super T> eventHandler) {
        super(dataProvider, sequenceBarrier);
        this.eventHandler = Check.notNull(eventHandler, "eventHandler");
        batchStartAware = eventHandler instanceof BatchStartAware aware ? aware : null;
        if (eventHandler instanceof SequenceReportingEventHandler<?> reporting) {
            reporting.setSequenceCallback(sequence);
        }
    }

    @Override
    void batch(long available) {
        long at = next;
        T event = null;
        try {
            if (batchStartAware != null) {
                batchStartAware.onBatchStart(available - at + 1);
            }
            for (; at <= available; at++) {
                event = dataProvider.get(at);
                eventHandler.onEvent(event, at, at == available);
                event = null; // what the provider throws at the next one is not of this one
            }
            next = at;
            sequence.set(available); // release: gives the slots back
        } catch (Throwable thrown) {
            passOver(thrown, at, event);
        }
    }

    @Override
    void tellNothing(long available) {
        if (batchStartAware != null) {
            batchStartAware.onBatchStart(available - next + 1); // as version 3 does: a batch of none
        }
    }

    @Override
    void tellStart() {
        if (eventHandler instanceof LifecycleAware aware) {
            aware.onStart();
        }
    }

    @Override
    void tellShutdown() {
        if (eventHandler instanceof LifecycleAware aware) {
            aware.onShutdown();
        }
    }

    @Override
    void tellTimeout(long handled) throws Exception {
        if (eventHandler instanceof TimeoutHandler aware) {
            aware.onTimeout(handled);
        }
    }
}
