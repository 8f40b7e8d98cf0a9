package io.sluice.ordered;

import io.sluice.core.LifeCycle;
import io.sluice.core.State;
import java.util.concurrent.Executor;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/*
 * The path of an item from the thread that completes its ticket to the handler. OrderBuffer decides who is the drainer; its
 * states and its release and acquire pairs are described there.
 *
 *   complete()  the ticket is issued?  ->  OrderBuffer.offer()  ->  left: the caller is free
 *                                                               ->  refused: Refusals says why
 *                                                               ->  ours: deliverInTurn(), the caller is the drainer
 *   deliverInTurn()  the drainer's own item; passes the turn
 *   deliverBehind()  what others have left behind it; passes the turn, or hands the role to the executor (HandOver)
 *   resume()         on the executor's thread, or on one that waits for a ticket or a drain and comes first
 *
 * All that an item in its turn needs is a field of this one class. After each compare-and-set the fields are read anew, and an
 * object in between would add a dependent read. FailureHandling and Shutdown hold the rarely needed parts.
 */

/**
 * One ordered stage at work: takes completed tickets and calls the handler for them, in their order. Stages that share their
 * tickets are linked from the first to the last.
 *
 * @param <T> the values' type
 */
final class Delivery<T> {
    /** In place of a ticket: the turn was not passed, but the role is another thread's, or all is discarded. */
    private static final long ROLE_GONE = -1;

    final OrderBuffer buffer;
    final Admission admission;
    final NanoClock time;
    final LifeCycle life = new LifeCycle();
    final OrderedHandler<? super T> handler;
    final FailureHandling<T> failures;
    final Shutdown<T> shutdown;
    final @Nullable HandOver handOver;
    final @Nullable TicketClock clock;
    final @Nullable TimeLimit timeLimit;
    final Delivery<?> firstStage;

    // set while the stages are built, before the first ticket
    @Nullable
    Delivery<?> nextStage;

    /**
     * Makes a stage.
     *
     * @param time what time it is, for the waits and limits of this stage
     * @param clock is kept for each ticket; null if nobody asks for ages or owners
     * @param timeLimit needs the clock; null if there is none
     * @param executor takes over from a drainer that has handled {@code batchLimit} tickets in a row; null if none does
     * @param before the stage before it, which is linked to this one; null for a first stage
     */
    Delivery(
            OrderBuffer buffer,
            Admission admission,
            NanoClock time,
            OrderedHandler<? super T> handler,
            FailureHandling<T> failures,
            @Nullable TicketClock clock,
            @Nullable TimeLimit timeLimit,
            @Nullable Executor executor,
            int batchLimit,
            @Nullable Delivery<?> before) {
        this.buffer = buffer;
        this.admission = admission;
        this.time = time;
        this.handler = handler;
        this.failures = failures;
        this.clock = clock;
        this.timeLimit = timeLimit;
        this.handOver = executor == null ? null : new HandOver(executor, batchLimit, this);
        this.shutdown = new Shutdown<>(this);
        if (before == null) {
            this.firstStage = this;
        } else {
            this.firstStage = before.firstStage;
        }
    }

    /** Makes a stage the next one of the same tickets. Before the first ticket, and once all of it is made. */
    void linkTo(Delivery<?> next) {
        buffer.nextStage = next.buffer; // plain: published with the scheduler
        nextStage = next;
    }

    // ---- completion ----

    /** Completes a ticket; true if this thread delivered it. Throws if the ticket is not open. */
    boolean complete(long ticket, int state, Object item) {
        int done = tryComplete(ticket, state, item);
        if (done == OrderBuffer.REFUSED) {
            throw Refusals.completion(this, ticket);
        }
        return done == OrderBuffer.OURS;
    }

    /** Completes a ticket: {@link OrderBuffer#LEFT}, {@link OrderBuffer#OURS} or {@link OrderBuffer#REFUSED}. */
    int tryComplete(long ticket, int state, Object item) {
        int done = admission.isIssued(ticket) ? buffer.offer(ticket, state, item) : OrderBuffer.REFUSED;
        if (done == OrderBuffer.REFUSED) {
            done = offerAgain(ticket, state, item);
        }
        if (done == OrderBuffer.OURS) {
            try {
                deliverInTurn(ticket, state, item);
            } catch (StackOverflowError thrown) { // it broke, or could not even begin
                buffer.cutOff = thrown; // plain: a store needs no stack; Shutdown says who reads it
                shutdown.haltIfCutOff();
                throw thrown;
            }
        }
        return done;
    }

    private int offerAgain(long ticket, int state, Object item) {
        return isKnown(ticket) && isOpenAfterAll(ticket) ? buffer.offer(ticket, state, item) : OrderBuffer.REFUSED;
    }

    /** An external ticket may come without having acquired its slot; the tail brings it. A duplicate is refused again. */
    private boolean isOpenAfterAll(long ticket) {
        return ticket < buffer.tailAcquire() + buffer.window && buffer.isInSlot(ticket);
    }

    /** Whether a completion would be taken now. */
    boolean isOpen(long ticket) {
        return isKnown(ticket) && isOpenAfterAll(ticket) && buffer.isOpen(ticket);
    }

    /** Whether the ticket was issued, or may come from outside. */
    boolean isKnown(long ticket) {
        return ticket >= admission.firstTicket && admission.isIssued(ticket);
    }

    /** Trashes a ticket; false if it is not open. */
    boolean tryTrash(long ticket) {
        return tryComplete(ticket, OrderBuffer.TRASH, OrderBuffer.NO_ITEM) != OrderBuffer.REFUSED;
    }

    // ---- the drainer ----

    /**
     * The caller is the drainer, with its own ticket's item in its hands: delivers it and passes the turn. This holds all that
     * an item in its turn needs, and is short enough to be inlined; the rest stands outside. Behind the handler the ticket is
     * read anew. Keeping it would make a handler that is called, and not inlined, store it first, and the locked instruction
     * that passes the turn waits for that store.
     */
    void deliverInTurn(long ticket, int state, Object item) {
        long head;
        try {
            if (hasEnded()) {
                shutdown.discard(ticket, state, item);
                return;
            }
            deliver(ticket, state, item);
            OrderBuffer slots = buffer;
            long handled = slots.tailPlain(); // the ticket
            if (clock != null) {
                clock.clear(slots.index(handled));
            }
            slots.freeSlot(handled);
            head = handled + 1;
            if (slots.passTurn(head) != 0) {
                head = deliverBehind(head, 1, 1);
                if (head == ROLE_GONE) {
                    return;
                }
            }
        } catch (Throwable broken) { // no user code throws up to here
            try {
                shutdown.abandon(buffer.tailPlain(), broken);
            } catch (Throwable noStack) {
                buffer.cutOff = broken; // plain: as in tryComplete
            }
            throw broken;
        }
        try {
            if (admission.isAwaited()) {
                afterAwaitedTurn(head);
            }
        } catch (StackOverflowError noStack) { // the ticket is handled, and the next one to be wakes who waits
            return;
        }
    }

    /** The turn was passed, and somebody waits for that: ticket takers, or a closer that wants the turn back. */
    private void afterAwaitedTurn(long head) {
        admission.wakeTakers();
        shutdown.takeTurnBack(head);
        admission.giveInterruptBack();
    }

    /**
     * The caller is the drainer, and goes on with what waits.
     *
     * @param from the first ticket that has not been handled
     * @param before how many this thread has handled in a row
     * @param countedBefore how many of them do not count as left by others, since they were its own
     * @return the ticket that has the turn now, or {@link #ROLE_GONE}
     */
    private long deliverBehind(long from, int before, int countedBefore) {
        OrderBuffer slots = buffer;
        long ticket = from;
        int run = before;
        int counted = countedBefore;
        while (true) {
            int state = slots.waitingState(ticket);
            if (state == 0) {
                if (run > counted) {
                    slots.countDrain(run, run - counted); // before the turn is passed: still the only writer
                    counted = run;
                }
                state = slots.passTurn(ticket);
                if (state == 0) {
                    return ticket;
                }
            } else {
                // a hint; a taker that it misses is found when the turn is passed, or times out
                admission.wakeIfAwaited();
                if (handOver != null && run >= handOver.limit) {
                    if (handOver(handOver, ticket, run, counted)) {
                        return ROLE_GONE;
                    }
                    counted = 0;
                    run = 0;
                }
            }
            Object item = slots.takeItem(ticket);
            if (hasEnded()) {
                shutdown.discard(ticket, state, item);
                return ROLE_GONE;
            }
            deliver(ticket, state, item);
            if (clock != null) {
                clock.clear(slots.index(ticket));
            }
            slots.freeSlot(ticket);
            ticket++;
            run++;
        }
    }

    /** Offers the rest to the executor; true if the executor has the role now. */
    private boolean handOver(HandOver over, long ticket, int run, int counted) {
        buffer.countDrain(run, run - counted);
        buffer.resignAsDrainer();
        if (!over.give(ticket)) {
            buffer.becomeDrainer();
            return false;
        }
        try {
            admission.giveInterruptBack();
        } catch (StackOverflowError noStack) { // the role is given away: nothing may throw
            return true;
        }
        return true;
    }

    /** Takes the role from the hand-over if it is there, and goes on; false if not. */
    boolean resume() {
        long ticket = handOver == null ? ROLE_GONE : handOver.take();
        if (ticket < 0) {
            return false;
        }
        try {
            buffer.becomeDrainer();
            ticket = deliverBehind(ticket, 0, 0);
        } catch (Throwable broken) { // no user code throws up to here
            try {
                shutdown.abandon(buffer.tailPlain(), broken);
            } catch (Throwable noStack) {
                buffer.cutOff = broken; // plain: as in tryComplete
            }
            throw broken;
        }
        if (ticket != ROLE_GONE && admission.isAwaited()) {
            afterAwaitedTurn(ticket);
        }
        return true;
    }

    /** A thread that waits goes on in the stead of executors, in all stages, since nobody else may do so; true if it did. */
    boolean helpOn() {
        haltIfCutOff();
        boolean helped = false;
        for (Delivery<?> each = firstStage; each != null; each = each.nextStage) {
            helped |= each.resume();
        }
        return helped;
    }

    /** As {@link #helpOn}, but only in the stead of executors that have had so much time; true if it did. */
    boolean helpOnAfter(long nanos) {
        haltIfCutOff();
        boolean helped = false;
        for (Delivery<?> each = firstStage; each != null; each = each.nextStage) {
            HandOver over = each.handOver;
            helped |= over != null && over.isUnderWayFor(nanos) && each.resume();
        }
        return helped;
    }

    /** Whether {@link #helpOn} has something to do. */
    boolean needsHelp() {
        for (Delivery<?> each = firstStage; each != null; each = each.nextStage) {
            if (each.buffer.cutOff != null // plain: looked at again and again
                    || (each.handOver != null && each.handOver.isUnderWay())) {
                return true;
            }
        }
        return false;
    }

    /** Halts the stages whose drainers could not do so at the end of the stack. For any thread that finds no room, or waits. */
    void haltIfCutOff() {
        for (Delivery<?> each = firstStage; each != null; each = each.nextStage) {
            each.shutdown.haltIfCutOff();
        }
    }

    /** Calls the handler, and the failure policy for what it throws. Throws nothing. */
    private void deliver(long ticket, int state, Object item) {
        try {
            callHandler(ticket, state, item);
        } catch (Throwable thrown) {
            failures.handle(this, ticket, state, item, thrown);
            return;
        }
        if (state != OrderBuffer.VALUE && state != OrderBuffer.TASK) {
            failures.recordOutcome(this, ticket, state, item);
        }
    }

    @SuppressWarnings("unchecked") // VALUE items were given to complete(long, T)
    void callHandler(long ticket, int state, Object item) throws Exception {
        switch (state) {
            case OrderBuffer.VALUE -> handler.onCompleted(ticket, (T) item);
            case OrderBuffer.TASK -> ((Runnable) item).run();
            case OrderBuffer.TRASH -> handler.onTrashed(ticket);
            default -> handler.onFailed(ticket, (Throwable) item);
        }
    }

    // ---- questions of the other parts ----

    /** Whether the stage was closed or has failed. A stage that is draining has not ended. */
    boolean hasEnded() {
        if (life.isRunning()) {
            return false;
        }
        State state = life.state();
        return state == State.CLOSED || state == State.FAILED;
    }

    /** The next ticket to be issued; with external tickets the first that has not been handled. */
    long nextTicket() {
        return admission.isExternal() ? buffer.tailAcquire() : admission.nextTicket();
    }

    /** Fails the tickets whose time limit is over; returns how many. */
    int expireOverdue() {
        return timeLimit == null ? 0 : timeLimit.failOverdue(this);
    }
}
