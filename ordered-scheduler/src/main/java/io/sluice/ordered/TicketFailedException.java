package io.sluice.ordered;

/** Tells a failure policy of a failed or expired ticket whose handler does not care for failures. */
public final class TicketFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Which. */
    private final long ticket;

    TicketFailedException(long ticket, Throwable cause) {
        super("ticket " + ticket + " failed: " + cause, cause);
        this.ticket = ticket;
    }

    /**
     * The ticket.
     *
     * @return the ticket that failed
     */
    public long ticket() {
        return ticket;
    }
}
