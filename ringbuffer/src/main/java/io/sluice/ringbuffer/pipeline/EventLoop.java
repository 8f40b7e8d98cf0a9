package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.SlotMarks;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/*
 * The hot half of every event processor for handlers of single events. Never used as it is where that can be helped:
 * LoopSpecializer defines this class anew, from the same bytes, for each class of handlers, so that each has its own profile and
 * its handler is inlined. What AbstractLoop does for all of them is called without a table, and calls no handler's onEvent.
 *
 * The usual batch has one straight way: a single event that somebody waits for is handed out a fifth sooner than by the loop
 * that can also pass over, grow, be cut, skip, retry and rewind. All that is not usual goes to handleUnusualBatch, which is written once:
 *
 *   where a batch comes from   the barrier; or, for a worker, the events that no colleague has taken, one at a time
 *   what is passed over        what was aborted, or finished upstream; for a part of a stage divided by key, what is not its own
 *   where it may end sooner    before an event that a publisher asks to drop; what is still asked for then is dropped, in place
 *                              of the next batch
 *   where it may end later     behind what has come meanwhile, if the handler extends its batches
 *
 * Position in a batch [lo, hi] whose last event that is not passed over is `last`:
 *   lo - 1      onBatchStart is due
 *   lo to last  the event is due
 *   last + 1    onBatchEnd is due
 *   last + 2    done: progress is published
 *
 * A worker owes nothing between two events: so that is where it is halted, held, paused, rewired, and where it leaves. Within an
 * event it stays, retries included, until the event is done or its policy halts it; only the end of the ring ends an endless
 * retry. Halted by its policy, it leaves the event without a mark and stops its colleagues: nothing behind it would ever reach
 * those who follow.
 *
 * The clearer gets aborted events too: their producer may have filled them. On a ring that retains n events for those who join
 * later it clears n behind its progress, so that what may still be handled is whole: who joins does so at base - n + 1 at the
 * lowest, where base is not below this consumer's progress, which rests meanwhile; and a slot is claimed again only after the
 * progress has passed it by n.
 */
final class EventLoop<E> extends AbstractLoop<E> {
    private final Object[] slots;
    private final SlotMarks aborts;
    private final boolean usual;

    /** The first position not handled. A worker's: the first that nobody had taken when it last looked. */
    private long next;

    // Of the present batch: how far it reaches, and what was there when it was last looked.
    private long batchEnd;
    private long seen;

    // what is not usual
    private final boolean clears;
    private final boolean extendsBatch;
    private final int retained; // how far behind its progress the clearer clears
    private final @Nullable PartitionEvents<E> own;
    private boolean anyAborted; // in the present batch

    /** Called by LoopSpecializer, through a method handle. */
    EventLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node, handler);
        this.slots = ring.slots();
        int capacity = (int) ring.capacity();
        this.clears = node.kind == ConsumerKind.CLEARER;
        this.aborts = clears ? new SlotMarks(1) : node.skips();
        this.extendsBatch = node.kind == ConsumerKind.EVENTS && handler.extendsBatch();
        this.retained = clears ? capacity - ring.window() : 0;
        this.own = node.partition == null ? null : new PartitionEvents<>(node.partition, capacity);
        this.usual = !extendsBatch && retained == 0 && work == null && own == null && shedding == null;
        this.next = work == null ? sequence.getPlain() + 1 : work.next(); // plain: not shared yet
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
        return available < lo ? onNothingAvailable(lo) : batch(lo, available);
    }

    private int batch(long lo, long available) {
        long hi = lo + Math.min(available - lo, batchSize - 1);
        batchEnd = hi;
        seen = available;
        long position = lo - 1;
        Throwable thrown = null;
        if (usual && !aborts.anyFrom(lo)) {
            node.enterBatch(hi);
            try {
                handler.onBatchStart(hi - lo + 1, available - lo + 1);
                for (position = lo; position <= hi; position++) {
                    handler.onEvent(event(position), position, position == hi); // the one call: it is inlined once
                }
                handler.onBatchEnd(hi);
                position = hi + 2;
            } catch (Throwable t) {
                done = true; // before anything is called: see LoopFailures
                pendingFailure = t;
                pendingFailureAt = position;
                thrown = t;
            }
            node.inHandler = false;
        }
        return position == hi + 2 ? finished(lo) : handleUnusualBatch(lo, position, thrown);
    }

    /** All up to batchEnd is handled. */
    private int finished(long first) {
        long hi = batchEnd;
        behind = hi < seen;
        sequence.setRelease(hi); // release: the slots were read; dependents and producers acquire
        next = hi + 1; // after the release: if the stack ends there, the batch comes again, and no progress is lost
        if (downstream != null) {
            node.owesSignal = true; // what cuts the signal off leaves it to the next call
            downstream.signal();
            node.owesSignal = false;
        }
        onBatchDone();
        int size = (int) (hi - first + 1);
        counts.batch(size);
        return size;
    }

    /**
     * All but the straight way. It stands by itself so that the straight way is short, and compiled in one piece with its handler.
     *
     * @param thrown what the straight way threw at the position, null if it was not taken
     */
    private int handleUnusualBatch(long lo, long from, @Nullable Throwable thrown) {
        if (work != null) {
            return share(work);
        }
        anyAborted = aborts.anyFrom(lo);
        long dropped = dropLimit(own == null ? seen : batchEnd);
        boolean drops = shedding != null && dropped >= lo && shedding.asked() >= node.minAsk;
        if (drops) {
            batchEnd = dropped;
        }
        if (own != null && !readKeys(own, lo, batchEnd)) {
            return 0;
        }
        return (drops ? shed(lo, batchEnd) && passesOver() : handle(lo, from, thrown)) ? finished(lo) : 0;
    }

    /** Nothing is available from the first position on; a worker looks whether a colleague has taken that meanwhile. */
    private int onNothingAvailable(long lo) {
        return work == null ? onEmptyPoll(lo) : share(work);
    }

    /**
     * A worker's cycle: takes events that no colleague has taken, handles each as a batch of its own, marks it done (see
     * WorkerPoolState). MessageLoop has it too: a shared one could not be compiled in one piece with the handler of its copy.
     */
    private int share(WorkerPoolState pool) {
        int finished = 0;
        while (finished < batchSize) {
            if (finished > 0 && !canRun()) {
                return finished;
            }
            if (!node.inHand && !tryTake(pool)) {
                behind = false;
                return finished > 0 ? finished : onEmptyPoll(next);
            }
            if (!handleOne(pool, next)) {
                return finished;
            }
            finished++;
        }
        behind = true;
        return finished;
    }

    /** Takes the next event, into `next`; false if nothing was available at a moment when nobody had taken `next`. */
    private boolean tryTake(WorkerPoolState pool) {
        long lo = pool.next();
        for (; ; ) {
            long available = barrier.available(lo);
            long now;
            if (available < lo) {
                now = pool.next(); // after the barrier: a colleague may have taken what it had not shown
                if (now == lo) {
                    next = lo;
                    return false;
                }
            } else if (pool.take(lo, lo)) {
                node.inHand = true;
                next = lo;
                seen = available;
                return true;
            } else {
                now = pool.next();
            }
            lo = now;
        }
    }

    /** Deals with an event that a worker has taken; false if the processor has ended before it was done. */
    private boolean handleOne(WorkerPoolState pool, long taken) {
        batchEnd = taken;
        anyAborted = aborts.anyFrom(taken);
        if (!node.marked && !(due(taken, taken) == taken ? handleDue(taken) : passesOver())) {
            return false;
        }
        finishShared(pool, taken, taken);
        return true;
    }

    /** Handles or drops an event that a worker has taken; false if the processor has ended before it was done. */
    private boolean handleDue(long taken) {
        counts.event(taken);
        boolean handled =
                dropLimit(taken) == taken ? shed(taken, taken) && passesOver() : handle(taken, taken - 1, null);
        if (handled) {
            counts.event(ConsumerCounters.NO_EVENT);
        }
        return handled;
    }

    /** Asks for the keys of a batch, each once, before anything of it is handled; false if the processor has ended, or gives up. */
    private boolean readKeys(PartitionEvents<E> events, long lo, long hi) {
        Partition<? super E> partition = events.partition;
        ToLongFunction<? super E> key = partition.key();
        SlotKey slotKey = key instanceof SlotKey ofSlot ? ofSlot : null;
        events.begin(lo);
        node.enterBatch(hi);
        long position = lo;
        while (position <= hi) {
            try {
                for (; position <= hi; position++) {
                    if (!anyAborted || !aborts.isSkipped(position)) {
                        long found = slotKey == null
                                ? key.applyAsLong(event(position))
                                : slotKey.applyAsLong((ByteSlots) event(position), position);
                        events.note(position, partition.isOwn(found));
                    }
                }
            } catch (Throwable t) {
                done = true; // before anything is called: see LoopFailures
                pendingFailure = t;
                pendingFailureAt = position;
                // attempts are counted along the keys, then along what is handed over
                Action action = failed(t, event(position), position, position - (hi - lo + 2));
                if (action == null) {
                    return false;
                } else if (action == Action.SKIP) {
                    position++;
                }
            }
        }
        node.inHandler = false;
        return true;
    }

    /**
     * Handles a batch in which not all is as usual, or what is left of one that failed.
     *
     * @param thrown what was thrown at the position, null if nothing was yet
     * @return whether the batch is handled, up to batchEnd; false if the processor has ended, or gives up
     */
    private boolean handle(long first, long from, @Nullable Throwable thrown) {
        long lo = first;
        long hi = batchEnd;
        long last = lastDue(lo, hi);
        if (last < lo) {
            return passesOver();
        }
        long firstDue = due(lo, last);
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
                    while (position <= last) {
                        position = due(position, last);
                        if (shedding != null // plain: its own progress, which never goes back
                                && position > Math.max(firstDue, sequence.getPlain())
                                && shedding.asked() >= Math.max(lo, node.minAsk)) {
                            hi = position - 1; // the batch ends here; what is still asked for is dropped next
                            batchEnd = hi;
                            last = lastDue(lo, hi);
                            position = last + 1;
                            node.enterBatch(hi);
                            break;
                        }
                        if (position == last && extendsBatch && extended(first, hi) > hi) {
                            hi = batchEnd;
                            anyAborted = aborts.anyFrom(lo);
                            last = lastDue(lo, hi); // not before position, which is due
                        }
                        handler.onEvent(event(position - retained), position - retained, position == last);
                        position++;
                    }
                    handler.onBatchEnd(hi);
                    position = last + 2;
                } catch (Throwable t) {
                    done = true; // before anything is called: see LoopFailures
                    pendingFailure = t;
                    pendingFailureAt = position - retained;
                    failure = t;
                }
            }
            if (failure != null) {
                boolean atEvent = position >= lo && position <= last;
                long at = (position < lo ? lo : atEvent ? position : hi) - retained;
                Action action = failed(failure, atEvent ? event(at) : null, at, position);
                failure = null;
                if (action == null) {
                    return false;
                } else if (action == Action.SKIP) {
                    position++;
                } else if (work == null) {
                    // plain: this thread writes it. The handler's own progress gave slots away: none comes again.
                    long kept = Math.min(sequence.getPlain(), last) + 1;
                    if (action == Action.REWIND_BATCH) {
                        lo = kept;
                        position = lo <= last ? lo - 1 : last + 1;
                        firstDue = due(lo, last);
                    } else if (atEvent) {
                        position = Math.max(position, kept);
                    }
                }
            }
        }
        node.inHandler = false;
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

    @Override
    long due(long from, long hi) {
        if (own != null) {
            return own.next(from);
        }
        long position = Math.max(from, retained);
        while (anyAborted && position <= hi && aborts.isSkipped(position)) {
            position++;
        }
        return position;
    }

    /** The last position up to `hi` that is not passed over, below `lo` if there is none from there on. */
    private long lastDue(long lo, long hi) {
        if (own != null) {
            return own.last(hi);
        }
        long last = hi;
        while (anyAborted && last >= lo && aborts.isSkipped(last)) {
            last--;
        }
        return last < retained ? lo - 1 : last;
    }

    /** The clearer clears each event once. */
    @Override
    Action permitted(Action action, Throwable cause) {
        return clears && action == Action.REWIND_BATCH ? Action.RETRY_EVENT : super.permitted(action, cause);
    }

    @Override
    long longestBatch() {
        return own == null ? Long.MAX_VALUE : own.longestBatch();
    }
}
