package io.sluice.ordered;

import io.sluice.core.check.Check;
import io.sluice.ordered.TicketRefusedException.Reason;

/**
 * A reusable handle on one ticket, for try-with-resources. A ticket that has not been completed, failed or trashed when the block
 * ends is trashed. One thread at a time; make one for each worker and keep it. No method allocates.
 *
 * <pre>{@code
 * try (Ticket<Order> t = ticket.hold(number)) {
 *     t.complete(process(input));
 * }
 * }</pre>
 *
 * @param <T> the values' type
 */
public final class Ticket<T> implements AutoCloseable {
    private static final long NONE = -1;

    private final OrderedScheduler<T> scheduler;
    private long ticket = NONE;

    Ticket(OrderedScheduler<T> scheduler) {
        this.scheduler = scheduler;
    }

    /**
     * Takes the next ticket and holds it: {@link OrderedScheduler#next()}.
     *
     * @return this
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this handle holds a ticket already
     * @throws TicketRefusedException as {@code OrderedScheduler.next()}
     */
    public Ticket<T> next() throws InterruptedException {
        checkFree();
        ticket = scheduler.next();
        return this;
    }

    /**
     * Holds a ticket that was taken elsewhere. If owners are tracked, this thread is its owner from now on.
     *
     * @param number the ticket
     * @return this
     * @throws IllegalStateException if this handle holds a ticket already
     * @throws IllegalArgumentException if {@code number} is negative
     */
    public Ticket<T> hold(long number) {
        checkFree();
        Check.inRange(number, 0, Long.MAX_VALUE, "number");
        ticket = number;
        scheduler.own(number);
        return this;
    }

    private void checkFree() {
        if (ticket != NONE) {
            throw new IllegalStateException("the handle must be free, but holds ticket " + ticket);
        }
    }

    /**
     * The ticket held.
     *
     * @return its number
     * @throws IllegalStateException if none is held
     */
    public long number() {
        if (ticket == NONE) {
            throw new IllegalStateException("the handle must hold a ticket, but is free");
        }
        return ticket;
    }

    /**
     * As {@link OrderedScheduler#complete}. The handle is free afterwards, unless the argument was refused.
     *
     * @param value the value
     * @return whether this thread delivered it
     * @throws TicketRefusedException as there
     */
    public boolean complete(T value) {
        Check.notNull(value, "value");
        return scheduler.complete(release(), value);
    }

    /**
     * As {@link OrderedScheduler#fail}. The handle is free afterwards, unless the argument was refused.
     *
     * @param cause the cause
     * @return whether this thread delivered it
     * @throws TicketRefusedException as there
     */
    public boolean fail(Throwable cause) {
        Check.notNull(cause, "cause");
        return scheduler.fail(release(), cause);
    }

    /**
     * As {@link OrderedScheduler#trash}. The handle is free afterwards.
     *
     * @return whether this thread delivered it
     * @throws TicketRefusedException as there
     */
    public boolean trash() {
        return scheduler.trash(release());
    }

    private long release() {
        long number = number();
        ticket = NONE;
        return number;
    }

    /**
     * Trashes the ticket if one is held. If it is no longer open (expired, closed), nothing happens.
     *
     * @throws TicketRefusedException if it is not open yet, being beyond the window, or was never issued, being that of another lane or
     *     scheduler
     */
    @Override
    public void close() {
        if (ticket != NONE) {
            long number = release();
            while (!scheduler.tryTrash(number)) {
                TicketRefusedException refused = Refusals.completion(scheduler.delivery, number);
                if (refused.reason() == Reason.EARLY || refused.reason() == Reason.NOT_ISSUED) {
                    throw refused;
                }
                if (!scheduler.delivery.isOpen(number)) { // else it has become open just now
                    return;
                }
            }
        }
    }
}
