package io.sluice.ordered;

/**
 * Fails tickets that are outstanding for longer than a limit. Any thread; several may look at the same time. The thread that
 * marks a ticket fails it, and no other does, so that only the ticket's owner can have come first.
 */
final class TimeLimit {
    final long nanos;
    private final TicketClock clock;

    /**
     * Makes a limit.
     *
     * @param clock keeps the times of issue; the same that the stage has
     * @param nanos the limit
     */
    TimeLimit(TicketClock clock, long nanos) {
        this.clock = clock;
        this.nanos = nanos;
    }

    /** Fails the stage's overdue tickets, in order, and may thereby deliver; returns how many were failed. */
    int failOverdue(Delivery<?> stage) {
        OrderBuffer buffer = stage.buffer;
        int expired = 0;
        long now = stage.time.nanoTime();
        long head = buffer.tailAcquire();
        long end = head + buffer.window;
        if (!stage.admission.isExternal()) {
            end = Math.min(stage.admission.nextTicket(), end);
        }
        for (long ticket = head; ticket < end; ticket++) {
            int slot = buffer.index(ticket);
            long mark = clock.expiredMark(slot);
            long word = buffer.stateWord(ticket);
            int state = OrderBuffer.stateOf(word);
            long age = clock.age(slot, now);
            boolean open = state == OrderBuffer.EMPTY || state == OrderBuffer.TURN;
            if (mark != ticket && OrderBuffer.ticketOf(word) == ticket && open && age > nanos) {
                Thread owner = clock.owner(slot);
                TicketExpiredException cause =
                        new TicketExpiredException(ticket, age, nanos, owner == null ? "not known" : owner.getName());
                if (clock.markExpired(slot, mark, ticket) && expire(stage, slot, ticket, cause)) {
                    expired++;
                }
            }
        }
        return expired;
    }

    private boolean expire(Delivery<?> stage, int slot, long ticket, TicketExpiredException cause) {
        if (stage.tryComplete(ticket, OrderBuffer.EXPIRED, cause) == OrderBuffer.REFUSED) {
            clock.unmarkExpired(slot, ticket);
            return false; // its owner came first
        }
        return true;
    }
}
