package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.PollBackOff;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.SlotMarks;
import org.jspecify.annotations.Nullable;

/*
 * The hot half of an event processor for messages, each of which takes several sequences. Defined anew for each class of handlers, as
 * EventLoop is. It steps from one record to the next by their headers, which its own progress protects.
 *
 * A batch reaches to the last record that begins within its limit, so it always has one, however long that is. All positions are
 * boundaries of records: the first sequence of one. Progress stands at the end of a record only, so those who follow begin at one, and so
 * does a consumer that joins.
 *
 *   START   onBatchStart is due
 *   EVENTS  the message at the position is due
 *   END     onBatchEnd is due
 *
 * The loop passes over padding, claims that were aborted, messages that a consumer before it has finished, and, in a stage divided by
 * key, what is another's. It looks at the next header before it hands a message out. So it knows which message is the last one. The keys
 * of a batch are asked for before anything of it is handled.
 *
 * A publisher asks for room up to a sequence. Where that lies within a record, the record is dropped as a whole. All consumers read
 * one word, so each drops the same records.
 *
 * A worker takes one record at a time, padding included. It reads the header before it has taken the record: a colleague may have finished
 * it meanwhile, and its bytes may be another's. Then the worker's compare-and-set of the position fails, whatever the header said.
 */
final class MessageLoop<E> extends AbstractLoop<E> {
    private static final int START = 0;
    private static final int EVENTS = 1;
    private static final int END = 2;

    /** How many sequences a message of up to 8 bytes takes. */
    private static final int SHORTEST = 2;

    private final @Nullable ControlledMessageHandler controlled;
    private final E event;
    private final Messages messages;
    private final boolean extendsBatch;
    /** Of the consumers before this one; null if none of them may finish events. */
    private final @Nullable SlotMarks finishedBefore;

    private final @Nullable PartitionEvents<E> own; // of the present batch, in a stage divided by key; else null

    /** The first position not handled. A worker's: the first that nobody had taken when it last looked. */
    private long next;

    // of the present batch
    private long batchEnd; // its records begin up to there
    private long seen; // what was there when it was last looked
    private long behindBatch; // with keys: the boundary behind its records
    private int handled;
    private int committed; // of those, as many as no rewind brings back
    private long sequences; // of all its records

    /** Called by LoopSpecializer, through a method handle. */
    @SuppressWarnings("unchecked") // the one slot of a ring of messages is its event
    MessageLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node, handler);
        this.controlled = handler instanceof ControlledMessageHandler own ? own : null;
        this.messages = Check.notNull(ring.messages(), "messages");
        this.event = (E) messages;
        this.extendsBatch = node.kind == ConsumerKind.EVENTS && handler.extendsBatch();
        this.finishedBefore = node.finishedBefore().isEmpty() ? null : node.skips();
        this.own = node.partition == null ? null : new PartitionEvents<>(node.partition, (int) ring.capacity());
        this.next = work == null ? sequence.getPlain() + 1 : work.next(); // plain: not shared yet
        takeSettings();
    }

    @Override
    public int doWork() {
        if (!canRun()) {
            return 0;
        }
        if (work != null) {
            return share(work);
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
        seen = available;
        batchEnd = lo + Math.min(available - lo, batchSize - 1);
        long behindAll = shedding == null && own == null ? handle(lo) : handleUnusual(lo);
        if (behindAll < 0) {
            return 0;
        }
        if (behindAll == lo) { // the handler wants nothing now
            behind = false;
            forgetAttemptsBut(lo);
            tryAgainSoon();
            checkHandlerDeadline(); // nothing else comes to it for as long
            return 0;
        }
        behind = behindAll <= seen;
        sequences = behindAll - lo;
        publishProgress(behindAll);
        onBatchDone();
        int size = Math.max(1, handled);
        counts.batch(size);
        return size;
    }

    private void publishProgress(long behindAll) {
        sequence.setRelease(behindAll - 1); // release: the messages were read; dependents and producers acquire
        next = behindAll; // after the release: as in EventLoop
        if (downstream != null) {
            node.owesSignal = true; // what cuts the signal off leaves it to the next call
            downstream.signal();
            node.owesSignal = false;
        }
    }

    /** As {@link #handle}, where messages are dropped, or the stage is divided by key. */
    private long handleUnusual(long lo) {
        long dropped = dropLimit(own == null ? seen : batchEnd);
        boolean drops = shedding != null && dropped >= lo && shedding.asked() >= node.minAsk;
        if (drops && work == null) { // a worker's batch is the one record that it has taken
            batchEnd = dropped;
        }
        if (own != null && !readKeys(own, lo)) {
            return -1;
        } else if (!drops) {
            return handle(lo);
        }
        return shed(lo, batchEnd) && passesOver() ? behind(lo) : -1;
    }

    /** The boundary behind the records that begin from `lo` to batchEnd. They count as handled. */
    private long behind(long lo) {
        long position = lo;
        handled = 0;
        while (position <= batchEnd) {
            position = messages.next(position);
            handled++;
        }
        return position;
    }

    /** As in EventLoop: asks for the keys of a batch, each once; false if the processor has ended, or gives up. */
    private boolean readKeys(PartitionEvents<E> events, long lo) {
        MessageKey key = (MessageKey) events.partition.key();
        events.begin(lo);
        node.enterBatch(batchEnd);
        long position = live(messages, finishedBefore, lo, batchEnd);
        while (position <= batchEnd) {
            boolean known = false;
            try {
                events.note(position, events.partition.isOwn(key.applyAsLong(messages, position)));
                known = true;
            } catch (Throwable t) {
                done = true; // before anything is called: see LoopFailures
                pendingFailure = t;
                pendingFailureAt = position;
                Action action = failed(t, event, position, position - (batchEnd - lo + 2));
                if (action == null) {
                    return false;
                }
                known = action == Action.SKIP;
            }
            if (known) {
                position = live(messages, finishedBefore, messages.next(position), batchEnd);
            }
        }
        behindBatch = position;
        node.inHandler = false;
        return true;
    }

    /**
     * Handles the records of a batch, which begin from `lo` to batchEnd.
     *
     * @return the position behind all that is done, `lo` if nothing is; -1 if the processor has ended, or gives up
     */
    private long handle(long lo) {
        handled = 0;
        committed = 0;
        long position = live(lo);
        if (position > batchEnd) {
            return passesOver() ? position : -1;
        }
        long first = position;
        int stage = START;
        for (; ; ) {
            node.enterBatch(batchEnd);
            Throwable failure;
            try {
                if (stage == START) {
                    handler.onBatchStart(batchEnd - position + 1, seen - position + 1);
                    stage = EVENTS;
                }
                while (stage == EVENTS && position <= batchEnd) {
                    if (shedding != null && position > first && shedding.asked() >= Math.max(next, node.minAsk)) {
                        batchEnd = position - 1; // the batch ends here; what is still asked for is dropped next
                        behindBatch = position;
                        node.enterBatch(batchEnd);
                        break;
                    }
                    long following = live(messages.next(position));
                    if (extendsBatch && following > batchEnd) {
                        following = extended(lo, following);
                    }
                    boolean last = following > batchEnd;
                    if (controlled == null) {
                        handler.onEvent(event, position, last); // the one call: it is inlined once
                    } else {
                        ControlledMessageHandler.Action wanted = hand(controlled, position, last);
                        if (wanted == ControlledMessageHandler.Action.ABORT) {
                            break;
                        } else if (wanted == ControlledMessageHandler.Action.BREAK) {
                            handled++;
                            position = messages.next(position);
                            break;
                        } else if (wanted == ControlledMessageHandler.Action.COMMIT) {
                            committed = handled + 1;
                            publishProgress(following);
                        }
                    }
                    handled++;
                    position = following;
                }
                stage = END;
                handler.onBatchEnd(position - 1);
                break;
            } catch (Throwable t) {
                done = true; // before anything is called: see LoopFailures
                pendingFailure = t;
                pendingFailureAt = stage == END ? position - 1 : position;
                failure = t;
            }
            Action action = failed(
                    failure,
                    stage == EVENTS ? event : null,
                    stage == END ? position - 1 : position,
                    stage == START ? lo - 1 : stage == END ? batchEnd + 1 : position);
            if (action == null) {
                return -1;
            } else if (action == Action.SKIP) {
                if (stage == END) {
                    break;
                } else if (stage == EVENTS) {
                    position = live(messages.next(position));
                }
                stage = EVENTS;
            } else if (action == Action.REWIND_BATCH) {
                handled = committed;
                position = live(next); // what was committed gave its room away
                first = position;
                stage = position <= batchEnd ? START : END;
            }
        }
        node.inHandler = false;
        return position;
    }

    private ControlledMessageHandler.Action hand(ControlledMessageHandler to, long position, boolean last)
            throws Exception {
        ControlledMessageHandler.Action wanted = to.onMessage(
                messages.type(position),
                messages.buffer(),
                messages.offset(position),
                messages.length(position),
                position,
                last);
        if (wanted == null) {
            throw new IllegalStateException(
                    "onMessage must return ABORT, BREAK, COMMIT or CONTINUE, but returned null");
        }
        return wanted;
    }

    /** The first position from a boundary on where a message of the batch is; the first boundary behind the batch if there is none. */
    private long live(long from) {
        if (own != null) {
            long position = own.next(from);
            return position <= batchEnd ? position : behindBatch;
        }
        return live(messages, finishedBefore, from, batchEnd);
    }

    /**
     * The first position up to `hi` where a message is that is not finished; the boundary behind if there is none. For a consumer that
     * has not passed them.
     */
    static long live(Messages records, @Nullable SlotMarks finished, long from, long hi) {
        long position = from;
        while (position <= hi && (records.type(position) == 0 || (finished != null && finished.isSkipped(position)))) {
            position = records.next(position);
        }
        return position;
    }

    /** Looks whether the batch can be longer; the position that follows then. */
    private long extended(long lo, long following) {
        if (following - lo < batchSize) {
            seen = barrier.available(following);
            if (seen >= following) {
                batchEnd = lo + Math.min(seen - lo, batchSize - 1);
                node.enterBatch(batchEnd);
                return live(following);
            }
        }
        return following;
    }

    // workers

    /** A worker's cycle: takes records that no colleague has taken, handles each as a batch of its own, marks it done. As in EventLoop. */
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

    /** Takes the next record, into `next` and `seen`; false if nothing was available at a moment when nobody had taken `next`. */
    private boolean tryTake(WorkerPoolState pool) {
        long lo = pool.next();
        for (; ; ) {
            if (barrier.available(lo) < lo) {
                long now = pool.next(); // after the barrier: a colleague may have taken what it had not shown
                if (now == lo) {
                    next = lo;
                    return false;
                }
                lo = now;
            } else {
                long last = messages.next(lo) - 1;
                if (pool.take(lo, last)) {
                    node.inHand = true;
                    next = lo;
                    seen = last;
                    return true;
                }
                lo = pool.next();
            }
        }
    }

    /** Handles a record that a worker has taken; false if the processor has ended before it was done. */
    private boolean handleOne(WorkerPoolState pool, long taken) {
        long last = seen;
        batchEnd = taken;
        if (!node.marked) {
            counts.event(taken);
            if ((shedding == null ? handle(taken) : handleUnusual(taken)) < 0) {
                return false;
            }
            counts.event(ConsumerCounters.NO_EVENT);
        }
        finishShared(pool, taken, last);
        return true;
    }

    // the wait after a batch

    /**
     * A producer takes longer for a long message, and hands over more lines. So to a thread that spins for this consumer alone, messages count
     * by their length, as many as of the shortest ones would take the place. But a few are a slow stream, however long they are.
     */
    @Override
    int weight(int events) {
        return events < PollBackOff.SMALLEST_BATCH || looksAgain == 0 || work != null
                ? events
                : (int) Math.min(Integer.MAX_VALUE, Math.max(events, sequences / SHORTEST));
    }

    @Override
    public int backOffBatchLimit() {
        return Math.max(1, super.backOffBatchLimit() / SHORTEST);
    }

    /** `hi` is batchEnd. */
    @Override
    long due(long from, long hi) {
        return live(from);
    }

    @Override
    long after(long position) {
        return messages.next(position);
    }

    @Override
    long longestBatch() {
        return own == null ? Long.MAX_VALUE : own.longestBatch();
    }
}
