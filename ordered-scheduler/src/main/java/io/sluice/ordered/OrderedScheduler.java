package io.sluice.ordered;

import io.sluice.core.State;
import io.sluice.core.check.Check;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/*
 * The facade. Behind it: TicketDispenser with Admission (who gets a ticket), Delivery with OrderBuffer (who delivers it),
 * FailureHandling (what throws), Shutdown (drain, close, halt), TimeLimit with TicketClock (lost tickets), Inspection (counts).
 * OrderedSchedulerBuilder puts them together.
 */

/**
 * Work in parallel, output in order, no thread of its own. Take a ticket when an item is read; work on the item on any thread;
 * then complete the ticket. The thread whose ticket is next in order calls the handler, for this ticket and for completed ones that
 * wait behind it. The other threads leave their value and are free at once. After J.-Ph. Bempel, <i>Ordered Scheduler</i> (2015),
 * and Intel's <i>Exploiting Data Parallelism in Ordered Data Streams</i>.
 *
 * <ul>
 *   <li>Order: the handler is called for each ticket once, in the tickets' order, one call at a time. The
 *       effects of one call are visible to the next.
 *   <li>Bound: at most {@code window} tickets are outstanding. Only taking a ticket waits. Completing never waits; it may
 *       deliver, also for others, up to the batch limit.
 *   <li>Exact: a ticket that is completed twice, late, early, or was never issued, is refused with a {@link
 *       TicketRefusedException}, and nothing is disturbed. This holds for two completions at the same moment too.
 *   <li>Progress: leaving a value is wait-free. Only the owner of the first open ticket, or a delivering thread that
 *       does not run, holds up the output.
 *   <li>Cost: an item in its turn takes two atomic read-modify-writes ({@code unchecked}: one), a value left for its turn two
 *       (one). Nothing is allocated but what the caller makes. Waiting ticket takers park.
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

    /** The scheduler was halted, or another stage of its tickets: {@link #failure()} says why. */
    public static final long FAILED = -5;

    /** {@link #next(long, TimeUnit)}: the thread was interrupted; its flag stays set. */
    public static final long INTERRUPTED = -6;

    /** The largest window: {@value}. */
    public static final int MAX_WINDOW = 1 << 24;

    /** The highest ticket: {@value}. */
    public static final long MAX_TICKET = OrderBuffer.MAX_TICKET;

    final Delivery<T> delivery;
    private final TicketDispenser tickets;
    private final Inspection inspection;

    OrderedScheduler(Delivery<T> delivery) {
        this.delivery = delivery;
        this.tickets = new TicketDispenser(delivery);
        this.inspection = new Inspection(delivery);
    }

    /**
     * Starts a scheduler of values.
     *
     * @param handler is called in order
     * @param <T> the values' type
     * @return a builder: window 1024, tickets by many threads, halting at the first failure
     */
    public static <T> OrderedSchedulerBuilder<T> builder(OrderedHandler<? super T> handler) {
        return new OrderedSchedulerBuilder<>(Check.notNull(handler, "handler"));
    }

    /**
     * Starts a scheduler of tasks: the task that completes a ticket is run in the ticket's turn.
     *
     * @return a builder, as {@link #builder}
     */
    public static OrderedSchedulerBuilder<Runnable> tasks() {
        return new OrderedSchedulerBuilder<>((ticket, task) -> task.run());
    }

    // ---- tickets ----

    /**
     * Takes the next ticket. While the window is full it waits, parked after a short spin. With {@link TicketMode#SINGLE} one
     * thread at a time may call it. Allocates only when it parks. A thread that waits may deliver: tickets whose time is over, and
     * tickets that a batch limit's executor has not begun with.
     *
     * @return the ticket
     * @throws InterruptedException if the thread is interrupted while it waits; no ticket was taken
     * @throws TicketRefusedException if the scheduler is draining, closed or failed; or if a stage has no room and the calling
     *     thread is the one that would have to make it, since it is inside that stage's handler: then or while it waits
     * @throws UnsupportedOperationException if tickets come from outside, or this is a later stage
     */
    public long next() throws InterruptedException {
        return tickets.next();
    }

    /**
     * Takes the next ticket, and waits for at most a time. The unit stands beside the number, since {@code next(5)} of a producer
     * claims five sequences.
     *
     * @param timeout how long; 0 or less: not at all
     * @param unit of the timeout
     * @return the ticket, or {@link #TIMED_OUT}, {@link #CLOSED}, {@link #FAILED} or {@link #INTERRUPTED}
     * @throws TicketRefusedException if the calling thread is the one that would have to make room, then or while it waits
     * @throws UnsupportedOperationException if tickets come from outside, or this is a later stage
     */
    public long next(long timeout, TimeUnit unit) {
        return tickets.next(Math.max(0, unit.toNanos(timeout)));
    }

    /**
     * As {@link #next(long, TimeUnit)}.
     *
     * @param limit how long to wait; 0 or less: not at all
     * @return as there
     */
    public long next(Duration limit) {
        return tickets.next(Math.max(0, Check.nanos(limit, "limit")));
    }

    /**
     * Takes the next ticket if there is room. Never waits, so it does not go on in the stead of an executor that has not begun: see
     * {@link OrderedSchedulerBuilder#batchLimit}.
     *
     * @return the ticket, or {@link #FULL}, {@link #CLOSED} or {@link #FAILED}
     * @throws UnsupportedOperationException if tickets come from outside, or this is a later stage
     */
    public long tryNext() {
        return tickets.tryNext();
    }

    /**
     * Waits until an external ticket lies within the window. Call it where the input is read: then no completion comes too
     * early. The ticket's time limit, if any, starts here.
     *
     * @param ticket the ticket, from the first one to {@link #MAX_TICKET}
     * @param timeoutNanos how long to wait, in nanoseconds; 0 or less: not at all
     * @return the ticket, or {@link #TIMED_OUT}, {@link #CLOSED}, {@link #FAILED} or {@link #INTERRUPTED}
     * @throws IllegalArgumentException if the ticket is out of its range
     * @throws TicketRefusedException if the calling thread is the one that would have to make room
     * @throws UnsupportedOperationException if tickets do not come from outside
     */
    public long awaitRoom(long ticket, long timeoutNanos) {
        return tickets.awaitRoom(ticket, timeoutNanos);
    }

    /**
     * As {@link #awaitRoom(long, long)}.
     *
     * @param ticket the ticket
     * @param limit how long to wait; 0 or less: not at all
     * @return as there
     */
    public long awaitRoom(long ticket, Duration limit) {
        return awaitRoom(ticket, Check.nanos(limit, "limit"));
    }

    /**
     * Makes the calling thread the ticket's owner, for messages and {@link #snapshot}. Does nothing unless owners are tracked.
     *
     * @param ticket an outstanding ticket
     */
    public void own(long ticket) {
        tickets.own(ticket);
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
     * Completes a ticket. If it has the turn, the value is delivered now, and then what waits behind it; else the value is left.
     * Never waits, never allocates. An exception of the handler goes to the failure policy, not to the caller.
     *
     * @param ticket the ticket
     * @param value its value, not null
     * @return whether this thread delivered it (or, once the scheduler has ended, discarded it)
     * @throws NullPointerException if the value is null; the ticket is still open
     * @throws TicketRefusedException if the ticket is not open, or the scheduler has ended; nothing has changed
     */
    public boolean complete(long ticket, T value) {
        return delivery.complete(ticket, OrderBuffer.VALUE, Check.notNull(value, "value"));
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
        return delivery.complete(ticket, OrderBuffer.TASK, Check.notNull(task, "task"));
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
        return delivery.complete(ticket, OrderBuffer.FAILURE, Check.notNull(cause, "cause"));
    }

    /**
     * Gives a ticket up: {@link OrderedHandler#onTrashed} is called in its turn. As {@link #complete}.
     *
     * @param ticket the ticket
     * @return whether this thread delivered it
     * @throws TicketRefusedException as {@code complete}
     */
    public boolean trash(long ticket) {
        return delivery.complete(ticket, OrderBuffer.TRASH, OrderBuffer.NO_ITEM);
    }

    /**
     * Completes a ticket when a stage of computation ends: with its value, or as failed with its exception or for a null value.
     * The thread that ends the stage does so. If the ticket was completed otherwise meanwhile, the error handler is told. If the
     * ticket has expired or the scheduler has ended by then, a value is dropped, and the error handler is told of an
     * exception: it is suppressed in the refusal.
     *
     * @param ticket the ticket
     * @param stage the stage
     * @throws NullPointerException if the stage is null; the ticket is still open
     * @throws TicketRefusedException if the ticket was never issued, is completed already, or lies beyond the window
     */
    public void completeFrom(long ticket, CompletionStage<? extends T> stage) {
        Check.notNull(stage, "stage");
        if (!delivery.isOpen(ticket)) {
            TicketRefusedException refused = Refusals.completion(delivery, ticket);
            if (!refused.isOfEndOrExpiry() && !delivery.isOpen(ticket)) { // an external one may have become so
                throw refused;
            }
        }
        stage.whenComplete((value, cause) -> {
            int done = cause == null && value != null
                    ? delivery.tryComplete(ticket, OrderBuffer.VALUE, value)
                    : delivery.tryComplete(ticket, OrderBuffer.FAILURE, cause == null ? noValue(ticket) : cause);
            if (done == OrderBuffer.REFUSED) {
                TicketRefusedException refused = Refusals.completion(delivery, ticket);
                if (cause != null) {
                    refused.addSuppressed(cause); // else nobody would hear of it
                }
                if (cause != null || !refused.isOfEndOrExpiry()) {
                    delivery.failures.report(refused, "was not given what a stage ended with for ticket ", ticket, "");
                }
            }
        });
    }

    private static NullPointerException noValue(long ticket) {
        return new NullPointerException("the stage's value for ticket " + ticket + " must not be null");
    }

    // ---- the end ----

    /**
     * Issues no more tickets, in any stage, and waits until all that were issued have been handled; with external tickets, until
     * nothing that was completed is left. Completions go on. With {@link TicketMode#SINGLE} it is exact if no thread is inside
     * {@code next} at the time of the call. A later {@link #close()} is still needed, and finds nothing to discard after {@code
     * true}.
     *
     * @param timeoutNanos how long to wait, in nanoseconds; 0 or less: not at all
     * @return whether all were handled; false if the time is over, the thread was interrupted (its flag stays set), or the
     *     scheduler has ended before
     * @throws TicketRefusedException if called from inside a handler of this stage or of one before it, before all is handled:
     *     what is left waits for that call; or from inside a handler whose end a handler call under way, of this stage or of one
     *     before it, waits for in a drain or a close
     */
    public boolean drain(long timeoutNanos) {
        return delivery.shutdown.drain(timeoutNanos);
    }

    /**
     * As {@link #drain(long)}.
     *
     * @param limit how long to wait; 0 or less: not at all
     * @return as there
     */
    public boolean drain(Duration limit) {
        return drain(Check.nanos(limit, "limit"));
    }

    /**
     * Ends the scheduler: no more tickets, no more deliveries. Completed tickets that wait are discarded, in order ({@link
     * OrderedHandler#onDiscarded}). Tickets completed from now on are refused. Waits for a handler call that is under way, unless
     * called from inside it, or from inside one whose end that call waits for in a {@code close} of its own: then the rest is
     * discarded when it returns. A call that fails is not made again, whatever the failure policy says. An interrupt does not end
     * the wait; its flag stays set. A second call changes nothing. On an {@code unchecked} scheduler no completion may be under
     * way. Other stages of the same tickets go on with what is outstanding, but issue no more. If a call is cut off in its midst,
     * by a stack overflow or without memory, it throws that, and the next call, of whatever thread, discards the rest.
     *
     * <p>To deliver the outstanding tickets first, call {@link #drain} before.
     */
    @Override
    public void close() {
        delivery.shutdown.close();
    }

    // ---- lost tickets ----

    /**
     * Fails every outstanding ticket whose time limit is over, in order. The calling thread does it, and may thereby deliver.
     * Ticket takers do so while they wait; otherwise call it from a thread of your own, or let {@link #watchdog} do so. Does
     * nothing if there is no limit. With external tickets, for those that {@link #awaitRoom} has let in.
     *
     * @return how many tickets were failed
     */
    public int expireOverdue() {
        return delivery.expireOverdue();
    }

    /**
     * Makes an agent that fails overdue tickets, for an agent runner of yours.
     *
     * @param roleName its role name
     * @return an agent whose duty cycle is {@link #expireOverdue}
     */
    public Agent watchdog(String roleName) {
        Check.notNull(roleName, "roleName");
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
        return delivery.buffer.window;
    }

    /**
     * Where the scheduler is in its life.
     *
     * @return the state
     */
    public State state() {
        return delivery.life.state();
    }

    /**
     * Why the scheduler was halted.
     *
     * @return the cause, null unless it failed
     */
    public @Nullable Throwable failure() {
        return delivery.life.cause();
    }

    /**
     * Says where every ticket went. Costs a few reads.
     *
     * @return the totals; exact once the scheduler has ended
     */
    public TicketTotals totals() {
        return inspection.totals();
    }

    /**
     * Looks at the scheduler. It costs the other threads nothing; it allocates. Where issue times are not kept, two snapshots
     * tell the head's age.
     *
     * @return a snapshot
     */
    public SchedulerSnapshot snapshot() {
        return inspection.snapshot();
    }

    // ---- for the package ----

    /** As {@link TicketDispenser#nextUntimed}. */
    long nextUntimed() throws InterruptedException {
        return tickets.nextUntimed();
    }

    /** As {@link TicketDispenser#helpOn}. */
    void helpOn() {
        tickets.helpOn();
    }

    /** As {@link TicketDispenser#startClocks}. */
    void startClocks(long ticket) {
        tickets.startClocks(ticket);
    }

    /** The first ticket that has not been handled. */
    long firstUnhandled() {
        return delivery.buffer.tailAcquire();
    }

    /** The failure with which a ticket waits for its turn, null if there is none. Any thread. */
    @Nullable
    Throwable waitingFailure(long ticket) {
        return delivery.buffer.waitingFailure(ticket);
    }

    /** Trashes a ticket; false if it is not open. */
    boolean tryTrash(long ticket) {
        return delivery.tryTrash(ticket);
    }

    /** Whether the calling thread is the drainer of a stage: then it must not wait for threads that wait for room. */
    boolean isDelivering() {
        return delivery.admission.isDrainer(Thread.currentThread().getId());
    }

    @Override
    public String toString() {
        return "OrderedScheduler{head " + delivery.buffer.tailAcquire() + ", next " + delivery.nextTicket()
                + ", window " + window() + ", " + delivery.life + "}";
    }
}
