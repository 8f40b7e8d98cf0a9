package io.sluice.ordered;

/** A ticket was not completed within its time limit, and was failed with this. */
public final class TicketExpiredException extends Exception {
    private static final long serialVersionUID = 1L;

    /** The ticket. */
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
