package com.lmax.disruptor;

/** Makes processors by hand, in the way of this version. */
final class Processors {
    private Processors() {}

    static <T> BatchEventProcessor<T> of(DataProvider<T> events, SequenceBarrier barrier, EventHandler<T> handler) {
        return new BatchEventProcessor<>(events, barrier, handler);
    }
}
