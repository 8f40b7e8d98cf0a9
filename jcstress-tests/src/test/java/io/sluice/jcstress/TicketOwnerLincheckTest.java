package io.sluice.jcstress;

import io.sluice.ordered.OrderedScheduler;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tickets are taken while a drainer frees the slots of those before, under Lincheck: what the clock of a slot says of the new
 * ticket, when it was issued and to whom, is not wiped out with what it said of the old one. Without it a ticket with a time
 * limit would never expire.
 */
@Tag("once")
class TicketOwnerLincheckTest {
    @Test
    void theOwnerOfATicketIsKnownThoughItsSlotWasFreedJustNow() {
        Interleavings.check(Scheduler.class, Nothing.class, 2, 2, 100);
    }

    /** Two tickets are out, of which the second is completed. One thread completes the first, another takes two more. */
    public static class Scheduler {
        private static final int WINDOW = 2;

        private final OrderedScheduler<Long> scheduler = OrderedScheduler.<Long>builder((ticket, value) -> {})
                .window(WINDOW)
                .trackOwners()
                .build();
        private long head;
        private long last;

        public Scheduler() {
            scheduler.tryNext();
            last = scheduler.tryNext();
            scheduler.complete(last, last);
        }

        @Operation(nonParallelGroup = "drainer")
        public void completeTheHead() {
            if (head == 0) {
                scheduler.complete(head, head);
                head = WINDOW;
            }
        }

        @Operation(nonParallelGroup = "taker")
        public void takeTwo() {
            for (int i = 0; i < WINDOW; i++) {
                last = Math.max(last, scheduler.tryNext());
            }
        }

        @Validate
        public void eachTicketThatIsOutHasAnOwner() {
            for (; head >= WINDOW && head <= last; head++) {
                if (scheduler.snapshot().headOwner() == null) {
                    throw new IllegalStateException("ticket " + head + " is out, and nobody knows with whom");
                }
                scheduler.complete(head, head);
            }
        }
    }

    /** Operations without results. */
    public static class Nothing {
        public void completeTheHead() {}

        public void takeTwo() {}
    }
}
