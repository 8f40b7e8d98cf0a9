package io.sluice.ordered;

/** Tickets completed by hand, without a scheduler, for tests that look between the steps. */
public final class Turns {
    private final OrderBuffer buffer;
    private int behind; // by the drainer

    /**
     * Makes an order buffer whose first ticket has the turn.
     *
     * @param window how many tickets it holds, a power of two
     */
    public Turns(int window) {
        buffer = new OrderBuffer(window, 0, false);
    }

    /**
     * Completes a ticket, and those that wait behind it if it has the turn.
     *
     * @param ticket the ticket
     * @return whether it had the turn
     */
    public boolean complete(long ticket) {
        if (buffer.offer(ticket, OrderBuffer.VALUE, this) != OrderBuffer.OURS) {
            return false;
        }
        // Changes nothing, since the turn came with the ticket; but a twin that leaves it out gets it here, late.
        buffer.becomeDrainer();
        long head = ticket;
        buffer.freeSlot(head++);
        while (buffer.passTurn(head) != 0) {
            behind = isMine() ? 1 : -1;
            buffer.takeItem(head);
            buffer.freeSlot(head++);
        }
        return true;
    }

    /**
     * Whether a drainer was known as one when it went on behind its own ticket.
     *
     * @return 1 if it was, -1 if not, 0 if none went on; to be asked by that drainer
     */
    public int behind() {
        return behind;
    }

    /**
     * Whether the calling thread is taken for the drainer.
     *
     * @return whether it is
     */
    public boolean isMine() {
        return buffer.isDrainer(Thread.currentThread().getId());
    }

    /**
     * The first ticket that has not been handled.
     *
     * @return the ticket
     */
    public long head() {
        return buffer.tailAcquire();
    }
}
