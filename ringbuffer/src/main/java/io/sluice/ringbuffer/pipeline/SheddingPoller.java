package io.sluice.ringbuffer.pipeline;

import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.jfr.RingEvents;

/**
 * A poller of a ring whose consumers shed. It goes event by event, each a batch of its own, and looks behind what is available
 * whether it may be dropped: an event that its upstream has dropped is never handled. What is dropped at once may go beyond the
 * limit of the poll.
 */
final class SheddingPoller<E> extends EventPoller<E> {
    private final DropOldestRequest<E> shedding;

    SheddingPoller(ConsumerNode<E> node, DropOldestRequest<E> shedding) {
        super(node);
        this.shedding = shedding;
    }

    @Override
    public int poll(EventHandler<? super E> handler, int limit) throws Exception {
        Check.notNull(handler, "handler");
        Check.inRange(limit, 1, Integer.MAX_VALUE, "limit");
        node.checkNotInHandler("poll");
        node.runBy(Thread.currentThread());
        long passed = 0;
        while (passed < limit && !node.isEnded() && (node.control() == 0 || handleControl())) {
            long lo = sequence.getPlain() + 1; // plain: this thread writes it
            long available = barrier.available(lo);
            if (available < lo) {
                if (ring.life().state() == State.FAILED && node.upstreamEnded() && barrier.available(lo) < lo) {
                    node.end();
                }
                break;
            }
            long hi = Math.min(shedding.asked(), available); // read behind what is available
            if (hi < lo) {
                handle(handler, lo);
                passed++;
            } else {
                shed(lo, hi);
                passed += hi - lo + 1;
            }
        }
        return (int) Math.min(passed, Integer.MAX_VALUE);
    }

    private void handle(EventHandler<? super E> handler, long position) throws Exception {
        if (!skips().isSkipped(position)) {
            node.enterBatch(position);
            try {
                handler.onEvent(ring.get(position), position, true);
            } finally {
                node.leaveBatch();
            }
        }
        finished(position, position);
    }

    private void shed(long lo, long hi) throws Exception {
        long position = lo;
        long shed = 0;
        node.enterBatch(hi);
        try {
            for (; position <= hi; position++) {
                if (!skips().isSkipped(position)) {
                    shedding.handler().onShed(node.name(), ring.get(position), position);
                    shed++;
                }
            }
        } finally {
            node.leaveBatch();
            node.counts.shed(shed);
            RingEvents.shed(ring.name(), node.name(), shed);
            finished(lo, position - 1);
        }
    }

    private void finished(long lo, long hi) {
        if (hi > sequence.getPlain()) { // plain: this thread writes it
            sequence.setRelease(hi); // release: the slots were read; dependents and producers acquire
            node.counts.batch((int) (hi - lo + 1));
            if (node.downstream != null) {
                node.downstream.signal();
            }
        }
    }
}
