package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The consumers of a graph. Wired by one thread; locks, so that others may ask. */
final class ConsumerRepository {
    private final IdentityHashMap<Object, Consumer> byHandler = new IdentityHashMap<>();
    private final List<Consumer> consumers = new ArrayList<>();

    /** Adds a processor. Once: one that was added before stays as it is. */
    synchronized void add(EventProcessor processor, @Nullable Object handler, @Nullable SequenceBarrier barrier) {
        if (consumers.stream().anyMatch(known -> known.processor() == processor)) {
            return;
        }
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

    /** Null if the handler is not part of the graph. */
    synchronized @Nullable SequenceBarrier barrierOf(@Nullable Object handler) {
        @Nullable Consumer consumer = byHandler.get(handler);
        return consumer == null ? null : consumer.barrier();
    }

    /** Notes whom the consumers of these sequences follow. */
    synchronized void follow(Sequence[] sequences, Sequence[] followed) {
        for (Consumer consumer : consumers) {
            if (Arrays.asList(sequences).contains(consumer.processor().getSequence())) {
                consumer.followed = followed.clone();
            }
        }
    }

    /** Notes that the consumers of these sequences are workers of one pool. */
    synchronized void share(Sequence poolClaims, Sequence[] sequences) {
        for (Consumer consumer : consumers) {
            if (Arrays.asList(sequences).contains(consumer.processor().getSequence())) {
                consumer.poolClaims = poolClaims;
            }
        }
    }

    /**
     * Whether a consumer that is at work has events to come: those up to the cursor, but for what only a consumer could pass on that
     * has ended; and those of producers that wait for room, if all who gate have handled what is claimed. Allocates.
     *
     * @param starting whether the start is under way, so that a consumer without a thread gets one
     * @param mayHalt whether to halt those that have none to come, where others wait for a thread: they may hold it
     */
    boolean hasBacklog(RingBuffer<?> ring, boolean starting, boolean mayHalt) {
        boolean producerWaits = ring.getAsBoolean(); // before the cursor, which has the claim of who waits no longer
        long cursor = ring.getCursor();
        // where each consumer will be in the end; a sequence that is no consumer's may reach the cursor
        IdentityHashMap<Sequence, Long> ends = new IdentityHashMap<>();
        boolean backlog = false;
        boolean works = false;
        boolean lacksAThread = false;
        List<Consumer> done = new ArrayList<>();
        for (Consumer consumer : consumers()) { // who is followed stands before who follows
            long end = cursor;
            for (Sequence followed : consumer.followed) {
                end = Math.min(end, ends.getOrDefault(followed, cursor));
            }
            boolean atWork = consumer.isAtWork(starting); // before its progress: that of one that has ended is its last
            long progress = consumer.progress();
            works |= atWork;
            if (atWork && progress < end) {
                backlog = true;
                lacksAThread |= consumer.lacksAThread();
            } else if (consumer.processor().isRunning()) {
                done.add(consumer);
            }
            ends.put(consumer.processor().getSequence(), atWork ? end : progress);
        }
        if (lacksAThread && mayHalt) {
            done.forEach(consumer -> consumer.processor().halt());
        }
        // after the progress of each: who gates is behind now only if it has ended, or is no consumer of the graph
        return backlog || (producerWaits && works && ring.getMinimumGatingSequence() >= cursor);
    }
}
