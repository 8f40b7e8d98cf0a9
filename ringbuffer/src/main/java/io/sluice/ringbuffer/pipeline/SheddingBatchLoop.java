package io.sluice.ringbuffer.pipeline;

import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DropOldestRequest;

/** BatchLoop for a ring whose consumers shed: a handler of ranges owns its loop, so events are dropped between its batches; and this one is shared. */
final class SheddingBatchLoop<E> extends BatchLoop<E> {
    private final DropOldestRequest<E> shedding;

    SheddingBatchLoop(ConsumerNode<E> node, BatchHandler<E> handler) {
        super(node, handler);
        this.shedding = Check.notNull(ring.dropOldest(), "shedding");
    }

    @Override
    public int doWork() {
        if (!canRun()) {
            return 0;
        }
        long lo = next;
        long available = barrier.available(lo);
        if (available < lo) {
            return onEmptyPoll(lo);
        }
        long shed = Math.min(shedding.asked(), available);
        if (shed < lo) {
            return batch(lo, available);
        }
        if (!shed(shedding, lo, shed)) {
            return 0;
        }
        next = shed + 1;
        behind = shed < available;
        node.sequence.setRelease(shed); // release: the slots were read; dependents and producers acquire
        if (node.downstream != null) {
            node.downstream.signal();
        }
        onBatchDone();
        node.counts.batch((int) (shed - lo + 1));
        return (int) (shed - lo + 1);
    }
}
