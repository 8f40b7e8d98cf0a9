package io.sluice.ordered;

/** A ticket was failed or has expired, and its handler has no {@code onFailed}: the failure policy gets this. */
public final class TicketFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The ticket. */
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
