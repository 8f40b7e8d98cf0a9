package io.sluice.ordered;

import io.sluice.core.State;
import io.sluice.ordered.TicketRefusedException.Reason;

/** Why a call is refused: finds the reason and says it in one sentence. Only for calls that have been refused already. */
final class Refusals {
    private Refusals() {}

    /** The order buffer has refused a ticket's completion. */
    static TicketRefusedException completion(Delivery<?> stage, long ticket) {
        if (!stage.isKnown(ticket)) {
            return notIssued(stage, ticket);
        }
        OrderBuffer buffer = stage.buffer;
        long word = buffer.stateWord(ticket);
        long inSlot = OrderBuffer.ticketOf(word);
        int state = OrderBuffer.stateOf(word);
        if (inSlot == ticket
                && (state == OrderBuffer.DEAD
                        || ((state == OrderBuffer.FILLING || state == OrderBuffer.TAKEN)
                                && stage.hasEnded()))) { // a closer takes, or took, the head's turn meanwhile
            return ended(stage, ticket);
        }
        if (inSlot < ticket) {
            return stage.hasEnded()
                    ? ended(stage, ticket)
                    : refused(
                            Reason.EARLY,
                            ticket,
                            "ticket " + ticket + " must lie within the window of " + buffer.window
                                    + ", but the first ticket that is not handled is " + buffer.tailAcquire());
        }
        TimeLimit limit = stage.timeLimit;
        TicketClock clock = stage.clock;
        if (limit != null && clock != null && clock.isExpired(buffer.index(ticket), ticket)) {
            return refused(
                    Reason.EXPIRED,
                    ticket,
                    "ticket " + ticket + " must be completed within its limit of " + limit.nanos
                            + " ns, but took longer and was failed for its owner");
        }
        return inSlot > ticket
                ? refused(
                        Reason.LATE,
                        ticket,
                        "ticket " + ticket
                                + " must be completed once, but has been handled; the first ticket that is not is "
                                + buffer.tailAcquire())
                : refused(
                        Reason.DUPLICATE,
                        ticket,
                        "ticket " + ticket + " must be completed once, but was completed already");
    }

    private static TicketRefusedException notIssued(Delivery<?> stage, long ticket) {
        long first = stage.admission.firstTicket;
        if (stage.admission.isExternal()) {
            return refused(
                    Reason.NOT_ISSUED,
                    ticket,
                    "ticket must be from " + first + " to " + OrderBuffer.MAX_TICKET + ", but was " + ticket);
        }
        long last = stage.nextTicket() - 1;
        return refused(
                Reason.NOT_ISSUED,
                ticket,
                "ticket " + ticket + " must have been issued, but "
                        + (last < first ? "none was" : "only " + first + " to " + last + " were"));
    }

    /** The stage has ended, or issues no more tickets. */
    static TicketRefusedException ended(Delivery<?> stage, long ticket) {
        State state = stage.life.state();
        return new TicketRefusedException(
                state == State.FAILED ? Reason.FAILED : Reason.CLOSED,
                ticket,
                "ticket " + ticket + " must be taken or completed before the end, but the scheduler is " + state,
                stage.life.cause());
    }

    /** The calling thread is the drainer, and would wait for room that only it can make. */
    static TicketRefusedException waitForOneself(Delivery<?> stage, long ticket) {
        return refused(
                Reason.SELF_DEADLOCK,
                ticket,
                "ticket " + ticket + " must be waited for by a thread that is not delivering, but the window of "
                        + stage.buffer.window + " is full, and only this thread, which is delivering, can make room");
    }

    /** The calling thread is the drainer, and would wait for other threads that wait for room. */
    static TicketRefusedException waitForOthers(Delivery<?> stage, String call) {
        return refused(
                Reason.SELF_DEADLOCK,
                stage.nextTicket(),
                call
                        + " must not wait inside the handler, but another thread gets an input, and may wait for room that only "
                        + "this thread, which is delivering, can make");
    }

    /** The calling thread is the drainer, of this stage or of one that it depends on, and would wait for its own return. */
    static TicketRefusedException drainByDrainer(Delivery<?> stage) {
        return refused(
                Reason.SELF_DEADLOCK,
                stage.nextTicket(),
                "drain() must not wait for its own thread, but what is left waits until this thread returns from the handler "
                        + "that it is in");
    }

    private static TicketRefusedException refused(Reason reason, long ticket, String message) {
        return new TicketRefusedException(reason, ticket, message, null);
    }
}
