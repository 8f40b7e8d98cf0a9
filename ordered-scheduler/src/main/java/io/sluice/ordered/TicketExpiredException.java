package io.sluice.ordered;

/** The cause with which a ticket is failed that exceeded its time limit. */
public final class TicketExpiredException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Which. */
    private final long ticket;

    TicketExpiredException(long ticket, long ageNanos, long limitNanos, String owner) {
        super("ticket " + ticket + " was not completed for " + ageNanos + " ns; its limit is " + limitNanos
                + " ns; owner: " + owner);
        this.ticket = ticket;
    }

    /**
     * The ticket.
     *
     * @return the ticket that expired
     */
    public long ticket() {
        return ticket;
    }
}
