package io.sluice.ordered;

import org.jspecify.annotations.Nullable;

/**
 * The callback of a scheduler. It is called in the tickets' order, one call at a time, each by the thread that has the turn
 * then. The effects of one call are visible to the next. A call may complete other tickets, which are left for their turn.
 * It may block, but that blocks the order.
 *
 * @param <T> the values' type
 */
@FunctionalInterface
public interface OrderedHandler<T> {
    /**
     * Handles a completed ticket in its turn. If it throws an {@link InterruptedException}, or anything while the thread's interrupt
     * flag is set, the thread gets the flag back, but only when it has delivered all that it has to: the tickets behind do not fail by
     * that interrupt. Until then the failure policy and the handler find the flag cleared.
     *
     * @param ticket the ticket
     * @param value what it was completed with
     * @throws Exception for the scheduler's failure policy
     */
    void onCompleted(long ticket, T value) throws Exception;

    /**
     * Handles a failed or expired ticket in its turn. Unless overridden the failure goes to the scheduler's failure policy, so
     * that it does not vanish.
     *
     * @param ticket the ticket
     * @param cause what it was failed with; a {@link TicketExpiredException} if its time ran out
     * @throws Exception for the scheduler's failure policy
     */
    default void onFailed(long ticket, Throwable cause) throws Exception {
        throw new TicketFailedException(ticket, cause);
    }

    /**
     * Handles a trashed ticket in its turn. Does nothing unless overridden.
     *
     * @param ticket the ticket
     * @throws Exception for the scheduler's failure policy
     */
    default void onTrashed(long ticket) throws Exception {}

    /**
     * Learns of a ticket that was completed but will not be handled, since the scheduler was closed or has failed. Does nothing
     * unless overridden. An exception that it throws is kept in {@link TicketTotals#discardFailure}. The cause of a failed
     * ticket goes to the scheduler's error handler.
     *
     * @param ticket the ticket
     * @param value its value; null if it was completed with a task, failed or trashed
     */
    default void onDiscarded(long ticket, @Nullable T value) {}
}
