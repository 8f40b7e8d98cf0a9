package io.sluice.ordered;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.check.Check;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an {@link OrderedScheduler}; builds any number of them. For one thread at a time.
 *
 * @param <T> the values' type
 */
public final class OrderedSchedulerBuilder<T> {
    private final OrderedHandler<? super T> handler;
    private FailurePolicy<? super T> policy = FailurePolicies.halt();
    private TicketMode mode = TicketMode.MANY;
    private int window = 1024;
    private long firstTicket;
    private boolean unchecked;
    private boolean tracking;
    private long limitNanos;
    private int batchLimit;
    private @Nullable Executor executor;
    private @Nullable Delivery<?> before;
    private String name = "ordered scheduler";
    private ErrorHandler errors = ErrorLog.INSTANCE;
    private NanoClock time = SystemNanoClock.INSTANCE;

    OrderedSchedulerBuilder(OrderedHandler<? super T> handler) {
        this.handler = handler;
    }

    /**
     * Sets how many tickets may be outstanding. A later stage has the window of its first stage.
     *
     * @param window a power of two, 1 to {@link OrderedScheduler#MAX_WINDOW}; 1024 unless set
     * @return this
     * @throws IllegalArgumentException if it is not
     */
    public OrderedSchedulerBuilder<T> window(int window) {
        Check.powerOfTwo(window, 1, OrderedScheduler.MAX_WINDOW, "window");
        this.window = window;
        return this;
    }

    /**
     * Sets how the tickets are numbered. A later stage has the mode of its first stage.
     *
     * @param mode the mode; {@link TicketMode#MANY} unless set
     * @return this
     */
    public OrderedSchedulerBuilder<T> tickets(TicketMode mode) {
        this.mode = Check.notNull(mode, "mode");
        return this;
    }

    /**
     * Sets the first ticket's number. A later stage has that of its first stage.
     *
     * @param ticket from 0, which it is unless set, to half of {@link OrderedScheduler#MAX_TICKET}
     * @return this
     * @throws IllegalArgumentException if it is out of its range
     */
    public OrderedSchedulerBuilder<T> firstTicket(long ticket) {
        Check.inRange(ticket, 0, OrderedScheduler.MAX_TICKET / 2, "ticket");
        this.firstTicket = ticket;
        return this;
    }

    /**
     * Sets what to do when the handler or a task throws. SKIP counts the ticket as failed and goes on. RETRY_EVENT calls again;
     * once the scheduler has ended the ticket counts as failed. HALT ends the scheduler, and so does REWIND_BATCH, which has no
     * meaning here. An {@link Error} always halts.
     *
     * @param policy the policy; it halts unless set. It gets the ticket, and the value, which is null for tasks and failures
     * @return this
     */
    public OrderedSchedulerBuilder<T> onFailure(FailurePolicy<? super T> policy) {
        this.policy = Check.notNull(policy, "policy");
        return this;
    }

    /**
     * Sets the name of the scheduler in reports of failures.
     *
     * @param name the name; "ordered scheduler" unless set
     * @return this
     */
    public OrderedSchedulerBuilder<T> name(String name) {
        this.name = Check.notNull(name, "name");
        return this;
    }

    /**
     * Sets the handler of the failure that halts the scheduler, of a failure that is not retried because of a {@link
     * OrderedScheduler#close}, and of the cause of a failed ticket that is discarded. The thread that delivers reports each once, after the
     * scheduler has ended, as a {@link HandlingFailedException} whose cause is the failure. It is also told of a ticket that was completed
     * before its computation's stage ended, and of items that have expired: {@link OrderedScheduler#completeFrom}, {@link
     * GetProcessPush#executeAll}. If the error handler throws, that is suppressed in the cause, and the logger gets the report.
     *
     * @param errors the handler; unless set, {@link System.Logger} {@code io.sluice.ordered} gets an error
     * @return this
     */
    public OrderedSchedulerBuilder<T> errorHandler(ErrorHandler errors) {
        this.errors = Check.notNull(errors, "errors");
        return this;
    }

    /**
     * Limits how many tickets one thread handles in a row; the rest goes to an executor. If the executor refuses, or runs the
     * task at once, the thread goes on itself. While the executor has not begun, the order stands still, until a thread waits
     * for a ticket or a {@link OrderedScheduler#drain}: that one goes on in the executor's stead, also where it is itself a task of that
     * executor, or waits inside its {@code execute}. A thread of a {@link GetProcessPush} does so before it gets its next input, where the
     * executor has not begun within some 50 µs, and thus may handle more tickets in a row. An executor that drops tasks silently stops the order until then, or until
     * {@link OrderedScheduler#close}; it is given another one a few batches later. The executor has at most one task waiting, and one more
     * each time the number of batches handled in its stead has doubled.
     *
     * @param limit at least 1
     * @param executor for the rest
     * @return this
     * @throws IllegalArgumentException if the limit is below 1
     */
    public OrderedSchedulerBuilder<T> batchLimit(int limit, Executor executor) {
        Check.inRange(limit, 1, Integer.MAX_VALUE, "limit");
        this.batchLimit = limit;
        this.executor = Check.notNull(executor, "executor");
        return this;
    }

    /**
     * Fails tickets that are outstanding for too long: see {@link OrderedScheduler#expireOverdue}. Costs a clock read a ticket.
     *
     * @param nanos the limit in nanoseconds, at least 1
     * @return this
     * @throws IllegalArgumentException if it is below 1
     */
    public OrderedSchedulerBuilder<T> timeLimit(long nanos) {
        Check.inRange(nanos, 1, Long.MAX_VALUE, "nanos");
        this.limitNanos = nanos;
        return this;
    }

    /**
     * As {@link #timeLimit(long)}.
     *
     * @param limit the limit, at least 1 ns
     * @return this
     * @throws IllegalArgumentException as there
     */
    public OrderedSchedulerBuilder<T> timeLimit(Duration limit) {
        return timeLimit(Check.nanos(limit, "limit"));
    }

    /**
     * Keeps the issue time and the owner's thread of each outstanding ticket, for {@link OrderedScheduler#snapshot}. Costs a
     * clock read a ticket.
     *
     * @return this
     */
    public OrderedSchedulerBuilder<T> trackOwners() {
        this.tracking = true;
        return this;
    }

    /**
     * Saves one atomic read-modify-write an item. The caller guarantees that no ticket is completed twice at the same moment,
     * and that {@link OrderedScheduler#close} is not called while a completion is under way. A later stage stays as exact as
     * without this: there the stage before completes tickets too.
     *
     * @return this
     */
    public OrderedSchedulerBuilder<T> unchecked() {
        this.unchecked = true;
        return this;
    }

    /**
     * Makes this a later stage on the same tickets: parallel, ordered, parallel, ordered. A ticket is granted only if there is
     * room in every stage, and is completed once in each. A ticket that is trashed, failed or expired in the stage before, or
     * whose handling failed there, is trashed or failed here by itself. Only before the first ticket is taken.
     *
     * <p>The stages end together. A halt of any stage halts all, with the same cause. A drain or a close of any stage ends the
     * issue of tickets, and the others are draining then. Drain and close each stage by itself, first to last.
     *
     * @param stage the stage before
     * @return this
     * @throws IllegalArgumentException if the stage has a later one already
     */
    public OrderedSchedulerBuilder<T> after(OrderedScheduler<?> stage) {
        Delivery<?> earlier = Check.notNull(stage, "stage").delivery;
        if (earlier.nextStage != null) {
            throw new IllegalArgumentException("stage must be the last one, but has a later stage already");
        }
        this.before = earlier;
        return this;
    }

    /**
     * Sets what time it is, for tests. A later stage has the time of its first stage.
     *
     * @param time in place of {@link System#nanoTime}
     * @return this
     */
    OrderedSchedulerBuilder<T> time(NanoClock time) {
        this.time = time;
        return this;
    }

    /**
     * Builds the scheduler.
     *
     * @return a running scheduler
     * @throws IllegalStateException if {@code unchecked} is combined with a time limit, or the stage before has issued
     *     tickets or been followed by another stage meanwhile
     */
    public OrderedScheduler<T> build() {
        return build(firstTicket);
    }

    /**
     * Builds a lane. The tickets that it issues begin in a range of their own; external tickets keep their numbers.
     *
     * @param number the lane's number, from 0
     * @param count how many tickets a lane has
     */
    OrderedScheduler<T> buildLane(int number, long count) {
        String lane = "lane " + number;
        if (before != null) {
            throw new IllegalArgumentException(lane + " must be a first stage, but is a later one");
        }
        if (mode == TicketMode.EXTERNAL) {
            return build(firstTicket);
        }
        Check.inRange(firstTicket, 0, count - 1, "the first ticket of " + lane);
        return build(number * count + firstTicket);
    }

    private OrderedScheduler<T> build(long first) {
        if (unchecked && limitNanos > 0) {
            throw new IllegalStateException(
                    "an unchecked scheduler must have no time limit, since an expiry is a second"
                            + " completion, but has one of " + limitNanos + " ns");
        }
        Delivery<?> stage = before;
        OrderBuffer buffer;
        Admission admission;
        if (stage == null) {
            buffer = new OrderBuffer(window, first, unchecked);
            admission = new Admission(mode, buffer, first);
        } else {
            checkUntouched(stage);
            admission = stage.admission;
            // never unchecked: the stage before may end a ticket at the moment at which its owner completes it
            buffer = new OrderBuffer(admission.window, admission.firstTicket, false);
        }
        NanoClock now = stage == null ? time : stage.time;
        TicketClock clock = tracking || limitNanos > 0 ? new TicketClock(now, buffer.window) : null;
        TimeLimit limit = clock == null || limitNanos == 0 ? null : new TimeLimit(clock, limitNanos);
        FailureHandling<T> failures = new FailureHandling<>(policy, name, errors);
        OrderedScheduler<T> scheduler = new OrderedScheduler<>(
                new Delivery<>(buffer, admission, now, handler, failures, clock, limit, executor, batchLimit, stage));
        if (stage != null) {
            stage.linkTo(scheduler.delivery); // last: a stage that cannot be built holds up nobody
        }
        return scheduler;
    }

    private static void checkUntouched(Delivery<?> stage) {
        if (stage.nextStage != null) {
            throw new IllegalStateException("the stage before must be the last one, but has a later stage");
        }
        // external tickets are seen once they are handled
        long next = Math.max(stage.admission.nextTicket(), stage.buffer.tailAcquire());
        if (next != stage.admission.firstTicket) {
            throw new IllegalStateException(
                    "the stage before must have issued no ticket, but has issued tickets up to " + (next - 1));
        }
    }
}
