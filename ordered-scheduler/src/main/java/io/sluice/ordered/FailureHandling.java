package io.sluice.ordered;

import io.sluice.core.FailurePolicy;
import io.sluice.core.access.VarHandles;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.ErrorHandler;

/**
 * Handles a ticket that is not simply delivered: asks the failure policy, counts the outcome, tells the next stage and the
 * error handler. Called by the drainer only, except for the counts, which any thread may read. The counts are
 * written by the drainer only: the role travels with the slots' words, so that its plain reads are ordered.
 *
 * @param <T> the values' type
 */
final class FailureHandling<T> {
    private final FailurePolicy<? super T> policy;
    private final String name;
    private final ErrorHandler errors;

    private long failed;
    private long trashed;
    private long expired;
    private long retries;

    /**
     * Makes it.
     *
     * @param name the scheduler's name in reports
     * @param errors gets the reports
     */
    FailureHandling(FailurePolicy<? super T> policy, String name, ErrorHandler errors) {
        this.policy = policy;
        this.name = name;
        this.errors = errors;
    }

    /** The handler threw: does what the policy says, until the ticket is handled, skipped, or the stage halted. Throws nothing. */
    @SuppressWarnings("unchecked") // VALUE items were given to complete(long, T)
    void handle(Delivery<T> stage, long ticket, int state, Object item, Throwable thrown) {
        Throwable cause = thrown;
        int attempt = 1;
        while (true) {
            // not one that the ticket was failed with; the flag belongs to the thread, which is not the handler's
            stage.admission.keepInterrupt(cause instanceof InterruptedException && cause != item);
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
                recordFailure(stage, ticket, state, item, cause);
                return;
            }
            if (action != FailurePolicy.Action.RETRY_EVENT) {
                if (action == FailurePolicy.Action.REWIND_BATCH) {
                    cause.addSuppressed(
                            new UnsupportedOperationException(
                                    "the failure policy must return SKIP, RETRY_EVENT or HALT, but returned REWIND_BATCH, which halts"));
                }
                // fails first: so the cause is the same for all stages, whatever the next one makes of the outcome
                stage.shutdown.failUpTo(stage, cause);
                recordFailure(stage, ticket, state, item, cause);
                stage.shutdown.halt(cause, ticket);
                return;
            }
            if (stage.hasEnded()) { // else a policy that always retries would never let a close or a halt end
                recordFailure(stage, ticket, state, item, cause);
                report(cause, "is not handled again at ticket ", ticket, ", since the scheduler has ended");
                return;
            }
            RETRIES.setOpaque(this, retries + 1); // opaque: for monitors; the drainer is the only writer
            attempt = after(attempt);
            try {
                stage.callHandler(ticket, state, item);
                if (state != OrderBuffer.VALUE && state != OrderBuffer.TASK) {
                    recordOutcome(stage, ticket, state, item);
                }
                return;
            } catch (Throwable again) {
                cause = again;
            }
        }
    }

    /** The attempt after another one; the most that an int can count stays. */
    static int after(int attempt) {
        return Math.min(attempt, Integer.MAX_VALUE - 1) + 1;
    }

    /** Counts a ticket that was failed, trashed or expired, and ends it in the next stage too. */
    void recordOutcome(Delivery<T> stage, long ticket, int state, Object item) {
        Delivery<?> next = stage.nextStage;
        if (state == OrderBuffer.TRASH) {
            TRASHED.setOpaque(this, trashed + 1); // opaque: for monitors; the drainer is the only writer
        } else if (state == OrderBuffer.EXPIRED) {
            EXPIRED.setOpaque(this, expired + 1); // opaque: as above
        } else {
            FAILED.setOpaque(this, failed + 1); // opaque: as above
        }
        while (next != null
                && !(state == OrderBuffer.TRASH
                        ? next.tryTrash(ticket)
                        : next.tryComplete(ticket, OrderBuffer.FAILURE, item) != OrderBuffer.REFUSED)) {
            TicketRefusedException refused = Refusals.completion(next, ticket);
            if (refused.reason() == Reason.EARLY && !stage.hasEnded()) {
                stage.shutdown.halt(refused, ticket); // nobody else would end the ticket there
                return;
            }
            if (!next.isOpen(ticket)) { // else it has become open just now
                return;
            }
        }
    }

    /** As {@link #recordOutcome}, for a ticket whose handling failed for good: a value or a task counts as failed. */
    private void recordFailure(Delivery<T> stage, long ticket, int state, Object item, Throwable cause) {
        if (state == OrderBuffer.VALUE || state == OrderBuffer.TASK) {
            recordOutcome(stage, ticket, OrderBuffer.FAILURE, cause);
        } else {
            recordOutcome(stage, ticket, state, item);
        }
    }

    /** Tells the error handler, or the log if the error handler throws. Throws nothing: the order must not depend on it. */
    void report(Throwable cause, String what, long ticket, String rest) {
        try { // the words too are made within: there may be no memory for them
            Throwable report = new HandlingFailedException(name + " " + what + ticket + rest, cause);
            try {
                errors.onError(report);
            } catch (Throwable broken) {
                if (broken != cause) {
                    cause.addSuppressed(broken);
                }
                ErrorLog.INSTANCE.onError(report);
            }
        } catch (Throwable broken) { // neither the handler nor the log took it
            return;
        }
    }

    // ---- monitors ----

    long failed() {
        return (long) FAILED.getOpaque(this); // opaque: a counter for monitors
    }

    long trashed() {
        return (long) TRASHED.getOpaque(this); // opaque: a counter for monitors
    }

    long expired() {
        return (long) EXPIRED.getOpaque(this); // opaque: a counter for monitors
    }

    long retries() {
        return (long) RETRIES.getOpaque(this); // opaque: a counter for monitors
    }

    private static final VarHandle FAILED =
            VarHandles.field(MethodHandles.lookup(), FailureHandling.class, "failed", long.class);
    private static final VarHandle TRASHED =
            VarHandles.field(MethodHandles.lookup(), FailureHandling.class, "trashed", long.class);
    private static final VarHandle EXPIRED =
            VarHandles.field(MethodHandles.lookup(), FailureHandling.class, "expired", long.class);
    private static final VarHandle RETRIES =
            VarHandles.field(MethodHandles.lookup(), FailureHandling.class, "retries", long.class);
}
