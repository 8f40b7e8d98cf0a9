package io.sluice.ordered;

/**
 * A handler that can tell somebody of a failure that is discarded.
 *
 * @param <T> the values' type
 */
interface DiscardHandler<T> extends OrderedHandler<T> {
    /**
     * In place of {@link OrderedHandler#onDiscarded} for a ticket that was failed, or has expired.
     *
     * @return whether somebody was told of the failure; else the scheduler's error handler is
     */
    boolean onDiscardedFailure(long ticket, Throwable cause);
}
