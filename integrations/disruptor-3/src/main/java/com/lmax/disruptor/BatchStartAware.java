package com.lmax.disruptor;

/** A handler that is told of each batch. */
public interface BatchStartAware {
    /**
     * Called by the processor's thread before the first event of each batch. Also called for a batch of none, where an event is
     * claimed and not published yet.
     *
     * @param batchSize how many events the batch holds; 0 or less if there are none
     */
    void onBatchStart(long batchSize);
}
