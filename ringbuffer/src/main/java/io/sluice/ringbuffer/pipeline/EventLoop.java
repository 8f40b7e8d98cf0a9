package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.ringbuffer.SlotMarks;
import org.jspecify.annotations.Nullable;

/*
 * The hot half of an event processor for handlers of single events. Never used as it is where that can be helped: LoopSpecializer
 * defines this class anew, from the same bytes, for each class of handlers, so that each has its own profile and its handler
 * is inlined. So it holds all that the loop touches in fields of its own.
 *
 * The usual batch has one straight way: a single event that somebody waits for is handed out a fifth sooner than by the loop
 * that can also pass over what was aborted, grow, skip, retry and rewind.
 *
 * Position in a batch [lo, hi] whose last live event is `last`:
 *   lo - 1      onBatchStart is due
 *   lo to last  the event is due
 *   last + 1    onBatchEnd is due
 *   last + 2    done: progress is published
 */
final class EventLoop<E> extends AbstractLoop<E> {
    private final EventHandler<? super E> handler;
    private final Object[] slots;
    private final SlotMarks aborts;
    private final Sequence sequence;
    private final ConsumerCounters counts;
    private final boolean extendsBatch;
    private @Nullable SignalGroup downstream;
    private long batchSize;

    private long next;

    // Of the present batch: how far it reaches, and what was there when it was last looked.
    private long batchEnd;
    private long seen;

    /** Called by LoopSpecializer, through a method handle. */
    EventLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node);
        this.handler = handler;
        this.slots = ring.slots();
        this.aborts = node.skips();
        this.sequence = node.sequence;
        this.counts = node.counts;
        this.extendsBatch = handler.extendsBatch();
        this.downstream = node.downstream;
        this.batchSize = node.batchSize();
        this.next = sequence.getPlain() + 1;
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
        return available < lo ? onEmptyPoll(lo) : batch(lo, available);
    }

    private int batch(long lo, long available) {
        long hi = lo + Math.min(available - lo, batchSize - 1);
        batchEnd = hi;
        seen = available;
        long position = lo - 1;
        Throwable thrown = null;
        if (!extendsBatch && !aborts.anyFrom(lo)) {
            node.enterBatch(hi);
            try {
                handler.onBatchStart(hi - lo + 1, available - lo + 1);
                for (position = lo; position <= hi; position++) {
                    handler.onEvent(event(position), position, position == hi); // the one call: it is inlined once
                }
                handler.onBatchEnd(hi);
                position = hi + 2;
            } catch (Throwable t) {
                done = true; // before anything is called: see AbstractLoop
                owed = t;
                owedAt = position;
                thrown = t;
            }
            node.leaveBatch();
        }
        if (position < hi + 2 && !restOfBatch(lo, position, thrown)) {
            return 0;
        }
        return finished(lo);
    }

    /** All up to batchEnd is handled. */
    private int finished(long first) {
        long hi = batchEnd;
        next = hi + 1;
        behind = hi < seen;
        sequence.setRelease(hi); // release: the slots were read; dependents and producers acquire
        if (downstream != null) {
            downstream.signal();
        }
        onBatchDone();
        int size = (int) (hi - first + 1);
        counts.batch(size);
        return size;
    }

    /**
     * Handles what is left of a batch in which not all is as usual: aborted claims, a batch that may grow, a failure. It stands
     * by itself so that the usual way is short, and compiled in one piece with its handler.
     *
     * @param thrown what was thrown at the position, null if nothing was yet
     * @return whether the batch is handled, up to batchEnd; false if the processor has ended, or gives up
     */
    private boolean restOfBatch(long first, long from, @Nullable Throwable thrown) {
        long lo = first;
        long hi = batchEnd;
        boolean anyAborted = aborts.anyFrom(lo);
        long last = anyAborted ? lastLive(lo, hi) : hi;
        if (last < lo) {
            return true;
        }
        node.enterBatch(hi);
        long position = from;
        Throwable failure = thrown;
        while (position <= last + 1) {
            if (failure == null) {
                try {
                    if (position < lo) {
                        handler.onBatchStart(hi - lo + 1, seen - lo + 1);
                        position = lo;
                    }
                    for (; position < last; position++) {
                        if (!anyAborted || !aborts.isSkipped(position)) {
                            handler.onEvent(event(position), position, false);
                        }
                    }
                    if (position == last) {
                        if (extendsBatch && extended(first, hi) > hi) {
                            hi = batchEnd;
                            anyAborted = aborts.anyFrom(lo);
                            last = anyAborted ? lastLive(lo, hi) : hi; // not before position, which is live
                            continue;
                        }
                        handler.onEvent(event(last), last, true);
                        position = last + 1;
                    }
                    handler.onBatchEnd(hi);
                    position = last + 2;
                } catch (Throwable t) {
                    done = true; // before anything is called: see AbstractLoop
                    owed = t;
                    owedAt = position;
                    failure = t;
                }
            }
            if (failure != null) {
                boolean atEvent = position >= lo && position <= last;
                Action action = failed(
                        failure, atEvent ? event(position) : null, Math.min(Math.max(position, lo), hi), position);
                failure = null;
                if (action == null) {
                    return false;
                } else if (action == Action.SKIP) {
                    position++;
                } else {
                    // plain: this thread writes it. The handler's own progress gave slots away: none comes again.
                    long kept = Math.min(sequence.getPlain(), last) + 1;
                    if (action == Action.REWIND_BATCH) {
                        lo = kept;
                        position = lo <= last ? lo - 1 : last + 1;
                    } else if (atEvent) {
                        position = Math.max(position, kept);
                    }
                }
            }
        }
        node.leaveBatch();
        return true;
    }

    /** Looks whether a batch that reaches to hi can be longer; how far it reaches then. */
    private long extended(long first, long hi) {
        batchEnd = hi;
        if (hi - first + 1 < batchSize) {
            seen = barrier.available(hi + 1);
            if (seen > hi) {
                batchEnd = first + Math.min(seen - first, batchSize - 1);
                node.enterBatch(batchEnd);
            }
        }
        return batchEnd;
    }

    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    private E event(long position) {
        return (E) slots[(int) position & (slots.length - 1)];
    }

    private long lastLive(long lo, long hi) {
        long last = hi;
        while (last >= lo && aborts.isSkipped(last)) {
            last--;
        }
        return last;
    }

    @Override
    void rewired() {
        batchSize = node.batchSize();
        downstream = node.downstream;
        if (downstream != null) {
            downstream.signal();
        }
    }

    @Override
    void handlerStart() {
        handler.onStart();
    }

    @Override
    void handlerTimeout(long lastHandled) {
        handler.onTimeout(lastHandled);
    }

    @Override
    long handlerTimeoutAfter() {
        return handler.timeoutAfterNanos();
    }

    @Override
    void handlerShutdown() {
        handler.onShutdown();
    }
}
