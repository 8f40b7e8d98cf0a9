package io.sluice.core;

import org.jspecify.annotations.Nullable;

/**
 * Decides what happens when a handler throws.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface FailurePolicy<E> {
    /**
     * The answer to a failure. Other methods of a handler than those for events may throw too: {@code onTimeout} and {@code
     * timeoutAfterNanos}. Then there is no event. With RETRY_EVENT or REWIND_BATCH the consumer makes the call again after 100 µs, or when
     * {@code timeoutAfterNanos} says, unless an event comes first. A consumer that parks comes later by as long as it parks.
     */
    enum Action {
        /**
         * Count the event as handled and go on with the next. Without an event: {@code onTimeout} counts as called, and {@code
         * timeoutAfterNanos} as if it had returned {@link Long#MAX_VALUE}.
         */
        SKIP,
        /** Hand over the same event again. Without an event, make the same call again. */
        RETRY_EVENT,
        /** Start again from the first event after the last published progress. Without an event, make the same call again. */
        REWIND_BATCH,
        /** Stop the consumer before this event and fail the whole ring with the cause. */
        HALT
    }

    /**
     * Called on the consumer's thread for each exception that its handler threw. An {@link Error} is reported here too,
     * but halts whatever is returned. A policy that throws halts the consumer, with its exception suppressed in the cause.
     *
     * @param cause what the handler threw
     * @param event the event that was being handled; null where the failure belongs to a whole batch, or comes from a time-out
     * @param sequence the event's sequence; where no event was being handled, the last one handled
     * @param attempt which failure this is, from 1; it stays at {@link Integer#MAX_VALUE}. It starts again only with progress, or with
     *     an event that lies behind all that failed before: so it bounds retries and rewinds, also where several events of a batch fail
     *     in turn. Failures without an event are counted apart: their count starts again with the next batch, or when the call that
     *     failed last returns. So are those of a partition's keys, which are read before the handler gets the batch
     * @return what to do
     */
    Action onFailure(Throwable cause, @Nullable E event, long sequence, int attempt);

    /**
     * Whether {@link #onFailure} may answer {@link Action#REWIND_BATCH}, which some consumers have to refuse. Said once, when
     * the policy is set; a policy that answers so all the same halts those consumers.
     *
     * @return false, unless overridden
     */
    default boolean mayRewind() {
        return false;
    }
}
