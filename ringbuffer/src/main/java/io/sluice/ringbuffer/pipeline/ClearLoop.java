package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import org.jspecify.annotations.Nullable;

/*
 * The loop of the clearing consumer, which follows all leaves. Unlike a handler it gets aborted events too: their producer may
 * have filled them. On a ring that retains n events for those who join later it clears n behind its progress, so that what may
 * still be handled is whole: who joins does so at base - n + 1 at the lowest, where base is not below this consumer's progress,
 * which rests meanwhile; and a slot is claimed again only after the progress has passed it by n.
 */
final class ClearLoop<E> extends AbstractLoop<E> {
    private final EventClearer<? super E> clearer;
    private final Object[] slots;
    private final Sequence sequence;
    private final int retained;
    private @Nullable SignalGroup downstream;
    private long batchSize;

    private long next;

    ClearLoop(ConsumerNode<E> node, EventClearer<? super E> clearer) {
        super(node);
        this.clearer = clearer;
        this.slots = ring.slots();
        this.sequence = node.sequence;
        this.retained = ring.slots().length - ring.window();
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
        return available < lo ? onEmptyPoll(lo) : batch(lo, available);
    }

    private int batch(long lo, long available) {
        long hi = lo + Math.min(available - lo, batchSize - 1);
        node.enterBatch(hi);
        long position = lo;
        while (position <= hi) {
            try {
                for (; position <= hi; position++) {
                    if (position >= retained) {
                        clearer.clear(event(position - retained));
                    }
                }
            } catch (Throwable t) {
                done = true; // before anything is called: see AbstractLoop
                owed = t;
                owedAt = position - retained;
                Action action = failed(t, event(position - retained), position - retained, position);
                if (action == null) {
                    return 0;
                } else if (action == Action.SKIP) {
                    position++;
                }
            }
        }
        node.leaveBatch();
        next = hi + 1;
        behind = hi < available;
        sequence.setRelease(hi); // release: the slots are empty; producers acquire
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
    void handlerStart() {}

    @Override
    void handlerTimeout(long lastHandled) {}

    @Override
    void handlerShutdown() {}
}
