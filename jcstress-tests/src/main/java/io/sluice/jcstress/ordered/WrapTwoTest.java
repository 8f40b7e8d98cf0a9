package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.TicketMode;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * J4, with a window of 2. Tickets come from outside; two threads complete four of them, each as soon as there is room. The slots
 * are used again, and each is free before its next ticket is let in: all are accepted, and delivered in order. Results: what
 * was delivered, and who gave up waiting for room (1: the one, 2: the other, 3: both).
 */
@JCStressTest
@Outcome(id = "1234, 0", expect = ACCEPTABLE, desc = "all four: each waited for tickets of both before")
@Outcome(
        id = {"1, [123]", "12, [123]", "123, [123]"},
        expect = ACCEPTABLE,
        desc = "gave up waiting for room")
@Outcome(expect = FORBIDDEN, desc = "lost, twice, out of order, or refused where there was room")
@Proof(
        claim = "a slot is free before its next ticket is let in (window 2)",
        overlap = {"1234, 0"},
        twins = {"ordered-room-before-slot"})
@State
public class WrapTwoTest {
    private final Log log = new Log();
    private final OrderedScheduler<Integer> scheduler =
            OrderedScheduler.builder(log).window(2).tickets(TicketMode.EXTERNAL).build();
    private int gaveUpOne;
    private int gaveUpOther;

    /** Whether it was let in; if so, it must be accepted. */
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

    /** Completes two. */
    @Actor
    public void one() {
        if (!take(0) || !take(3)) {
            gaveUpOne = 1;
        }
    }

    /** Completes two. */
    @Actor
    public void other() {
        if (!take(1) || !take(2)) {
            gaveUpOther = 2;
        }
    }

    /**
     * Looks.
     *
     * @param r what was delivered, and who gave up
     */
    @Arbiter
    public void look(II_Result r) {
        r.r1 = log.digits();
        r.r2 = gaveUpOne + gaveUpOther;
    }
}
