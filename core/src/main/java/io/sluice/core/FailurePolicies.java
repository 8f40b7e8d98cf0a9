package io.sluice.core;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.check.Check;
import org.jspecify.annotations.Nullable;

/** The failure policies that most programs need. All are stateless and may be shared by consumers. */
public final class FailurePolicies {
    private FailurePolicies() {}

    /** Is told of each failure that a policy passes over. */
    @FunctionalInterface
    public interface Report {
        /**
         * Called on the consumer's thread.
         *
         * @param cause what the handler threw
         * @param sequence the event's sequence
         * @param attempt which failure of this event it is, from 1
         */
        void failed(Throwable cause, long sequence, int attempt);
    }

    /**
     * Stops the consumer at the first failure and fails the ring: the default.
     *
     * @param <E> the events' type
     * @return the policy
     */
    public static <E> FailurePolicy<E> halt() {
        return (cause, event, sequence, attempt) -> Action.HALT;
    }

    /**
     * Reports the failure and goes on with the next event.
     *
     * @param report is told of each failure
     * @param <E> the events' type
     * @return the policy
     */
    public static <E> FailurePolicy<E> skip(Report report) {
        Check.notNull(report, "report");
        return (cause, event, sequence, attempt) -> {
            report.failed(cause, sequence, attempt);
            return Action.SKIP;
        };
    }

    /**
     * Hands the same event over again, a bounded number of times.
     *
     * @param retries how often, at least 1
     * @param report is told of each failure
     * @param then what to do when the last retry has failed: SKIP or HALT
     * @param <E> the events' type
     * @return the policy
     * @throws IllegalArgumentException if {@code retries} or {@code then} is out of its range
     */
    public static <E> FailurePolicy<E> retryEvent(int retries, Report report, Action then) {
        return bounded(Action.RETRY_EVENT, retries, "retries", report, then);
    }

    /**
     * Starts again behind the last published progress, a bounded number of times for an event.
     *
     * @param rewinds how often, at least 1
     * @param report is told of each failure
     * @param then what to do when the event fails after the last rewind: SKIP or HALT
     * @param <E> the events' type
     * @return the policy
     * @throws IllegalArgumentException if {@code rewinds} or {@code then} is out of its range
     */
    public static <E> FailurePolicy<E> rewindBatch(int rewinds, Report report, Action then) {
        return bounded(Action.REWIND_BATCH, rewinds, "rewinds", report, then);
    }

    private static <E> FailurePolicy<E> bounded(Action again, int times, String name, Report report, Action then) {
        Check.inRange(times, 1, Integer.MAX_VALUE, name);
        Check.notNull(report, "report");
        if (then != Action.SKIP && then != Action.HALT) {
            throw new IllegalArgumentException("then must be SKIP or HALT, but was " + then);
        }
        return new FailurePolicy<>() {
            @Override
            public Action onFailure(Throwable cause, @Nullable E event, long sequence, int attempt) {
                report.failed(cause, sequence, attempt);
                return attempt <= times ? again : then;
            }

            @Override
            public boolean mayRewind() {
                return again == Action.REWIND_BATCH;
            }
        };
    }
}
