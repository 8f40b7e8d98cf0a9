package io.sluice.ringbuffer.pipeline;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.SlotMarks;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that is polled by hand: no thread, no idle strategy, no failure policy. It gates the ring from its declaration
 * on, so it has to be polled. {@link #poll} belongs to one thread, the rest to any.
 *
 * @param <E> the events' type
 */
public sealed class EventPoller<E> permits SheddingPoller {
    final ConsumerNode<E> node;
    final FollowedRing<E> ring;
    SequenceBarrier barrier;
    final Sequence sequence;

    /** For one consumer: of the kind that its ring needs. */
    static <E> EventPoller<E> of(ConsumerNode<E> node) {
        DropOldestRequest<E> shedding = node.ring.dropOldest();
        return shedding == null ? new EventPoller<>(node) : new SheddingPoller<>(node, shedding);
    }

    /** What is passed over; known from the first event on, since nothing that decides it changes any more. */
    private @Nullable SlotMarks skips;

    EventPoller(ConsumerNode<E> node) {
        this.node = node;
        this.ring = node.ring;
        this.barrier = node.barrier();
        this.sequence = node.sequence;
    }

    /**
     * Hands available events to a handler; its {@code onEvent} only. Never blocks. Progress is published once, behind the
     * last event that the handler finished, also if it throws: the event that threw comes again with the next poll.
     *
     * @param handler whom to call
     * @param limit how many sequences at most, 1 or more
     * @return how many sequences it went on, aborted ones included; 0 if nothing is available, or the ring has ended
     * @throws IllegalArgumentException if the limit is below 1
     * @throws IllegalStateException if called from within a poll of this poller: it would hand out the same events again
     * @throws Exception what the handler throws
     */
    public int poll(EventHandler<? super E> handler, int limit) throws Exception {
        Check.notNull(handler, "handler");
        Check.inRange(limit, 1, Integer.MAX_VALUE, "limit");
        node.checkNotInHandler("poll");
        node.runBy(Thread.currentThread());
        if (node.isEnded() // ended is final, also if an open claim is published afterwards
                || (node.control() != 0 && !handleControl())) {
            return 0;
        }
        long lo = sequence.getPlain() + 1; // plain: this thread writes it
        long available = barrier.available(lo);
        if (available < lo) {
            if (ring.life().state() == State.FAILED && node.upstreamEnded() && barrier.available(lo) < lo) {
                node.end();
            }
            return 0;
        }
        long hi = lo + Math.min(available - lo, limit - 1);
        SlotMarks aborts = skips();
        boolean anyAborted = aborts.anyFrom(lo);
        long last = hi;
        while (anyAborted && last >= lo && aborts.isSkipped(last)) {
            last--;
        }
        long position = lo;
        node.enterBatch(hi);
        try {
            for (; position <= last; position++) {
                if (!anyAborted || !aborts.isSkipped(position)) {
                    handler.onEvent(ring.get(position), position, position == last);
                }
            }
            position = hi + 1;
        } finally {
            node.leaveBatch();
            if (position - 1 > sequence.getPlain()) { // plain: this thread writes it
                sequence.setRelease(position - 1); // release: the slots were read; dependents and producers acquire
                node.counts.batch((int) (position - lo));
                if (node.downstream != null) {
                    node.downstream.signal();
                }
            }
        }
        return (int) (position - lo);
    }

    /** Does what is asked between two polls. */
    final boolean handleControl() {
        int asked = node.control();
        if ((asked & ConsumerNode.HALT) != 0) {
            node.end();
            return false;
        }
        if ((asked & ConsumerNode.HOLD) != 0) {
            node.confirmHold();
            return false;
        }
        if ((asked & ConsumerNode.LEAVE) != 0) {
            if (node.pipeline.graph.tryUnlink(node)) {
                node.end();
            }
            return false;
        }
        if ((asked & ConsumerNode.REWIRE) != 0) {
            node.withdraw(ConsumerNode.REWIRE); // first: a change after it asks again
            barrier = node.barrier();
            if (node.downstream != null) {
                node.downstream.signal();
            }
        }
        return (asked & ConsumerNode.PAUSE) == 0;
    }

    /**
     * Whether nothing more will come, because it has left or the ring has ended. Known after the poll that found it.
     *
     * @return true if polling can stop
     */
    public boolean isDone() {
        return node.isEnded();
    }

    /**
     * The poller as a consumer: its name, lag, progress.
     *
     * @return the consumer
     */
    public ConsumerHandle consumer() {
        return node;
    }

    /**
     * Its published progress.
     *
     * @return the last sequence finished
     */
    public SequenceView sequence() {
        return sequence;
    }

    /** What is passed over; known once the consumers before it are. */
    final SlotMarks skips() {
        SlotMarks marks = skips == null ? node.skips() : skips;
        skips = marks;
        return marks;
    }
}
