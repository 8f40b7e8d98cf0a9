package io.sluice.ordered;

import org.jspecify.annotations.Nullable;

/**
 * A scheduler at one moment. Each count is a recent value; they are not read at the same instant.
 *
 * @param head the first ticket that has not been handled
 * @param nextTicket the next ticket to be granted; with external tickets the same as {@code head}
 * @param window how many tickets may be outstanding
 * @param outstanding how many tickets are outstanding; 0 with external tickets
 * @param headAgeNanos how long the head ticket has been out, if issue times are kept; else for how long snapshots
 *     have found this head: 0 at the first
 * @param headOwner who holds the head ticket, if owners are tracked; else null
 * @param headPending whether the head ticket is outstanding and its owner has not completed it; always false with external
 *     tickets
 * @param inOrder how many tickets were handled by the thread that completed them
 * @param deferred how many were left for another thread
 * @param longestDrain the most tickets that one thread has handled in a row
 * @param parks how often a ticket taker parked
 * @param retries how often a handler was called again after a failure
 * @param handOvers how often a drainer has handed the rest to the executor
 * @param handOversRefused how often the executor refused the rest or ran it at once, and the drainer went on
 */
public record SchedulerSnapshot(
        long head,
        long nextTicket,
        int window,
        long outstanding,
        long headAgeNanos,
        @Nullable Thread headOwner,
        boolean headPending,
        long inOrder,
        long deferred,
        long longestDrain,
        long parks,
        long retries,
        long handOvers,
        long handOversRefused) {
    /**
     * The share of the handled tickets that were left for another thread.
     *
     * @return 0 to 1; 0 if none has been handled
     */
    public double deferredShare() {
        long handled = inOrder + deferred;
        return handled == 0 ? 0 : (double) deferred / handled;
    }

    /**
     * Says where the head's owner is now. Takes a stack trace, which stops that thread for a moment.
     *
     * @return its stack; empty if owners are not tracked
     */
    public StackTraceElement[] headOwnerStack() {
        return headOwner == null ? new StackTraceElement[0] : headOwner.getStackTrace();
    }
}
