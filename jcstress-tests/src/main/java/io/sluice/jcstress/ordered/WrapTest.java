package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.TicketMode;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * J4. Tickets come from outside; two threads complete two of four each, each ticket as soon as there is room. The slots are used
 * again, and each is free before its next ticket is let in: all are accepted, and delivered in order. Results: what was
 * delivered, and who gave up waiting for room (1: the one, 2: the other, 3: both).
 */
@Outcome(id = "1234, 0", expect = ACCEPTABLE, desc = "all four: each waited for the tickets before")
@Outcome(
        id = {"1, [123]", "12, [123]", "123, [123]"},
        expect = ACCEPTABLE,
        desc = "gave up waiting for room")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or refused where there was room")
public abstract class WrapTest {
    private final Log log = new Log();
    private final OrderedScheduler<Integer> scheduler;
    private int gaveUpOne;
    private int gaveUpOther;

    WrapTest(int window) {
        scheduler = OrderedScheduler.builder(log)
                .window(window)
                .tickets(TicketMode.EXTERNAL)
                .build();
    }

    /** Whether both were let in, one after the other; if so, each must be accepted. */
    private boolean take(long first, long second) {
        return take(first) && take(second);
    }

    private boolean take(long ticket) {
        long room = OrderedScheduler.TIMED_OUT;
        for (int i = 0; room == OrderedScheduler.TIMED_OUT && i < SchedulerFixtures.ATTEMPTS; i++) {
            Thread.onSpinWait();
            room = scheduler.awaitRoom(ticket, 0);
        }
        if (room == ticket && SchedulerFixtures.complete(scheduler, ticket, (int) ticket + 1) < 0) {
            log.add(SchedulerFixtures.BROKEN);
        }
        return room == ticket;
    }

    final void one(long first, long second) {
        if (!take(first, second)) {
            gaveUpOne = 1;
        }
    }

    final void other(long first, long second) {
        if (!take(first, second)) {
            gaveUpOther = 2;
        }
    }

    /**
     * Looks.
     *
     * @param r what was delivered, and who gave up
     */
    public void look(II_Result r) {
        r.r1 = log.digits();
        r.r2 = gaveUpOne + gaveUpOther;
    }

    /** With a window of 1: each ticket waits for the other thread's before it. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "a slot is free before its next ticket is let in (window 1)",
            overlap = {"1234, 0"},
            twins = {"ordered-room-before-slot"})
    @State
    public static class One extends WrapTest {
        /** Nothing completed. */
        public One() {
            super(1);
        }

        /** Completes two. */
        @Actor
        public void one() {
            one(0, 2);
        }

        /** Completes two. */
        @Actor
        public void other() {
            other(1, 3);
        }

        @Override
        @Arbiter
        public void look(II_Result r) {
            super.look(r);
        }
    }

    /** With a window of 2: the second ticket of each waits for tickets of both threads. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "a slot is free before its next ticket is let in (window 2)",
            overlap = {"1234, 0"},
            twins = {"ordered-room-before-slot"})
    @State
    public static class Two extends WrapTest {
        /** Nothing completed. */
        public Two() {
            super(2);
        }

        /** Completes two. */
        @Actor
        public void one() {
            one(0, 3);
        }

        /** Completes two. */
        @Actor
        public void other() {
            other(1, 2);
        }

        @Override
        @Arbiter
        public void look(II_Result r) {
            super.look(r);
        }
    }
}
