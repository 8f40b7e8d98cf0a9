package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.SlotMarks;
import org.jspecify.annotations.Nullable;

/*
 * EventLoop for a ring whose consumers shed: it looks before each event whether a publisher asks for room that its progress
 * stands in the way of. Where so, the batch ends before that event, with onBatchEnd and the progress as always; that may be all
 * that is needed, and what is not is dropped before the next batch begins. The first event of a batch is handled once the batch
 * has begun. Defined anew for each class of handlers, as EventLoop is; positions are those of EventLoop.
 */
final class SheddingLoop<E> extends AbstractLoop<E> {
    private final EventHandler<? super E> handler;
    private final DropOldestRequest<E> shedding;
    private final Object[] slots;
    private final SlotMarks aborts;
    private final Sequence sequence;
    private @Nullable SignalGroup downstream;
    private long batchSize;

    private long next;

    /** Called by LoopSpecializer, through a method handle. */
    SheddingLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node);
        this.handler = handler;
        this.shedding = Check.notNull(ring.dropOldest(), "shedding");
        this.slots = ring.slots();
        this.aborts = node.skips();
        this.sequence = node.sequence;
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
        if (available < lo) {
            return onEmptyPoll(lo);
        }
        long shed = Math.min(shedding.asked(), available);
        if (shed < lo) {
            return batch(lo, available);
        }
        return shed(shedding, lo, shed) ? finished(lo, shed, available) : 0;
    }

    private int batch(long first, long available) {
        long lo = first;
        long hi = lo + Math.min(available - lo, batchSize - 1);
        boolean anyAborted = aborts.anyFrom(lo);
        long last = hi;
        while (anyAborted && last >= lo && aborts.isSkipped(last)) {
            last--;
        }
        if (last >= lo) {
            node.enterBatch(hi);
            long position = lo - 1;
            while (position <= last + 1) {
                try {
                    if (position < lo) {
                        handler.onBatchStart(hi - lo + 1, available - lo + 1);
                        position = lo;
                    }
                    for (; position <= last; position++) {
                        if (position > lo && shedding.asked() >= lo) {
                            hi = position - 1; // the batch ends here; what is still asked for is dropped next
                            last = hi;
                            node.enterBatch(hi);
                        } else if (!anyAborted || !aborts.isSkipped(position)) {
                            handler.onEvent(event(position), position, position == last);
                        }
                    }
                    position = last + 1;
                    handler.onBatchEnd(hi);
                    position = last + 2;
                } catch (Throwable t) {
                    done = true; // before anything is called: see AbstractLoop
                    owed = t;
                    owedAt = position;
                    boolean atEvent = position >= lo && position <= last;
                    Action action =
                            failed(t, atEvent ? event(position) : null, Math.min(Math.max(position, lo), hi), position);
                    if (action == null) {
                        return 0;
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
        }
        return finished(first, hi, available);
    }

    private int finished(long lo, long hi, long available) {
        next = hi + 1;
        behind = hi < available;
        sequence.setRelease(hi); // release: the slots were read; dependents and producers acquire
        if (downstream != null) {
            downstream.signal();
        }
        onBatchDone();
        int size = (int) (hi - lo + 1);
        node.counts.batch(size);
        return size;
    }

    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    private E event(long position) {
        return (E) slots[(int) position & (slots.length - 1)];
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
