package io.sluice.ordered;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.LifeCycle;
import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/*
 * Joins the parts: Admission (who gets a ticket), OrderBuffer (who is the drainer; its states and pairs are described there),
 * TicketClock (ages), HandOver (the role on its way to an executor). Here are the drain itself, the failures, and the end.
 *
 * The end. A close or a halt moves the life-cycle word; from then on whoever is the drainer discards instead of delivering:
 * each slot of the window from the head on is decided once, by the word, between its finisher and the discarder. If nobody is
 * the drainer the closer takes the role (the turn, or a hand-over on its way). A drainer that did not see the end passes the
 * turn, and the closer, which looks again until `settled`, takes it then. `settled` is released after the last discard.
 */

/**
 * Work in parallel, output in order, no thread of its own. Take a ticket when an item is read; work on it on any thread; then
 * complete the ticket. The thread whose ticket has the turn calls the handler, and goes on with whatever waits behind it; the
 * others leave their value and are free at once. After J.-Ph. Bempel, <i>Ordered Scheduler</i> (2015), and Intel's
 * <i>Exploiting Data Parallelism in Ordered Data Streams</i>.
 *
 * <ul>
 *   <li>Order: the handler is called for each ticket once, in the tickets' order, one call at a time; what one call did is
 *       visible to the next.
 *   <li>Bound: at most {@code window} tickets are outstanding. Only taking a ticket waits; completing never does (it may
 *       deliver, also for others, up to the batch limit).
 *   <li>Exact: a ticket that is completed twice, late, early, or was never issued, is refused with a {@link
 *       TicketRefusedException}, and nothing is disturbed; also if it happens twice at the same moment.
 *   <li>Progress: leaving a value is wait-free. Output is held up by the head ticket's owner, and by a drainer whose thread
 *       does not run.
 *   <li>Cost: in order two atomic read-modify-writes an item ({@code unchecked}: one), a ticket left for its turn two (one);
 *       no allocation but for what the caller makes. Waiting ticket takers park.
 * </ul>
 *
 * <p>Unless said otherwise a method may be called by any thread.
 *
 * @param <T> the values' type
 */
public final class OrderedScheduler<T> implements AutoCloseable {
    /** {@link #tryNext}: the window is full. */
    public static final long FULL = Admission.FULL;

    /** {@link #next(long, TimeUnit)}: the time is over. */
    public static final long TIMED_OUT = -3;

    /** The scheduler is draining or closed, or another stage of its tickets is. */
    public static final long CLOSED = Admission.ENDED;

    /** The scheduler was halted, or another stage of its tickets: {@link #failure()}. */
    public static final long FAILED = -5;

    /** {@link #next(long, TimeUnit)}: the thread was interrupted; its flag stays set. */
    public static final long INTERRUPTED = -6;

    /** The largest window: {@value}. */
    public static final int MAX_WINDOW = 1 << 24;

    /** The highest ticket: {@value}. */
    public static final long MAX_TICKET = OrderBuffer.MAX_TICKET;

    private static final int SPINS = 100;
    private static final Object NO_ITEM = new Object();

    private final OrderedHandler<? super T> handler;
    private final FailurePolicy<? super T> policy;
    final OrderBuffer buffer;
    private final Admission admission;
    private final LifeCycle life = new LifeCycle();
    private final DrainCounts counts = new DrainCounts();
    private final @Nullable TicketClock clock;
    private final @Nullable HandOver handOver;
    private final long limitNanos;
    private final long first;
    private final boolean external;
    private final boolean issues;
    private final String name;
    private final ErrorHandler errors;
    private final OrderedScheduler<?> firstStage;

    // set while the stages are built, before the first ticket
    private @Nullable OrderedScheduler<?> nextStage;

    // written by the discarding drainer
    @SuppressWarnings("unused")
    private boolean settled;

    // written by a drainer that broke: its ticket + 1; 0 if none did
    @SuppressWarnings("unused")
    private long abandoned;

    // written by whoever looks: metrics()
    private @Nullable Look look;

    private record Look(long head, long nanos) {}

    private OrderedScheduler(Builder<T> builder) {
        OrderedScheduler<?> before = builder.after;
        this.handler = builder.handler;
        this.policy = builder.policy;
        this.first = before == null ? builder.first : before.first;
        int window = before == null ? builder.window : before.buffer.window;
        this.buffer = new OrderBuffer(window, first, builder.unchecked);
        this.external = before == null ? builder.mode == TicketMode.EXTERNAL : before.external;
        this.issues = before == null && !external;
        this.name = builder.name;
        this.errors = builder.errors;
        this.firstStage = before == null ? this : before.firstStage;
        this.limitNanos = builder.limitNanos;
        this.clock = builder.tracking || limitNanos > 0 ? new TicketClock(window) : null;
        Executor executor = builder.executor;
        this.handOver = executor == null ? null : new HandOver(executor, builder.batchLimit, this);
        if (before == null) {
            this.admission = new Admission(builder.mode, buffer, first);
        } else {
            this.admission = before.admission;
            admission.addStage(buffer);
            before.nextStage = this;
        }
    }

    /**
     * Starts a scheduler of values.
     *
     * @param handler is called in order
     * @param <T> the values' type
     * @return a builder: window 1024, tickets by many threads, halting at the first failure
     */
    public static <T> Builder<T> builder(OrderedHandler<? super T> handler) {
        return new Builder<>(Objects.requireNonNull(handler, "handler"));
    }

    /**
     * Starts a scheduler of tasks: what a ticket is completed with is run in its turn.
     *
     * @return a builder, as {@link #builder}
     */
    public static Builder<Runnable> tasks() {
        return new Builder<>((ticket, task) -> task.run());
    }

    // ---- tickets ----

    /**
     * Takes the next ticket; waits, parked after a short spin, while the window is full. With {@link TicketMode#SINGLE} by one
     * thread at a time. No allocation unless it parks.
     *
     * @return the ticket
     * @throws InterruptedException if the thread is interrupted while it waits; no ticket was taken
     * @throws TicketRefusedException if the scheduler is draining, closed or failed; or if a stage has no room and the calling
     *     thread is the one that would have to make it (it is inside that stage's handler), then or while it waits
     * @throws UnsupportedOperationException if tickets come from outside, or this is a later stage
     */
    public long next() throws InterruptedException {
        long ticket = issues && mayIssue() ? issue() : FULL;
        return ticket >= 0 ? ticket : awaitNext();
    }

    private long awaitNext() throws InterruptedException {
        long ticket = await(-1, Long.MAX_VALUE);
        if (ticket >= 0) {
            return ticket;
        }
        if (ticket == INTERRUPTED) {
            Thread.interrupted();
            throw new InterruptedException("interrupted while waiting for a ticket");
        }
        throw ended(nextTicket());
    }

    /**
     * Takes the next ticket, and waits for at most a time.
     *
     * @param timeout how long; 0 or less: not at all
     * @param unit of the timeout
     * @return the ticket, or {@link #TIMED_OUT}, {@link #CLOSED}, {@link #FAILED} or {@link #INTERRUPTED}
     * @throws TicketRefusedException if the calling thread is the one that would have to make room, then or while it waits
     * @throws UnsupportedOperationException if tickets come from outside, or this is a later stage
     */
    public long next(long timeout, TimeUnit unit) {
        return await(-1, Math.max(0, unit.toNanos(timeout)));
    }

    /**
     * Takes the next ticket if there is room. Never waits.
     *
     * @return the ticket, or {@link #FULL}, {@link #CLOSED} or {@link #FAILED}
     * @throws UnsupportedOperationException if tickets come from outside, or this is a later stage
     */
    public long tryNext() {
        checkIssues();
        if (!mayIssue()) {
            return endCode();
        }
        return issue();
    }

    private long issue() {
        long ticket = admission.tryIssue();
        if (ticket >= 0) {
            startClocks(ticket);
        }
        return ticket == Admission.ENDED ? endCode() : ticket;
    }

    /**
     * Waits until an external ticket lies within the window: to be called where the input is read, so that those who complete
     * never find it too early. Its time limit, if any, starts here.
     *
     * @param ticket the ticket, 0 to {@link #MAX_TICKET}
     * @param timeoutNanos how long to wait, in nanoseconds; 0 or less: not at all
     * @return the ticket, or {@link #TIMED_OUT}, {@link #CLOSED}, {@link #FAILED} or {@link #INTERRUPTED}
     * @throws IllegalArgumentException if the ticket is out of its range
     * @throws TicketRefusedException if the calling thread is the one that would have to make room
     * @throws UnsupportedOperationException if tickets do not come from outside
     */
    public long awaitRoom(long ticket, long timeoutNanos) {
        if (!external) {
            throw new UnsupportedOperationException("awaitRoom: tickets are issued by next()");
        }
        if (ticket < first || ticket > MAX_TICKET) {
            throw new IllegalArgumentException("ticket " + ticket + ": allowed are " + first + " to " + MAX_TICKET);
        }
        return await(ticket, Math.max(0, timeoutNanos));
    }

    private void startClocks(long ticket) {
        for (OrderedScheduler<?> stage = this; stage != null; stage = stage.nextStage) {
            TicketClock ages = stage.clock;
            // an external ticket may have been handled already: then its slot and its clock belong to a later one
            if (ages != null && OrderBuffer.ticketOf(stage.buffer.stateWord(ticket)) == ticket) {
                ages.start(buffer.index(ticket), Thread.currentThread());
            }
        }
    }

    /** Waits for room: for the given ticket, or for the next one, which is then issued. */
    private long await(long wanted, long timeoutNanos) {
        if (wanted < 0) {
            checkIssues();
        }
        long start = 0;
        for (int round = -SPINS; ; round++) {
            if (!mayIssue()) {
                return endCode();
            }
            if (wanted < 0) {
                long ticket = issue();
                if (ticket != FULL) {
                    return ticket;
                }
            } else if (admission.hasRoom(wanted)) {
                startClocks(wanted);
                return wanted;
            }
            long ticket = wanted < 0 ? admission.nextTicket() : wanted;
            if (round == -SPINS) {
                if (timeoutNanos == 0) {
                    return TIMED_OUT;
                }
                refuseSelfDeadlock(ticket);
                start = System.nanoTime();
            } else if (Thread.currentThread().isInterrupted()) {
                return INTERRUPTED;
            } else {
                refuseSelfDeadlock(
                        ticket); // again: others may have taken tickets, up to this thread's own stage's bound
            }
            if (round < 0) {
                Thread.onSpinWait();
                continue;
            }
            long left = timeoutNanos == Long.MAX_VALUE ? Long.MAX_VALUE : timeoutNanos - (System.nanoTime() - start);
            if (left <= 0) {
                return TIMED_OUT;
            }
            for (OrderedScheduler<?> stage = this; stage != null; stage = stage.nextStage) {
                if (stage.limitNanos > 0) {
                    stage.expireOverdue();
                    left = Math.min(left, Math.max(100_000, stage.limitNanos / 10));
                }
            }
            admission.park(ticket, round, left, this);
        }
    }

    private void refuseSelfDeadlock(long ticket) {
        if (admission.isHeldUpBy(Thread.currentThread().getId(), ticket)) {
            throw new TicketRefusedException(
                    Reason.SELF_DEADLOCK,
                    ticket,
                    "ticket " + ticket + ": the window of " + buffer.window
                            + " is full, and only this thread, which is delivering, can make room",
                    null);
        }
    }

    private void checkIssues() {
        if (!issues) {
            throw new UnsupportedOperationException(
                    external ? "tickets come from outside" : "tickets are issued by the first stage");
        }
    }

    boolean mayIssue() {
        return life.isRunning();
    }

    private long endCode() {
        return life.state() == State.FAILED ? FAILED : CLOSED;
    }

    private TicketRefusedException ended(long ticket) {
        State state = life.state();
        return new TicketRefusedException(
                state == State.FAILED ? Reason.FAILED : Reason.CLOSED,
                ticket,
                "ticket " + ticket + ": the scheduler is " + state,
                life.cause());
    }

    /**
     * Makes the calling thread the ticket's owner, for messages and metrics. Does nothing unless owners are tracked.
     *
     * @param ticket an outstanding ticket
     */
    public void own(long ticket) {
        if (clock != null && OrderBuffer.ticketOf(buffer.stateWord(ticket)) == ticket) {
            clock.own(buffer.index(ticket), Thread.currentThread());
        }
    }

    /**
     * Makes a reusable handle.
     *
     * @return a handle without a ticket, for one thread at a time
     */
    public Ticket<T> newTicket() {
        return new Ticket<>(this);
    }

    // ---- completion ----

    /**
     * Completes a ticket: delivers the value now if the ticket has the turn, and then what waits behind it; else leaves it.
     * Never waits, never allocates. What the handler throws goes to the failure policy, not to the caller.
     *
     * @param ticket the ticket
     * @param value its value, not null
     * @return whether this thread delivered it (or, once the scheduler has ended, discarded it)
     * @throws NullPointerException if the value is null; the ticket is still open
     * @throws TicketRefusedException if the ticket is not open, or the scheduler has ended; nothing has changed
     */
    public boolean complete(long ticket, T value) {
        return finish(ticket, OrderBuffer.VALUE, Objects.requireNonNull(value, "value"));
    }

    /**
     * Completes a ticket with a task to run in its turn, in place of the handler. As {@link #complete}.
     *
     * @param ticket the ticket
     * @param task the task, not null
     * @return whether this thread ran it
     * @throws NullPointerException if the task is null; the ticket is still open
     * @throws TicketRefusedException as {@code complete}
     */
    public boolean run(long ticket, Runnable task) {
        return finish(ticket, OrderBuffer.TASK, Objects.requireNonNull(task, "task"));
    }

    /**
     * Completes a ticket with a failure, which {@link OrderedHandler#onFailed} gets in its turn. As {@link #complete}.
     *
     * @param ticket the ticket
     * @param cause why, not null
     * @return whether this thread delivered it
     * @throws NullPointerException if the cause is null; the ticket is still open
     * @throws TicketRefusedException as {@code complete}
     */
    public boolean fail(long ticket, Throwable cause) {
        return finish(ticket, OrderBuffer.FAILURE, Objects.requireNonNull(cause, "cause"));
    }

    /**
     * Gives a ticket up: {@link OrderedHandler#onTrashed} is called in its turn. As {@link #complete}.
     *
     * @param ticket the ticket
     * @return whether this thread delivered it
     * @throws TicketRefusedException as {@code complete}
     */
    public boolean trash(long ticket) {
        return finish(ticket, OrderBuffer.TRASH, NO_ITEM);
    }

    /**
     * Completes a ticket when a stage ends: with its value, or as failed with its exception or for a null value. Called by
     * whatever thread ends the stage; if the ticket has expired or the scheduler has ended by then, nothing happens.
     *
     * @param ticket the ticket
     * @param stage the stage
     * @throws TicketRefusedException if the ticket was never issued
     */
    public void completeFrom(long ticket, CompletionStage<? extends T> stage) {
        Objects.requireNonNull(stage, "stage");
        if (!isKnown(ticket)) {
            throw refused(ticket);
        }
        stage.whenComplete((value, cause) -> {
            if (cause != null) {
                tryFinish(ticket, OrderBuffer.FAILURE, cause);
            } else if (value == null) {
                tryFinish(
                        ticket,
                        OrderBuffer.FAILURE,
                        new NullPointerException("ticket " + ticket + ": the stage's value"));
            } else {
                tryFinish(ticket, OrderBuffer.VALUE, value);
            }
        });
    }

    private boolean finish(long ticket, int state, Object item) {
        int done = tryFinish(ticket, state, item);
        if (done == OrderBuffer.REFUSED) {
            throw refused(ticket);
        }
        return done == OrderBuffer.OURS;
    }

    private int tryFinish(long ticket, int state, Object item) {
        int done = admission.mayComplete(ticket) ? buffer.offer(ticket, state, item) : OrderBuffer.REFUSED;
        if (done == OrderBuffer.REFUSED) {
            done = offerAgain(ticket, state, item);
        }
        if (done == OrderBuffer.OURS) {
            drain(ticket, state, item);
        }
        return done;
    }

    private int offerAgain(long ticket, int state, Object item) {
        return isKnown(ticket) && isOpenAfterAll(ticket) ? buffer.offer(ticket, state, item) : OrderBuffer.REFUSED;
    }

    /** An external ticket may come without having acquired its slot; the tail brings it. A duplicate is refused again. */
    private boolean isOpenAfterAll(long ticket) {
        return ticket < buffer.tailAcquire() + buffer.window
                && OrderBuffer.ticketOf(buffer.stateWord(ticket)) == ticket;
    }

    private boolean isKnown(long ticket) {
        return ticket >= first && admission.mayComplete(ticket);
    }

    boolean tryTrash(long ticket) {
        return tryFinish(ticket, OrderBuffer.TRASH, NO_ITEM) != OrderBuffer.REFUSED;
    }

    private TicketRefusedException refused(long ticket) {
        if (!isKnown(ticket)) {
            long last = external ? MAX_TICKET : nextTicket() - 1;
            String allowed = last < first ? "none is issued" : "issued are " + first + " to " + last;
            return new TicketRefusedException(
                    Reason.NOT_ISSUED, ticket, "ticket " + ticket + ": never issued here; " + allowed, null);
        }
        long word = buffer.stateWord(ticket);
        long stamp = OrderBuffer.ticketOf(word);
        int state = OrderBuffer.stateOf(word);
        if (stamp == ticket
                && (state == OrderBuffer.DEAD
                        || ((state == OrderBuffer.FILLING || state == OrderBuffer.TAKEN)
                                && hasEnded()))) { // a closer takes, or took, the head's turn meanwhile
            return ended(ticket);
        }
        if (stamp < ticket) {
            return hasEnded()
                    ? ended(ticket)
                    : new TicketRefusedException(
                            Reason.EARLY,
                            ticket,
                            "ticket " + ticket + ": beyond the window, which ends at " + (stamp + buffer.window - 1)
                                    + " for its slot; the head is " + buffer.tailAcquire(),
                            null);
        }
        if (clock != null && clock.isExpired(buffer.index(ticket), ticket)) {
            return new TicketRefusedException(
                    Reason.EXPIRED,
                    ticket,
                    "ticket " + ticket + ": failed on its owner's behalf after its limit of " + limitNanos + " ns",
                    null);
        }
        return stamp > ticket
                ? new TicketRefusedException(
                        Reason.LATE,
                        ticket,
                        "ticket " + ticket + ": handled already; the head is " + buffer.tailAcquire(),
                        null)
                : new TicketRefusedException(
                        Reason.DUPLICATE, ticket, "ticket " + ticket + ": completed already", null);
    }

    // ---- the drain ----

    /**
     * The caller is the drainer, with its own ticket's item in its hands: delivers it and passes the turn. All that an item in
     * its turn needs, and short enough to become part of the caller's code; what is more than that stands outside. Behind the
     * handler the ticket is read anew: a handler that is called, and not part of the code, makes all that is needed after it be
     * stored before it, and the locked instruction that passes the turn waits for each of those stores.
     */
    private void drain(long ticket, int state, Object item) {
        long head;
        int behind;
        try {
            if (hasEnded()) {
                discard(ticket, state, item);
                return;
            }
            deliver(ticket, state, item);
            OrderBuffer slots = buffer;
            long handled = slots.tailPlain(); // the ticket
            if (clock != null) {
                clock.clear(slots.index(handled));
            }
            slots.free(handled);
            head = handled + 1;
            behind = slots.passTurn(head);
        } catch (Throwable broken) { // no user code throws up to here
            abandon(buffer.tailPlain(), broken);
            throw broken;
        }
        if (behind != 0) {
            drainBehind(head, 1, 1);
        } else if (admission.isAwaited()) {
            passed(head);
        }
    }

    /** Somebody waits for a turn to have been passed, or has to know: ticket takers, or the end, which takes it back. */
    private void passed(long head) {
        admission.wakeAll();
        // else whoever has it by now, or will have it, finds the end as this thread does
        if (hasEnded() && mayTakeBack() && buffer.tryTakeTurn(head)) {
            try {
                buffer.bury(head);
                discardBehind(head);
            } catch (Throwable broken) { // no user code throws up to here
                abandon(head, broken);
                throw broken;
            }
        }
    }

    /** An unchecked finisher takes the turn by a store, so after a halt, which nobody can foresee, the turn is left to it. */
    private boolean mayTakeBack() {
        return !buffer.unchecked || life.state() == State.CLOSED;
    }

    /**
     * The caller is the drainer, and goes on with what waits.
     *
     * @param from the first ticket that has not been handled
     * @param before how many this thread has handled in a row
     * @param countedBefore how many of them are not to be counted as left by others: its own
     */
    private void drainBehind(long from, int before, int countedBefore) {
        OrderBuffer slots = buffer;
        long ticket = from;
        int run = before;
        int counted = countedBefore;
        try {
            while (true) {
                int state = slots.peek(ticket);
                if (state == 0) {
                    if (run > counted) {
                        slots.drained(run, run - counted); // before the turn is passed: still the only writer
                        counted = run;
                    }
                    state = slots.passTurn(ticket);
                    if (state == 0) {
                        break;
                    }
                } else {
                    admission
                            .wake(); // without order: whoever is missed is found when the turn is passed, or by its net
                    if (handOver != null && run >= handOver.limit) {
                        if (handOver(handOver, ticket, run, counted)) {
                            return;
                        }
                        counted = 0;
                        run = 0;
                    }
                }
                Object item = slots.take(ticket);
                if (hasEnded()) {
                    discard(ticket, state, item);
                    return;
                }
                deliver(ticket, state, item);
                if (clock != null) {
                    clock.clear(slots.index(ticket));
                }
                slots.free(ticket);
                ticket++;
                run++;
            }
        } catch (Throwable broken) { // no user code throws up to here
            abandon(ticket, broken);
            throw broken;
        }
        if (admission.isAwaited()) {
            passed(ticket);
        }
    }

    /** Offers the rest to the executor; true if the role is with it now. */
    private boolean handOver(HandOver over, long ticket, int run, int counted) {
        buffer.drained(run, run - counted);
        counts.add(DrainCounts.HAND_OVERS, 1);
        buffer.letGo();
        if (over.give(ticket)) {
            return true;
        }
        buffer.hold();
        counts.add(DrainCounts.HAND_OVERS_REFUSED, 1);
        return false;
    }

    private void abandon(long ticket, Throwable broken) {
        buffer.letGo();
        ABANDONED.setRelease(this, ticket + 1); // release: the role, to a closer
        halt(broken, ticket);
    }

    /** On the executor's thread: the role has been taken from the hand-over. */
    void resume(long ticket) {
        buffer.hold();
        drainBehind(ticket, 0, 0);
    }

    private boolean hasEnded() {
        if (life.isRunning()) {
            return false;
        }
        State state = life.state();
        return state == State.CLOSED || state == State.FAILED;
    }

    /** Calls the handler, and the policy for what it throws. Throws nothing. */
    private void deliver(long ticket, int state, Object item) {
        try {
            call(ticket, state, item);
        } catch (Throwable thrown) {
            recover(ticket, state, item, thrown);
            return;
        }
        if (state != OrderBuffer.VALUE && state != OrderBuffer.TASK) {
            countEnd(ticket, state, item);
        }
    }

    @SuppressWarnings("unchecked") // VALUE items were given to complete(long, T)
    private void call(long ticket, int state, Object item) throws Exception {
        switch (state) {
            case OrderBuffer.VALUE -> handler.onCompleted(ticket, (T) item);
            case OrderBuffer.TASK -> ((Runnable) item).run();
            case OrderBuffer.TRASH -> handler.onTrashed(ticket);
            default -> handler.onFailed(ticket, (Throwable) item);
        }
    }

    private void countEnd(long ticket, int state, Object item) {
        OrderedScheduler<?> after = nextStage;
        if (state == OrderBuffer.TRASH) {
            counts.add(DrainCounts.TRASHED, 1);
            if (after != null) {
                after.tryTrash(ticket);
            }
        } else {
            counts.add(state == OrderBuffer.EXPIRED ? DrainCounts.EXPIRED : DrainCounts.FAILED, 1);
            if (after != null) {
                after.tryFinish(ticket, OrderBuffer.FAILURE, item);
            }
        }
    }

    private void countEndAfterFailure(long ticket, int state, Object item, Throwable cause) {
        if (state == OrderBuffer.VALUE || state == OrderBuffer.TASK) {
            countEnd(ticket, OrderBuffer.FAILURE, cause);
        } else {
            countEnd(ticket, state, item);
        }
    }

    @SuppressWarnings("unchecked") // VALUE items were given to complete(long, T)
    private void recover(long ticket, int state, Object item, Throwable thrown) {
        Throwable cause = thrown;
        int attempt = 1;
        while (true) {
            if (cause instanceof InterruptedException) {
                Thread.currentThread().interrupt(); // the flag belongs to the thread, which is not the handler's
            }
            FailurePolicy.Action action = FailurePolicy.Action.HALT;
            try {
                FailurePolicy.Action asked =
                        policy.onFailure(cause, state == OrderBuffer.VALUE ? (T) item : null, ticket, attempt);
                if (!(cause instanceof Error) && asked != null) {
                    action = asked;
                }
            } catch (Throwable policyFailure) {
                if (policyFailure != cause) {
                    cause.addSuppressed(policyFailure);
                }
            }
            if (action == FailurePolicy.Action.SKIP) {
                countEndAfterFailure(ticket, state, item, cause);
                return;
            }
            if (action != FailurePolicy.Action.RETRY_EVENT) {
                if (action == FailurePolicy.Action.REWIND_BATCH) {
                    cause.addSuppressed(
                            new UnsupportedOperationException("REWIND_BATCH: tickets are handled one by one; halted"));
                }
                failUpTo(this, cause); // first, so that it is the cause for all, whatever the next stage makes of it
                countEndAfterFailure(ticket, state, item, cause);
                halt(cause, ticket);
                return;
            }
            if (hasEnded()) { // else a policy that always retries would never let a close or a halt come to its end
                countEndAfterFailure(ticket, state, item, cause);
                report(cause, "is not handled again at ticket " + ticket + ", since the scheduler has ended");
                return;
            }
            counts.add(DrainCounts.RETRIES, 1);
            attempt++;
            try {
                call(ticket, state, item);
                if (state != OrderBuffer.VALUE && state != OrderBuffer.TASK) {
                    countEnd(ticket, state, item);
                }
                return;
            } catch (Throwable again) {
                cause = again;
            }
        }
    }

    // ---- the end ----

    /** Ends all stages: a ticket that cannot pass one of them comes to no good in another. */
    private void halt(Throwable cause, long ticket) {
        Throwable kept = failUpTo(null, cause);
        endTickets();
        if (!isHandedOn(cause, kept)) {
            report(cause, "failed at ticket " + ticket + " and is halted");
        }
    }

    /** Fails the stages up to the last, or all; of two halts at once one gives its cause to all: that cause. */
    private Throwable failUpTo(@Nullable OrderedScheduler<?> last, Throwable cause) {
        Throwable kept = cause;
        for (OrderedScheduler<?> stage = firstStage; stage != null; stage = stage.nextStage) {
            if (!(stage == this ? life.fail(kept) : stage.failAlong(kept))) {
                Throwable before = stage.life.cause();
                kept = before == null ? kept : before;
            }
            if (stage == last) {
                break;
            }
        }
        return kept;
    }

    private boolean failAlong(Throwable cause) {
        return life.fail(cause);
    }

    /** Whether a stage before failed with it, and has reported it, or will. */
    private static boolean isHandedOn(Throwable cause, Throwable kept) {
        return cause != kept
                && cause instanceof TicketFailedException
                && (cause.getCause() == kept
                        || (kept instanceof TicketFailedException && cause.getCause() == kept.getCause()));
    }

    /** The others issue no more tickets either, since one that this stage refuses would hold up their windows for good. */
    private void drainAll() {
        for (OrderedScheduler<?> stage = firstStage; stage != null; stage = stage.nextStage) {
            stage.life.drain();
        }
    }

    /** After the life-cycle words of all stages have moved, so that whoever is refused finds out why. */
    private void endTickets() {
        admission.end();
        admission.announceEnd();
        admission.wakeAtEnd();
    }

    private void report(Throwable cause, String what) {
        try {
            Throwable report = new HandlingFailedException(name + " " + what, cause);
            try {
                errors.onError(report);
            } catch (Throwable broken) { // is told by the log, with what it was told
                if (broken != cause) {
                    cause.addSuppressed(broken);
                }
                ErrorLog.INSTANCE.onError(report);
            }
        } catch (Throwable broken) { // the order, and its end, must not depend on it
            return;
        }
    }

    /** Discards the item in hand, then everything behind it. */
    private void discard(long ticket, int state, Object item) {
        discardItem(ticket, state, item);
        buffer.bury(ticket);
        discardBehind(ticket);
    }

    private void discardBehind(long ticket) {
        for (long behind = ticket + 1; behind < ticket + buffer.window; behind++) {
            discardSlot(behind);
        }
        buffer.letGo();
        SETTLED.setRelease(this, true); // release: with the counts and the handler's effects
        admission.wakeAtEnd();
    }

    private void discardSlot(long ticket) {
        int state = buffer.kill(ticket);
        if (state != 0) {
            discardItem(ticket, state, buffer.take(ticket));
            buffer.bury(ticket);
        }
    }

    @SuppressWarnings("unchecked") // VALUE items were given to complete(long, T)
    private void discardItem(long ticket, int state, Object item) {
        counts.add(DrainCounts.DISCARDED, 1);
        try {
            handler.onDiscarded(ticket, state == OrderBuffer.VALUE ? (T) item : null);
        } catch (Throwable thrown) {
            counts.discardFailure(thrown);
        }
    }

    /**
     * Issues no more tickets, in any stage, and waits until all that were issued have been handled (with external tickets: until nothing
     * that was completed is left). Completions go on. With {@link TicketMode#SINGLE} exact if no thread is inside {@code next}
     * at the time of the call. A later {@link #close()} is still needed, and finds nothing to discard after {@code true}.
     *
     * @param timeoutNanos how long to wait, in nanoseconds; 0 or less: not at all
     * @return whether all were handled; false if the time is over, the thread was interrupted (its flag stays set), or the
     *     scheduler has ended before
     * @throws TicketRefusedException if called by the thread that is delivering, before all is handled
     */
    public boolean drain(long timeoutNanos) {
        drainAll();
        admission.end();
        admission.wakeAtEnd();
        long start = System.nanoTime();
        while (true) {
            if (isDrained()) {
                return true;
            }
            if (buffer.isDrainer(Thread.currentThread().getId())) {
                throw new TicketRefusedException(
                        Reason.SELF_DEADLOCK,
                        nextTicket(),
                        "drain: only this thread, which is delivering, can hand out what is left",
                        null);
            }
            if (hasEnded()
                    || System.nanoTime() - start >= timeoutNanos
                    || Thread.currentThread().isInterrupted()) {
                return isDrained();
            }
            expireOverdue();
            LockSupport.parkNanos(this, 50_000); // a cold path: polls
        }
    }

    private boolean isDrained() {
        long head = buffer.tailAcquire();
        if (!external) {
            return head >= admission.nextTicket();
        }
        for (long ticket = head; ticket < head + buffer.window; ticket++) {
            int state = OrderBuffer.stateOf(buffer.stateWord(ticket));
            if (state != OrderBuffer.EMPTY && state != OrderBuffer.TURN) {
                return false;
            }
        }
        return true;
    }

    /**
     * Ends the scheduler: no more tickets, no more deliveries. What was completed and waits is discarded ({@link
     * OrderedHandler#onDiscarded}, in order); tickets completed from now on are refused. Waits for a handler call that is under
     * way, unless called from inside it: then the rest is discarded when it returns. A call that fails is not made again,
     * whatever the failure policy says. An interrupt does not end the wait; its flag stays set. A second call changes nothing.
     * On an {@code unchecked} scheduler no completion may be under way. Other stages of the same tickets go on with what is
     * outstanding, but issue no more.
     *
     * <p>To hand out first what is outstanding, call {@link #drain} before.
     */
    @Override
    public void close() {
        life.close();
        drainAll();
        endTickets();
        boolean interrupted = false;
        while (!isSettled() && !buffer.isDrainer(Thread.currentThread().getId())) {
            long head = buffer.tailAcquire();
            HandOver over = handOver;
            long handed = over == null ? -1 : over.take();
            long abandoned = (long) ABANDONED.getAndSet(this, 0L); // one closer takes the role of a drainer that broke
            if (abandoned != 0) {
                buffer.hold();
                buffer.bury(abandoned - 1);
                discardBehind(abandoned - 1);
            } else if (handed >= 0) {
                buffer.hold();
                discardSlot(handed);
                discardBehind(handed);
            } else if (buffer.tryTakeTurn(head)) {
                buffer.bury(head);
                discardBehind(head);
            } else {
                interrupted |= Thread.interrupted();
                LockSupport.parkNanos(this, 50_000); // a cold path: polls for the end of a handler call
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isSettled() {
        return (boolean) SETTLED.getAcquire(this); // acquire: with the counts
    }

    // ---- lost tickets ----

    /**
     * Fails every outstanding ticket whose time limit is over, in order: by the calling thread, which may thereby deliver.
     * Called by ticket takers while they wait; otherwise call it from a thread of your own, or let {@link #watchdog} do so.
     * Does nothing if there is no limit. With external tickets, for those that {@link #awaitRoom} has let in.
     *
     * @return how many tickets were failed
     */
    public int expireOverdue() {
        TicketClock ages = clock;
        if (limitNanos <= 0 || ages == null) {
            return 0;
        }
        int expired = 0;
        long now = System.nanoTime();
        long head = buffer.tailAcquire();
        long end = external ? head + buffer.window : Math.min(admission.nextTicket(), head + buffer.window);
        for (long ticket = head; ticket < end; ticket++) {
            int slot = buffer.index(ticket);
            long mark = ages.expiredMark(slot);
            long word = buffer.stateWord(ticket);
            int state = OrderBuffer.stateOf(word);
            long age = ages.age(slot, now);
            boolean open = state == OrderBuffer.EMPTY || state == OrderBuffer.TURN;
            if (OrderBuffer.ticketOf(word) == ticket && open && age > limitNanos) {
                Thread owner = ages.owner(slot);
                TicketExpiredException cause = new TicketExpiredException(
                        ticket, age, limitNanos, owner == null ? "not known" : owner.getName());
                if (ages.markExpired(slot, mark, ticket) && expire(ages, slot, ticket, cause)) {
                    expired++;
                }
            }
        }
        return expired;
    }

    private boolean expire(TicketClock ages, int slot, long ticket, TicketExpiredException cause) {
        int done = buffer.offer(ticket, OrderBuffer.EXPIRED, cause);
        if (done == OrderBuffer.REFUSED) {
            ages.unmarkExpired(slot, ticket);
            return false; // its owner came first
        }
        if (done == OrderBuffer.OURS) {
            drain(ticket, OrderBuffer.EXPIRED, cause);
        }
        return true;
    }

    /**
     * An agent that fails overdue tickets, for an agent runner of yours.
     *
     * @param roleName its role name
     * @return an agent whose duty cycle is {@link #expireOverdue}
     */
    public Agent watchdog(String roleName) {
        Objects.requireNonNull(roleName, "roleName");
        return new Agent() {
            @Override
            public int doWork() {
                return expireOverdue();
            }

            @Override
            public String roleName() {
                return roleName;
            }
        };
    }

    // ---- inspection ----

    /**
     * How many tickets may be outstanding.
     *
     * @return the window
     */
    public int window() {
        return buffer.window;
    }

    /**
     * Where the scheduler is in its life.
     *
     * @return the state
     */
    public State state() {
        return life.state();
    }

    /**
     * Why the scheduler was halted.
     *
     * @return the cause, null unless it failed
     */
    public @Nullable Throwable failure() {
        return life.cause();
    }

    private long nextTicket() {
        return external ? buffer.tailAcquire() : admission.nextTicket();
    }

    /**
     * Where every ticket went. Costs a few reads.
     *
     * @return a snapshot; exact once the scheduler has ended
     */
    public Account account() {
        boolean done = isSettled();
        long failed = counts.get(DrainCounts.FAILED);
        long trashed = counts.get(DrainCounts.TRASHED);
        long expired = counts.get(DrainCounts.EXPIRED);
        long discarded = counts.get(DrainCounts.DISCARDED);
        long handled = buffer.tailAcquire() - first;
        long issued = external ? handled + discarded : admission.nextTicket() - first;
        long delivered = Math.max(0, handled - failed - trashed - expired);
        long open = Math.max(0, issued - handled - discarded);
        return new Account(issued, delivered, failed, trashed, expired, discarded, open, done, counts.discardFailure());
    }

    /**
     * Looks at the scheduler. Nobody pays for it but the caller, who allocates. Two looks tell the head's age even if issue
     * times are not kept.
     *
     * @return a snapshot
     */
    public Metrics metrics() {
        long now = System.nanoTime();
        long head = buffer.tailAcquire();
        long issued = external ? head : Math.max(head, admission.nextTicket());
        long outstanding = Math.min(buffer.window, external ? 0 : issued - admission.lowestTail());
        int slot = buffer.index(head);
        long age = clock == null ? -1 : clock.age(slot, now);
        Thread owner = clock == null ? null : clock.owner(slot);
        boolean headPending = outstanding > 0 && buffer.hasTurnVolatile(head);
        if (age < 0) {
            Look before = (Look) LOOK.getAcquire(this); // acquire: published by another look
            if (before == null || before.head != head || (issued == head && !external)) {
                LOOK.setRelease(
                        this, new Look(head, now)); // release: for other looks; racing looks may restart the age
                age = 0;
            } else {
                age = Math.max(0, now - before.nanos);
            }
        }
        long deferred = buffer.deferred();
        long handled = head - first;
        long longest = buffer.longest();
        return new Metrics(
                head,
                issued,
                buffer.window,
                outstanding,
                age,
                owner,
                headPending,
                Math.max(0, handled - deferred),
                deferred,
                longest == 0 && handled > 0 ? 1 : longest,
                admission.parks(),
                counts.get(DrainCounts.RETRIES),
                counts.get(DrainCounts.HAND_OVERS),
                counts.get(DrainCounts.HAND_OVERS_REFUSED));
    }

    /** Refuses what would wait for the lock of others, who may wait for the room that only this thread can make. */
    boolean isDelivering() {
        return admission.isDrainer(Thread.currentThread().getId());
    }

    TicketRefusedException refusedInDelivery(String what) {
        return new TicketRefusedException(
                Reason.SELF_DEADLOCK,
                nextTicket(),
                what + ": others wait for room in the window, and only this thread, which is delivering, can make it",
                null);
    }

    @Override
    public String toString() {
        return "OrderedScheduler{head " + buffer.tailAcquire() + ", next " + nextTicket() + ", window " + buffer.window
                + ", " + life + "}";
    }

    /**
     * Builds a scheduler. Not for use by several threads at once.
     *
     * @param <T> the values' type
     */
    public static final class Builder<T> {
        private final OrderedHandler<? super T> handler;
        private FailurePolicy<? super T> policy = FailurePolicies.halt();
        private TicketMode mode = TicketMode.MANY;
        private int window = 1024;
        private long first;
        private boolean unchecked;
        private boolean tracking;
        private long limitNanos;
        private int batchLimit;
        private @Nullable Executor executor;
        private @Nullable OrderedScheduler<?> after;
        private String name = "ordered scheduler";
        private ErrorHandler errors = ErrorLog.INSTANCE;

        private Builder(OrderedHandler<? super T> handler) {
            this.handler = handler;
        }

        /**
         * How many tickets may be outstanding. A later stage has its first stage's.
         *
         * @param window a power of two, 1 to {@link #MAX_WINDOW}
         * @return this
         * @throws IllegalArgumentException if it is not
         */
        public Builder<T> window(int window) {
            if (window < 1 || window > MAX_WINDOW || Integer.bitCount(window) != 1) {
                throw new IllegalArgumentException(
                        "window " + window + ": allowed are powers of two from 1 to " + MAX_WINDOW);
            }
            this.window = window;
            return this;
        }

        /**
         * Who numbers the tickets.
         *
         * @param mode the mode; {@link TicketMode#MANY} unless set
         * @return this
         */
        public Builder<T> tickets(TicketMode mode) {
            this.mode = Objects.requireNonNull(mode, "mode");
            return this;
        }

        /**
         * The first ticket's number.
         *
         * @param ticket 0 (unless set) to half of {@link #MAX_TICKET}
         * @return this
         * @throws IllegalArgumentException if it is out of its range
         */
        public Builder<T> firstTicket(long ticket) {
            if (ticket < 0 || ticket > MAX_TICKET / 2) {
                throw new IllegalArgumentException("ticket " + ticket + ": allowed are 0 to " + MAX_TICKET / 2);
            }
            this.first = ticket;
            return this;
        }

        /**
         * What to do when the handler or a task throws: SKIP counts the ticket as failed and goes on, RETRY_EVENT calls again
         * (until the scheduler has ended: then the ticket counts as failed), HALT (and REWIND_BATCH, which has no meaning
         * here) ends the scheduler. An {@link Error} always halts.
         *
         * @param policy the policy; it halts unless set. It gets the value (null for tasks and failures) and the ticket
         * @return this
         */
        public Builder<T> onFailure(FailurePolicy<? super T> policy) {
            this.policy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * What the scheduler is called in reports of failures.
         *
         * @param name the name; "ordered scheduler" unless set
         * @return this
         */
        public Builder<T> name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Is told once of the failure that halts the scheduler, and of one that a {@link #close} keeps from being retried: a
         * {@link HandlingFailedException}, whose cause it is. Called by the thread that delivers, after the scheduler has
         * ended. What it throws is suppressed in that cause, which the logger gets then.
         *
         * @param errors the handler; unless set, {@link System.Logger} {@code io.sluice.ordered} gets an error
         * @return this
         */
        public Builder<T> errorHandler(ErrorHandler errors) {
            this.errors = Objects.requireNonNull(errors, "errors");
            return this;
        }

        /**
         * Limits how many tickets one thread handles in a row: then the rest goes to an executor. If the executor refuses, or
         * runs the task at once, the thread goes on itself. An executor that drops tasks silently stops the order until {@link
         * #close}.
         *
         * @param limit at least 1
         * @param executor for the rest
         * @return this
         * @throws IllegalArgumentException if the limit is below 1
         */
        public Builder<T> batchLimit(int limit, Executor executor) {
            if (limit < 1) {
                throw new IllegalArgumentException("limit " + limit + ": allowed are 1 and more");
            }
            this.batchLimit = limit;
            this.executor = Objects.requireNonNull(executor, "executor");
            return this;
        }

        /**
         * Fails tickets that are outstanding for too long: see {@link #expireOverdue}. Costs a clock read a ticket.
         *
         * @param nanos the limit in nanoseconds, at least 1
         * @return this
         * @throws IllegalArgumentException if it is below 1
         */
        public Builder<T> timeLimit(long nanos) {
            if (nanos < 1) {
                throw new IllegalArgumentException("nanos " + nanos + ": allowed are 1 and more");
            }
            this.limitNanos = nanos;
            return this;
        }

        /**
         * Keeps the issue time and the owner's thread of each outstanding ticket, for metrics. Costs a clock read a ticket.
         *
         * @return this
         */
        public Builder<T> trackOwners() {
            this.tracking = true;
            return this;
        }

        /**
         * Saves one atomic read-modify-write an item. The caller guarantees that no ticket is completed twice at the same
         * moment, and that {@link #close} is not called while a completion is under way.
         *
         * @return this
         */
        public Builder<T> unchecked() {
            this.unchecked = true;
            return this;
        }

        /**
         * Makes this a later stage on the same tickets: parallel, ordered, parallel, ordered. A ticket is then granted only if
         * there is room in every stage, and completed once in each. A ticket that is trashed, failed or expired in the stage
         * before, or whose handling failed there, is trashed or failed here without further ado. Only before the first ticket is
         * taken.
         *
         * <p>The stages end together: a halt of any stage halts all, with the same cause; a drain or a close of any stage ends
         * the issue of tickets, and the others are draining then. Each stage is drained and closed by itself, first to last.
         *
         * @param stage the stage before
         * @return this
         * @throws IllegalArgumentException if the stage has a later one already
         */
        public Builder<T> after(OrderedScheduler<?> stage) {
            if (Objects.requireNonNull(stage, "stage").nextStage != null) {
                throw new IllegalArgumentException("stage: it is followed by another stage already");
            }
            this.after = stage;
            return this;
        }

        /** Builds a lane, whose issued tickets begin in a range of their own. */
        OrderedScheduler<T> buildLane(long from, long count) {
            if (after != null) {
                throw new IllegalArgumentException("it is a later stage; allowed are first stages");
            }
            if (mode == TicketMode.EXTERNAL) {
                return build();
            }
            if (first >= count) {
                throw new IllegalArgumentException(
                        "its first ticket is " + first + "; allowed are 0 to " + (count - 1));
            }
            long own = first;
            first = from + own;
            try {
                return build();
            } finally {
                first = own; // the builder may make another lane
            }
        }

        /**
         * Builds the scheduler.
         *
         * @return a running scheduler
         * @throws IllegalStateException if {@code unchecked} is combined with a time limit, or the stage before has issued
         *     tickets or been followed by another stage meanwhile
         */
        public OrderedScheduler<T> build() {
            if (unchecked && limitNanos > 0) {
                throw new IllegalStateException("timeLimit " + limitNanos
                        + ": not allowed with unchecked, since an expiry" + " is a second completion");
            }
            OrderedScheduler<?> stage = after;
            if (stage != null
                    && (stage.nextStage != null
                            || stage.admission.nextTicket() != stage.first
                            || stage.buffer.tailAcquire() != stage.first)) {
                throw new IllegalStateException("after: the stage before has issued tickets or is followed already");
            }
            return new OrderedScheduler<>(this);
        }
    }

    private static final VarHandle SETTLED;
    private static final VarHandle ABANDONED;
    private static final VarHandle LOOK;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SETTLED = lookup.findVarHandle(OrderedScheduler.class, "settled", boolean.class);
            ABANDONED = lookup.findVarHandle(OrderedScheduler.class, "abandoned", long.class);
            LOOK = lookup.findVarHandle(OrderedScheduler.class, "look", Look.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
