package io.sluice.ringbuffer.pipeline;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.ShedHandler;
import io.sluice.ringbuffer.SlotMarks;
import io.sluice.ringbuffer.jfr.RingEvents;
import org.jspecify.annotations.Nullable;

/**
 * A consumer that is polled by hand: no thread, no idle strategy, no failure policy. It gates the ring from its declaration
 * on, so it has to be polled. {@link #poll} belongs to one thread, the rest to any.
 *
 * @param <E> the events' type
 */
public final class EventPoller<E> {
    private final ConsumerNode<E> node;
    private final FollowedRing<E> ring;
    private SequenceBarrier barrier;
    private final Sequence sequence;
    private final @Nullable DropOldestRequest<E> shedding;
    private final @Nullable Messages records;

    /** What is passed over; known from the first event on, since nothing that decides it changes any more. */
    private @Nullable SlotMarks skips;

    private boolean rewires; // it is to follow a changed graph, which is asked for no more
    private boolean ending; // not all are told that it has ended

    EventPoller(ConsumerNode<E> node) {
        this.node = node;
        this.ring = node.ring;
        this.barrier = node.barrier();
        this.sequence = node.sequence;
        this.shedding = ring.dropOldest();
        this.records = ring.messages();
    }

    /**
     * Hands available events to a handler. Never blocks. Progress is published once, behind the
     * last event that the handler finished, also if it throws: the event that threw comes again with the next poll. On a ring built
     * with {@link io.sluice.ringbuffer.RingBufferBuilder#shedding} each event is a batch of its own, with progress behind it. There a
     * poll may drop more than the limit at once.
     *
     * @param handler whom to call
     * @param limit how many sequences at most, 1 or more; of messages, all that begin within them
     * @return how many sequences it advanced by, aborted ones included; 0 if nothing is available, the poller is paused, or
     *     the ring has ended
     * @throws IllegalArgumentException if the limit is below 1
     * @throws IllegalStateException if called from within a poll of this poller: it would hand out the same events again
     * @param <X> what the handler throws
     * @throws X what the handler throws
     */
    public <X extends Exception> int poll(PollHandler<? super E, X> handler, int limit) throws X {
        Check.notNull(handler, "handler");
        Check.inRange(limit, 1, Integer.MAX_VALUE, "limit");
        node.checkNotInHandler("poll");
        node.runBy(Thread.currentThread());
        DropOldestRequest<E> request = shedding;
        if (request == null) {
            long available = available();
            long lo = sequence.getPlain() + 1; // plain: this thread writes it
            if (available < lo) {
                return 0;
            }
            long hi = lo + Math.min(available - lo, limit - 1);
            return (int) deliver(handler, null, lo, hi);
        }
        return (int) Math.min(pollEach(handler, limit, request), Integer.MAX_VALUE);
    }

    /** Event by event: looks behind what is available whether it may be dropped, so none is handled that its upstream has dropped. */
    private <X extends Exception> long pollEach(
            PollHandler<? super E, X> handler, int limit, DropOldestRequest<E> request) throws X {
        long passed = 0;
        long available;
        long lo;
        while (passed < limit && (available = available()) >= (lo = sequence.getPlain() + 1)) { // plain: its own
            // read behind what is available
            long dropped = request.asked() < node.minAsk ? -1 : Math.min(request.asked(), available);
            passed += dropped < lo ? deliver(handler, null, lo, lo) : deliver(handler, request.handler(), lo, dropped);
        }
        return passed;
    }

    /** How far anything is available; before its next one if nothing is, or it does not go on. */
    private long available() {
        long lo = sequence.getPlain() + 1; // plain: this thread writes it
        if (node.owesSignal) {
            settle();
        }
        if (ending) {
            end();
        }
        if (node.isEnded() // ended is final, also if an open claim is published afterwards
                || (node.control() != 0 && !handleControl())) {
            return lo - 1;
        }
        long available = barrier.available(lo);
        if (available < lo
                && ring.life().state() == State.FAILED
                && node.upstreamEnded()
                && barrier.available(lo) < lo) {
            end();
        }
        return available;
    }

    /** Does what the poll before was cut off from. First of all: who follows sleeps meanwhile. */
    private void settle() {
        if (rewires) {
            barrier = node.barrier();
            rewires = false;
        }
        node.signalDownstream();
    }

    private void end() {
        ending = true;
        node.end();
        ending = false; // behind what a stack overflow may cut off, which is then done again
    }

    /** Hands a range to the handler, or drops it; publishes what is finished, also if that throws. How many sequences. */
    private <X extends Exception> long deliver(
            PollHandler<? super E, X> handler, @Nullable ShedHandler<? super E> dropping, long lo, long hi) throws X {
        return records == null
                ? deliverSlots(handler, dropping, lo, hi)
                : deliverMessages(records, handler, dropping, lo, hi);
    }

    private <X extends Exception> long deliverSlots(
            PollHandler<? super E, X> handler, @Nullable ShedHandler<? super E> dropping, long lo, long hi) throws X {
        SlotMarks aborts = skips();
        boolean anyAborted = aborts.anyFrom(lo);
        long last = hi;
        while (anyAborted && last >= lo && aborts.isSkipped(last)) {
            last--;
        }
        long position = lo;
        long shed = 0;
        node.enterBatch(hi);
        try {
            for (; position <= last; position++) {
                if (!anyAborted || !aborts.isSkipped(position)) {
                    if (dropping == null) {
                        handler.onEvent(ring.get(position), position, position == last);
                    } else {
                        dropping.onShed(node.name(), ring.get(position), position);
                        shed++;
                    }
                }
            }
            position = hi + 1;
        } finally {
            node.inHandler = false;
            dropped(dropping, shed);
            publishProgress(lo, position);
        }
        return position - lo;
    }

    /** From message to message: all that begin in the range. */
    private <X extends Exception> long deliverMessages(
            Messages messages,
            PollHandler<? super E, X> handler,
            @Nullable ShedHandler<? super E> dropping,
            long lo,
            long hi)
            throws X {
        SlotMarks marks = skips();
        SlotMarks finished = marks.anyFrom(lo) ? marks : null;
        long position = MessageLoop.live(messages, finished, lo, hi);
        long shed = 0;
        node.enterBatch(hi);
        try {
            while (position <= hi) {
                long following = MessageLoop.live(messages, finished, messages.next(position), hi);
                if (dropping == null) {
                    handler.onEvent(ring.get(position), position, following > hi);
                } else {
                    dropping.onShed(node.name(), ring.get(position), position);
                    shed++;
                }
                position = following;
            }
        } finally {
            node.inHandler = false;
            dropped(dropping, shed);
            publishProgress(lo, position);
        }
        return position - lo;
    }

    private void dropped(@Nullable ShedHandler<? super E> dropping, long shed) {
        if (dropping != null) {
            node.counts.shed(shed);
            RingEvents.shed(ring.name(), node.name(), shed);
        }
    }

    private void publishProgress(long lo, long position) {
        if (position - 1 > sequence.getPlain()) { // plain: this thread writes it
            sequence.setRelease(position - 1); // release: the slots were read; dependents and producers acquire
            node.owesSignal = true;
        }
        if (node.owesSignal) { // also where the handler's own progress was cut off
            node.signalDownstream();
        }
        if (position > lo) { // also where the handler has published the progress itself
            node.counts.batch((int) (position - lo));
        }
    }

    /** Does what is asked between two polls. */
    private boolean handleControl() {
        int asked = node.obey();
        if (asked == ConsumerNode.HALT) {
            end();
        } else if ((asked & ConsumerNode.REWIRE) != 0) {
            rewires = true; // with no call since it was withdrawn: what cuts this off leaves it to the next poll
            node.owesSignal = true;
            settle();
        }
        return ConsumerNode.mayContinue(asked);
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
    private SlotMarks skips() {
        SlotMarks marks = skips == null ? node.skips() : skips;
        skips = marks;
        return marks;
    }
}
