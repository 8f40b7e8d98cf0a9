package io.sluice.ordered;

import org.jspecify.annotations.Nullable;

/** A call was refused and changed nothing. The message names the ticket, the allowed values, and the actual state. */
public final class TicketRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** Why a call was refused. */
    public enum Reason {
        /** The ticket has been completed and waits for its turn, or is being handled. */
        DUPLICATE,
        /** The ticket has been handled already. */
        LATE,
        /** The ticket exceeded its time limit and was failed on its owner's behalf. */
        EXPIRED,
        /** The ticket lies beyond the window. */
        EARLY,
        /** The ticket is negative, below the first, above the highest, or has never been issued. */
        NOT_ISSUED,
        /** The calling thread is delivering, and would wait for something that only itself can do. */
        SELF_DEADLOCK,
        /** The scheduler is draining or closed. */
        CLOSED,
        /** The scheduler was halted; the cause tells why. */
        FAILED
    }

    /** Why the call was refused. */
    private final Reason reason;
    /** The ticket of the call. */
    private final long ticket;

    TicketRefusedException(Reason reason, long ticket, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.ticket = ticket;
    }

    /**
     * Why the call was refused.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }

    /** Whether the owner has lost the ticket by no fault of the caller. */
    boolean isOfEndOrExpiry() {
        return reason == Reason.EXPIRED || reason == Reason.CLOSED || reason == Reason.FAILED;
    }

    /**
     * The ticket.
     *
     * @return the ticket, or the next one for a call that asked for it
     */
    public long ticket() {
        return ticket;
    }
}
