package com.lmax.disruptor;

import io.sluice.core.check.Check;

/** Builds processors. One thread. */
public final class BatchEventProcessorBuilder {
    private int maxBatchSize = Integer.MAX_VALUE;

    /** Creates a builder without a batch limit. */
    public BatchEventProcessorBuilder() {}

    /**
     * Sets how many events a batch holds at most, before the progress is stored.
     *
     * @param maxBatchSize the limit, 1 or more; checked by {@code build}
     * @return this
     */
    public BatchEventProcessorBuilder setMaxBatchSize(int maxBatchSize) {
        this.maxBatchSize = maxBatchSize;
        return this;
    }

    /**
     * Builds a processor.
     *
     * @param dataProvider gives the events
     * @param sequenceBarrier says how far it may go
     * @param eventHandler handles them
     * @param <T> the type of the events
     * @return a new processor
     * @throws IllegalArgumentException if the batch limit is lower than 1
     * @throws NullPointerException if an argument is null
     */
    public <T> BatchEventProcessor<T> build(
            DataProvider<T> dataProvider, SequenceBarrier sequenceBarrier, EventHandler<? super T> eventHandler) {
        Check.notNull(eventHandler, "eventHandler");
        BatchEventProcessor<T> processor =
                new BatchEventProcessor<>(dataProvider, sequenceBarrier, eventHandler, maxBatchSize, null);
        eventHandler.setSequenceCallback(processor.getSequence());
        return processor;
    }

    /**
     * Builds a processor that may hand a batch out again.
     *
     * @param dataProvider gives the events
     * @param sequenceBarrier says how far it may go
     * @param rewindableEventHandler handles them
     * @param batchRewindStrategy decides what comes of a {@link RewindableException}
     * @param <T> the type of the events
     * @return a new processor
     * @throws IllegalArgumentException if the batch limit is lower than 1
     * @throws NullPointerException if an argument is null
     */
    public <T> BatchEventProcessor<T> build(
            DataProvider<T> dataProvider,
            SequenceBarrier sequenceBarrier,
            RewindableEventHandler<? super T> rewindableEventHandler,
            BatchRewindStrategy batchRewindStrategy) {
        Check.notNull(batchRewindStrategy, "batchRewindStrategy");
        Check.notNull(rewindableEventHandler, "rewindableEventHandler");
        return new BatchEventProcessor<>(
                dataProvider, sequenceBarrier, rewindableEventHandler, maxBatchSize, batchRewindStrategy);
    }
}
