package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;

/**
 * Makes a processor of the program's own for a graph.
 *
 * @param <T> the type of the events
 */
public interface EventProcessorFactory<T> {
    /**
     * Makes a processor. Called where the graph is wired.
     *
     * @param ringBuffer the ring
     * @param barrierSequences whom it follows, for {@link RingBuffer#newBarrier}
     * @return a new processor
     */
    EventProcessor createEventProcessor(RingBuffer<T> ringBuffer, Sequence[] barrierSequences);
}
