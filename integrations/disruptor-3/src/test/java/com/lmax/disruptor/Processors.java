package com.lmax.disruptor;

/** Makes processors by hand, in the way of this version. */
final class Processors {
    private Processors() {}

    static <T> BatchEventProcessor<T> of(RingBuffer<T> ring, SequenceBarrier barrier, EventHandler<T> handler) {
        return new BatchEventProcessor<>(ring, barrier, handler);
    }
}
