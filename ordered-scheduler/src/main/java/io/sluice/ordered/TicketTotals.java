package io.sluice.ordered;

import org.jspecify.annotations.Nullable;

/**
 * Where every ticket went: {@code issued = delivered + failed + trashed + expired + discarded + open}. Exact once the
 * scheduler has ended and nobody completes tickets; recent values before that.
 *
 * @param issued how many tickets were granted; with external tickets, how many were handled or discarded
 * @param delivered handled in their turn
 * @param failed failed by their owner, or their handling failed for good
 * @param trashed given up by their owner
 * @param expired failed by their time limit
 * @param discarded completed in any way, but dropped by a close or a halt before their turn
 * @param open never completed, or completed too late
 * @param settled whether the scheduler has ended, and every item that was left in it has been discarded
 * @param discardFailure the first thing that {@link OrderedHandler#onDiscarded} threw, or null
 */
public record TicketTotals(
        long issued,
        long delivered,
        long failed,
        long trashed,
        long expired,
        long discarded,
        long open,
        boolean settled,
        @Nullable Throwable discardFailure) {}
