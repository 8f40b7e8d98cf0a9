package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.ringbuffer.SlotMarks;

/*
 * The hot half of an event processor for handlers of ranges. All of them share this class, see LoopSpecializer. A handler of ranges owns
 * its loop: so on a ring whose consumers shed, events are dropped between its batches.
 */
final class BatchLoop<E> extends AbstractLoop<E> {
    private final BatchHandler<E> ranges;
    private final SlotMarks aborts;
    private long next;

    BatchLoop(ConsumerNode<E> node, BatchHandler<E> handler) {
        super(node, (event, sequence, endOfBatch) -> {}); // handlers of ranges have no other method
        this.ranges = handler;
        this.aborts = node.skips();
        this.next = sequence.getPlain() + 1;
        takeSettings();
    }

    @Override
    public int doWork() {
        if (!canRun()) {
            return 0;
        }
        long lo = next;
        long available = barrier.available(lo);
        for (int again = looksAgain; available < lo && again > 0; again--) {
            Thread.onSpinWait();
            available = barrier.available(lo);
        }
        if (available < lo) {
            return onEmptyPoll(lo);
        }
        long dropped = dropLimit(available);
        if (shedding == null || dropped < lo || shedding.asked() < node.minAsk) {
            return batch(lo, available);
        }
        return shed(lo, dropped) ? finished(lo, dropped, available) : 0;
    }

    private int batch(long lo, long available) {
        long hi = lo + Math.min(available - lo, batchSize - 1);
        boolean anyAborted = aborts.anyFrom(lo);
        long position = lo;
        while (position <= hi) {
            long from = anyAborted ? due(position, hi) : position;
            if (from > hi) {
                position = from;
                break;
            }
            long to = anyAborted ? lastOfLive(from, hi) : hi;
            node.enterBatch(hi);
            try {
                long finished = ranges.onBatch(ring, from, to);
                if (finished < from - 1 || finished > to) {
                    throw new IllegalStateException("onBatch(" + from + ", " + to + ") must return a sequence from "
                            + (from - 1) + " to " + to + ", but returned " + finished);
                }
                position = finished + 1;
                if (finished < to) {
                    break;
                }
            } catch (Throwable t) {
                done = true; // before anything is called: see LoopFailures
                pendingFailure = t;
                pendingFailureAt = from;
                Action action = failed(t, null, from, from);
                if (action == null) {
                    return 0;
                } else if (action == Action.SKIP) {
                    position = to + 1;
                } else {
                    // plain: this thread writes it. What the handler's own progress gave away does not come again.
                    long kept = sequence.getPlain() + 1;
                    position = action == Action.REWIND_BATCH ? kept : Math.max(from, kept);
                }
            }
        }
        node.inHandler = false;
        return finished(
                lo, Math.max(position - 1, sequence.getPlain()), available); // plain; the handler's own may be ahead
    }

    /** All up to `hi` is finished, which may be nothing. */
    private int finished(long lo, long hi, long available) {
        if (hi > sequence.getPlain()) { // plain: this thread writes it
            sequence.setRelease(hi); // release: the slots were read; dependents and producers acquire
            next = hi + 1; // before what may be cut off: what was given away does not come again
            if (downstream != null) {
                node.owesSignal = true; // what cuts the signal off leaves it to the next call
                downstream.signal();
                node.owesSignal = false;
            }
        }
        next = hi + 1;
        behind = hi < available;
        int size = (int) (next - lo);
        if (size > 0) {
            onBatchDone();
            counts.batch(size);
        } else {
            tryAgainSoon();
        }
        return size;
    }

    @Override
    long due(long from, long hi) {
        long live = from;
        while (live <= hi && aborts.isSkipped(live)) {
            live++;
        }
        return live;
    }

    private long lastOfLive(long from, long hi) {
        long last = from;
        while (last < hi && !aborts.isSkipped(last + 1)) {
            last++;
        }
        return last;
    }
}
