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

    /** The handler's barrier; null if the handler is not part of the graph. */
    synchronized @Nullable SequenceBarrier barrierOf(@Nullable Object handler) {
        @Nullable Consumer consumer = byHandler.get(handler);
        return consumer == null ? null : consumer.barrier();
    }

    /** Notes which sequences the consumers of these sequences follow. */
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

    /** The result of a look at all consumers. */
    enum Look {
        /** All that was published is handled. */
        DONE,

        /**
         * It was, but the cursor has moved since: a handler may have published, so its own event may be left. Or a producer that has
         * waited has room for one event, though a consumer that has ended gates: nobody says whether it waits for more.
         */
        MOVED,

        /** Events are to come. */
        BACKLOG
    }

    /**
     * Whether a consumer that is at work has events to come: those up to the cursor, except events that only an ended consumer
     * could pass on; and those of producers that wait for room, unless only an ended consumer could give them room. A gating
     * sequence that is no consumer's counts as alive. Allocates.
     *
     * @param launcher starts those again that have lent their thread and have events to come
     * @param starting whether the start is under way, so that a consumer without a thread gets one
     * @param mayHalt whether to halt those that have nothing to do now, where others wait for a thread: they may hold it
     */
    Look look(RingBuffer<?> ring, Launcher launcher, boolean starting, boolean mayHalt) {
        boolean producerWaits = ring.getAsBoolean(); // before the cursor, which has the claim of who waits no longer
        long cursor = ring.getCursor();
        List<Consumer> all = consumers();
        boolean[] atWork = new boolean[all.size()];
        long[] progress = new long[all.size()];
        boolean works = false;
        for (int i = 0; i < atWork.length; i++) {
            atWork[i] = all.get(i).isAtWork(starting); // before its progress: that of one that has ended is its last
            progress[i] = all.get(i).progress();
            works |= atWork[i];
        }
        // where each consumer will be in the end; a sequence that is no consumer's may reach the cursor
        IdentityHashMap<Sequence, Long> ends = new IdentityHashMap<>();
        for (int pass = 0; pass < atWork.length; pass++) { // a follower may stand before those whom it follows
            for (int i = 0; i < atWork.length; i++) {
                Consumer consumer = all.get(i);
                ends.put(consumer.processor().getSequence(), atWork[i] ? endOf(consumer, ends, cursor) : progress[i]);
            }
        }
        boolean backlog = false;
        boolean lacksAThread = false;
        List<Consumer> idle = new ArrayList<>();
        for (int i = 0; i < atWork.length; i++) {
            Consumer consumer = all.get(i);
            boolean hasNone = progress[i] >= consumer.available(cursor); // for now: others may be before it
            if (atWork[i] && progress[i] < endOf(consumer, ends, cursor)) {
                backlog = true;
                if (!hasNone) {
                    consumer.startAgain(launcher);
                }
                lacksAThread |= consumer.lacksAThread();
            }
            if (hasNone && consumer.processor().isRunning()) {
                idle.add(consumer);
            }
        }
        if (lacksAThread && mayHalt) {
            idle.forEach(Consumer::lendThread);
        }
        if (backlog || (producerWaits && works && mayGetRoom(ends, ring.getMinimumGatingSequence(), cursor))) {
            return Look.BACKLOG;
        }
        // after the progress of each: what a handler has published comes before that
        return works && hasMoved(ring, cursor, producerWaits) ? Look.MOVED : Look.DONE;
    }

    private static long endOf(Consumer consumer, IdentityHashMap<Sequence, Long> ends, long cursor) {
        long end = cursor;
        for (Sequence followed : consumer.followed) {
            end = Math.min(end, ends.getOrDefault(followed, cursor));
        }
        return end;
    }

    /** Whether the cursor has moved, or is to move soon, since a producer that has waited has room. */
    private static boolean hasMoved(RingBuffer<?> ring, long cursor, boolean producerWaits) {
        return ring.getCursor() != cursor
                || (producerWaits && ring.getMinimumGatingSequence() > cursor - ring.getBufferSize());
    }

    /** Whether the lowest gate may still move. One of the graph does not if its consumer, or one that feeds it, has ended. */
    private static boolean mayGetRoom(IdentityHashMap<Sequence, Long> ends, long lowestGate, long cursor) {
        return ends.values().stream().noneMatch(end -> end < cursor && end == lowestGate);
    }
}
