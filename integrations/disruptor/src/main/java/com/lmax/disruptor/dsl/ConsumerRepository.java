package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The consumers of a graph. Wired by one thread; locks, so that others may ask. */
final class ConsumerRepository {
    private final IdentityHashMap<Object, Consumer> byHandler = new IdentityHashMap<>();
    private final List<Consumer> consumers = new ArrayList<>();

    synchronized void add(EventProcessor processor, @Nullable Object handler, @Nullable SequenceBarrier barrier) {
        Consumer consumer = new Consumer(processor, barrier);
        if (handler != null) {
            byHandler.put(handler, consumer);
        }
        consumers.add(consumer);
    }

    synchronized List<Consumer> consumers() {
        return List.copyOf(consumers);
    }

    synchronized Consumer consumerOf(Object handler) {
        @Nullable Consumer consumer = byHandler.get(handler);
        if (consumer == null) {
            throw new IllegalArgumentException("handler must be part of the graph, but was " + handler);
        }
        return consumer;
    }

    synchronized void areFollowed(Sequence... sequences) {
        for (Sequence sequence : sequences) {
            for (Consumer consumer : consumers) {
                if (consumer.processor().getSequence() == sequence) {
                    consumer.isFollowed();
                }
            }
        }
    }

    /** Whether a consumer at the end of a chain is behind, and at work. */
    boolean hasBacklog(long cursor) {
        for (Consumer consumer : consumers()) {
            if (consumer.isEndOfChain() && consumer.isBehind(cursor) && consumer.isAtWork()) {
                return true;
            }
        }
        return false;
    }
}
