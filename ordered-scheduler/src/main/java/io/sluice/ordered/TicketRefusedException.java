package io.sluice.ordered;

import org.jspecify.annotations.Nullable;

/** A call that was refused and changed nothing. The message names the ticket, the reason and the tickets allowed. */
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
        /** The ticket could only be granted by the calling thread itself, which is delivering. */
        SELF_DEADLOCK,
        /** The scheduler is draining or closed. */
        CLOSED,
        /** The scheduler was halted; the cause tells why. */
        FAILED
    }

    /** Why. */
    private final Reason reason;
    /** Which. */
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

    /**
     * The ticket.
     *
     * @return the ticket, or the next one for a call that asked for it
     */
    public long ticket() {
        return ticket;
    }
}
