package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.SlotMarks;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/*
 * The hot half of an event processor that handles the events of some keys only. Defined anew for each class of handlers, as
 * EventLoop is, so that both the handler and its key function are inlined.
 *
 * A batch has two passes: the first asks for the key of each live event and remembers where its own are; the second hands
 * those over, so that the last of them is known. Each key is asked for once. A batch without own events calls nobody, and
 * moves progress all the same.
 *
 * Steps in a batch [lo, hi] with `owned` own events:
 *   keyed <= hi     the key of `keyed` is due; nothing has been handed over
 *   step == -1      onBatchStart is due
 *   0 to owned - 1  that own event is due
 *   owned           onBatchEnd is due
 */
final class PartitionLoop<E> extends AbstractLoop<E> {
    /** Batches are not longer, so that what is remembered stays small. */
    private static final int LONGEST_BATCH = 1_024;

    private final EventHandler<? super E> handler;
    private final Partition<? super E> partition;
    private final ToLongFunction<? super E> key;
    private final Object[] slots;
    private final SlotMarks aborts;
    private final Sequence sequence;
    private final ConsumerCounters counts;
    private final int[] own;
    private @Nullable SignalGroup downstream;
    private long batchSize;

    private long next;

    /** Called by LoopSpecializer, through a method handle. */
    PartitionLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node);
        this.handler = handler;
        this.partition = Check.notNull(node.partition, "node.partition");
        this.key = partition.key();
        this.slots = ring.slots();
        this.aborts = node.skips();
        this.sequence = node.sequence;
        this.counts = node.counts;
        this.own = new int[Math.min(LONGEST_BATCH, Math.max(1, slots.length / 4))];
        this.downstream = node.downstream;
        this.batchSize = Math.min(node.batchSize(), own.length);
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
        boolean anyAborted = aborts.anyFrom(lo);
        node.enterBatch(hi);
        long from = lo;
        long keyed = lo;
        int owned = 0;
        int first = 0;
        int step = -1;
        while (step <= owned) {
            try {
                for (; keyed <= hi; keyed++) {
                    if ((!anyAborted || !aborts.isSkipped(keyed)) && partition.isOwn(key.applyAsLong(event(keyed)))) {
                        own[owned++] = (int) (keyed - lo);
                    }
                }
                if (owned > 0) {
                    if (step < 0) {
                        handler.onBatchStart(hi - from + 1, available - from + 1);
                        step = first;
                    }
                    for (; step < owned - 1; step++) {
                        long at = lo + own[step];
                        handler.onEvent(event(at), at, false);
                    }
                    if (step == owned - 1) {
                        long at = lo + own[step];
                        handler.onEvent(event(at), at, true);
                        step = owned;
                    }
                    handler.onBatchEnd(hi);
                }
                step = owned + 1;
            } catch (Throwable t) {
                done = true; // before anything is called: see AbstractLoop
                owed = t;
                owedAt = lo;
                boolean atKey = keyed <= hi;
                boolean atEvent = !atKey && step >= 0 && step < owned;
                long at = atKey ? keyed : atEvent ? lo + own[step] : step < 0 ? from : hi;
                // attempts are counted along the keys, then along what is handed over
                long position = atKey ? keyed : hi + 2 + step;
                Action action = failed(t, atKey || atEvent ? event(at) : null, at, position);
                if (action == null) {
                    return 0;
                } else if (action == Action.SKIP) {
                    if (atKey) {
                        keyed++;
                    } else {
                        step = step < 0 ? first : step + 1;
                    }
                } else if (!atKey) {
                    // plain: this thread writes it. The handler's own progress gave slots away: none comes again.
                    long kept = Math.max(lo, sequence.getPlain() + 1);
                    if (action == Action.REWIND_BATCH) {
                        from = kept;
                        first = ownFrom(kept - lo, owned);
                        step = first < owned ? -1 : owned;
                    } else if (atEvent) {
                        step = Math.max(step, ownFrom(kept - lo, owned));
                    }
                }
            }
        }
        node.leaveBatch();
        next = hi + 1;
        behind = hi < available;
        sequence.setRelease(hi); // release: the slots were read; dependents and producers acquire
        if (downstream != null) {
            downstream.signal();
        }
        onBatchDone();
        int size = (int) (hi - lo + 1);
        counts.batch(size);
        return size;
    }

    /** The first own event at this distance or further. */
    private int ownFrom(long distance, int owned) {
        int index = 0;
        while (index < owned && own[index] < distance) {
            index++;
        }
        return index;
    }

    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    private E event(long position) {
        return (E) slots[(int) position & (slots.length - 1)];
    }

    @Override
    void rewired() {
        batchSize = Math.min(node.batchSize(), own.length);
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
