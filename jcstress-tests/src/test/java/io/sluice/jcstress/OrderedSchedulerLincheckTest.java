package io.sluice.jcstress;

import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.TicketMode;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The ordered scheduler under Lincheck: tickets are unique and without gaps, and in the end everything completed behind no
 * open ticket has been delivered, once and in order.
 *
 * <p>Who delivers is left open, since it depends on who has the turn; so a completion returns nothing here, and what was
 * delivered is looked at when all threads are done. Likewise a full window is left out of the specification (it has room for
 * all tickets of a scenario): a slot is free again when the drainer gets to it, not when the completion returns.
 */
@Tag("once")
class OrderedSchedulerLincheckTest {
    @Test
    void everyTicketIsDeliveredOnceAndInOrder() {
        Interleavings.check(Scheduler.class, Tickets.class, 3, 3, 900);
    }

    /** Three threads that take a ticket, or complete the last one they took. */
    public static class Scheduler {
        private static final long NONE = -1;

        private final List<Long> delivered = new ArrayList<>();
        private final OrderedScheduler<Long> scheduler = OrderedScheduler.<Long>builder(this::deliver)
                .window(16)
                .tickets(TicketMode.MANY)
                .build();
        private final boolean[] completed = new boolean[16];
        private final long[] held = {NONE, NONE, NONE};

        private void deliver(long ticket, Long value) {
            if (value != ticket) {
                throw new IllegalStateException("ticket " + ticket + " was delivered with the value of " + value);
            }
            delivered.add(ticket);
        }

        private long take(int thread) {
            if (held[thread] < 0) {
                held[thread] = scheduler.tryNext();
                return held[thread];
            }
            return NONE;
        }

        private void complete(int thread) {
            long ticket = held[thread];
            if (ticket >= 0) {
                held[thread] = NONE;
                scheduler.complete(ticket, ticket);
                completed[(int) ticket] = true;
            }
        }

        @Operation(nonParallelGroup = "a")
        public long takeA() {
            return take(0);
        }

        @Operation(nonParallelGroup = "a")
        public void completeA() {
            complete(0);
        }

        @Operation(nonParallelGroup = "b")
        public long takeB() {
            return take(1);
        }

        @Operation(nonParallelGroup = "b")
        public void completeB() {
            complete(1);
        }

        @Operation(nonParallelGroup = "c")
        public long takeC() {
            return take(2);
        }

        @Operation(nonParallelGroup = "c")
        public void completeC() {
            complete(2);
        }

        /** Called when all threads are done. */
        @Validate
        public void theCompletedPrefixIsDelivered() {
            int expected = 0;
            while (expected < completed.length && completed[expected]) {
                expected++;
            }
            if (delivered.size() != expected) {
                throw new IllegalStateException("delivered " + delivered + ", completed without a gap are " + expected);
            }
            for (int i = 0; i < expected; i++) {
                if (delivered.get(i) != i) {
                    throw new IllegalStateException("delivered " + delivered + " is out of order");
                }
            }
        }
    }

    /** Tickets by number. */
    public static class Tickets {
        private long next;
        private final long[] held = {-1, -1, -1};

        private long take(int thread) {
            if (held[thread] < 0) {
                held[thread] = next++;
                return held[thread];
            }
            return -1;
        }

        public long takeA() {
            return take(0);
        }

        public void completeA() {
            held[0] = -1;
        }

        public long takeB() {
            return take(1);
        }

        public void completeB() {
            held[1] = -1;
        }

        public long takeC() {
            return take(2);
        }

        public void completeC() {
            held[2] = -1;
        }
    }
}
