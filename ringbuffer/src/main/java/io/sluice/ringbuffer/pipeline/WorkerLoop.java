package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalGroup;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.SlotMarks;
import org.jspecify.annotations.Nullable;

/*
 * The hot half of a worker: takes an event that no colleague has taken, handles it, marks it done (see WorkerPoolState). Defined
 * anew for each class of handlers, as EventLoop is.
 *
 * Between two events it owes nothing: so that is where it is halted, held, paused, rewired, and where it leaves. Within an
 * event it stays, retries included, until the event is done or its policy halts it; only the end of the ring ends an endless
 * retry. Halted by its policy, it leaves the event without a mark and stops its colleagues: nothing behind it would ever reach
 * those who follow.
 *
 * Position at an event s:
 *   s - 1    onBatchStart is due
 *   s        the event is due
 *   s + 1    onBatchEnd is due
 *   s + 2    done: marked
 */
final class WorkerLoop<E> extends AbstractLoop<E> {
    private final EventHandler<? super E> handler;
    private final Object[] slots;
    private final SlotMarks aborts;
    private final WorkerPoolState work;
    private final ConsumerCounters counts;
    private @Nullable SignalGroup downstream;
    private long cycle;

    private long looked;
    private long available;

    /** Called by LoopSpecializer, through a method handle. */
    WorkerLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node);
        this.handler = handler;
        this.slots = ring.slots();
        this.aborts = node.skips();
        this.work = Check.notNull(node.work, "node.work");
        this.counts = node.counts;
        this.downstream = node.downstream;
        this.cycle = node.batchSize();
    }

    @Override
    public int doWork() {
        int finished = 0;
        while (finished < cycle) {
            if (!canRun()) {
                return finished;
            }
            if (!tryTake()) {
                behind = false;
                return finished > 0 ? finished : onEmptyPoll(looked);
            }
            if (!handles(looked)) {
                return finished;
            }
            finished++;
        }
        behind = true;
        return finished;
    }

    /** Takes the next event, into `looked`; false if nothing was available at a moment when nobody had taken `looked`. */
    private boolean tryTake() {
        long next = work.next();
        for (; ; ) {
            long shown = barrier.available(next);
            long now;
            if (shown < next) {
                now = work.next(); // after the barrier: what a colleague has taken meanwhile is no sign that
                // nothing is there
                if (now == next) {
                    looked = next;
                    return false;
                }
            } else if (work.take(next)) {
                looked = next;
                available = shown;
                return true;
            } else {
                now = work.next();
            }
            next = now;
        }
    }

    /** Handles an event that it has taken; false if the processor has ended before it was done. */
    private boolean handles(long sequence) {
        if (!aborts.anyFrom(sequence) || !aborts.isSkipped(sequence)) {
            node.enterBatch(sequence);
            counts.event(sequence);
            long position = sequence - 1;
            while (position <= sequence + 1) {
                try {
                    if (position < sequence) {
                        handler.onBatchStart(1, available - sequence + 1);
                        position = sequence;
                    }
                    if (position == sequence) {
                        handler.onEvent(event(sequence), sequence, true);
                        position = sequence + 1;
                    }
                    handler.onBatchEnd(sequence);
                    position = sequence + 2;
                } catch (Throwable t) {
                    done = true; // before anything is called: see AbstractLoop
                    owed = t;
                    owedAt = sequence;
                    Action action = failed(t, position == sequence ? event(sequence) : null, sequence, position);
                    if (action == null) {
                        if (node.failure() != null) {
                            node.failStage();
                        }
                        return false;
                    } else if (action == Action.SKIP) {
                        position++;
                    }
                }
            }
            node.leaveBatch();
            counts.event(ConsumerCounters.NO_EVENT);
        }
        if (work.finish(sequence) && downstream != null) {
            downstream.signal(); // after the move, which its fence orders before the look at who waits
        }
        onBatchDone();
        counts.batch(1);
        return true;
    }

    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    private E event(long sequence) {
        return (E) slots[(int) sequence & (slots.length - 1)];
    }

    @Override
    Action permitted(Action action, Throwable cause) {
        if (action != Action.REWIND_BATCH) {
            return action;
        }
        cause.addSuppressed(
                new IllegalStateException(
                        "the failure policy of worker " + node.name()
                                + " must return SKIP, RETRY_EVENT or HALT, since each event is a batch of its own, but returned REWIND_BATCH"));
        return Action.HALT;
    }

    /** It finishes its event before it leaves or is halted, as long as the ring goes on. */
    @Override
    boolean givesUp() {
        State state = life.state();
        return node.isHalted() && (state == State.CLOSED || state == State.FAILED);
    }

    @Override
    void rewired() {
        cycle = node.batchSize();
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
    void handlerTimeout(long lastTaken) {
        handler.onTimeout(lastTaken);
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
