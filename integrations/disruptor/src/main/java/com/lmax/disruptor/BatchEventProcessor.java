package com.lmax.disruptor;

import io.sluice.core.check.Check;
import org.jspecify.annotations.Nullable;

/**
 * Hands out events in batches: all that are available when it looks, up to a limit. One thread at a time runs it; {@link #halt} and
 * the other methods are for any thread.
 *
 * @param <T> the type of the events
 */
public final class BatchEventProcessor<T> extends BatchLoop<T> {
    private final EventHandlerBase<? super T> eventHandler;
    private final long batchLimit;
    private final @Nullable BatchRewindStrategy rewindStrategy;

    /** Written by the thread in run() only. */
    private int rewinds;

    BatchEventProcessor(
            DataProvider<T> dataProvider,
            SequenceBarrier sequenceBarrier,
            EventHandlerBase<? super T> eventHandler,
            int maxBatchSize,
            @Nullable BatchRewindStrategy rewindStrategy) {
        super(dataProvider, sequenceBarrier);
        Check.inRange(maxBatchSize, 1, Integer.MAX_VALUE, "maxBatchSize");
        this.eventHandler = eventHandler;
        this.batchLimit = maxBatchSize;
        this.rewindStrategy = rewindStrategy;
    }

    @Override
    void batch(long available) {
        long first = next;
        long last = Math.min(first + batchLimit - 1, available);
        long at = first;
        T event = null;
        try {
            eventHandler.onBatchStart(last - first + 1, available - first + 1);
            for (; at <= last; at++) {
                event = dataProvider.get(at);
                eventHandler.onEvent(event, at, at == last);
                event = null; // what the provider throws at the next one is not of this one
            }
            rewinds = 0;
            next = at;
            sequence.set(last); // release: gives the slots back
        } catch (Throwable thrown) {
            afterThrow(thrown, first, at, event);
        }
    }

    private void afterThrow(Throwable thrown, long first, long at, @Nullable T event) {
        Throwable toTell = thrown;
        if (thrown instanceof RewindableException rewindable) {
            if (rewindStrategy == null) {
                toTell = new UnsupportedOperationException(
                        "the handler must be a RewindableEventHandler to throw a RewindableException, but was "
                                + eventHandler.getClass().getName(),
                        thrown);
            } else {
                try {
                    if (rewindStrategy.handleRewindException(rewindable, ++rewinds) == RewindAction.REWIND) {
                        next = Math.max(first, sequence.get() + 1); // the handler may have given slots back
                        return;
                    }
                    rewinds = 0;
                } catch (Throwable failed) {
                    toTell = failed;
                }
            }
        }
        passOver(toTell, at, event);
    }

    @Override
    void tellNothing(long available) {
        rewinds = 0;
    }

    @Override
    void tellStart() {
        eventHandler.onStart();
    }

    @Override
    void tellShutdown() {
        eventHandler.onShutdown();
    }

    @Override
    void tellTimeout(long handled) throws Exception {
        eventHandler.onTimeout(handled);
    }
}
