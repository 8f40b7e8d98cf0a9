package io.sluice.jcstress.ordered;

import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.TicketRefusedException;

/** The common part of the tests: schedulers with tickets taken, and completions whose result is a number. */
final class SchedulerFixtures {
    /** How often an actor tries before it gives up: both actors must come to their end whatever the other does. */
    static final int ATTEMPTS = 200;

    /** The ticket's value was left for its turn. */
    static final int LEFT = 0;

    /** The calling thread delivered the ticket. */
    static final int DELIVERED = 1;

    /** The scheduler broke: an exception that none of its callers should see. */
    static final int BROKEN = -99;

    private SchedulerFixtures() {}

    static OrderedScheduler<Integer> scheduler(Log log, int window, int tickets) {
        return taken(OrderedScheduler.builder(log).window(window).build(), tickets);
    }

    /** Takes the first tickets. */
    static OrderedScheduler<Integer> taken(OrderedScheduler<Integer> scheduler, int tickets) {
        for (int i = 0; i < tickets; i++) {
            if (scheduler.tryNext() != i) {
                throw new IllegalStateException("ticket " + i);
            }
        }
        return scheduler;
    }

    /** Completes a ticket: LEFT, DELIVERED, -1 duplicate, -2 late, -3 expired, -4 closed, or BROKEN. */
    static int complete(OrderedScheduler<Integer> scheduler, long ticket, int value) {
        try {
            return scheduler.complete(ticket, value) ? DELIVERED : LEFT;
        } catch (TicketRefusedException refused) {
            return refusal(refused.reason());
        } catch (RuntimeException broken) {
            return BROKEN;
        }
    }

    /** As {@link #complete}. */
    static int trash(OrderedScheduler<Integer> scheduler, long ticket) {
        try {
            return scheduler.trash(ticket) ? DELIVERED : LEFT;
        } catch (RuntimeException broken) {
            return BROKEN;
        }
    }

    static int refusal(TicketRefusedException.Reason reason) {
        return switch (reason) {
            case DUPLICATE -> -1;
            case LATE -> -2;
            case EXPIRED -> -3;
            case CLOSED -> -4;
            default -> BROKEN;
        };
    }
}
