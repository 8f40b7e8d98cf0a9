package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * J9. The window is full; while the head is completed by one thread, which then takes a ticket, the other tries twice: one of
 * them gets the one ticket that has become free, and nobody another. Results: what the other got, twice, and what the first
 * got; -2 is FULL.
 */
@JCStressTest
@Outcome(id = "-2, -2, 2", expect = ACCEPTABLE, desc = "the first took it")
@Outcome(id = "2, -2, -2", expect = ACCEPTABLE, desc = "the other took it at once")
@Outcome(id = "-2, 2, -2", expect = ACCEPTABLE, desc = "it became free between the two attempts")
@Outcome(expect = FORBIDDEN, desc = "more outstanding than the window, one ticket twice, or a gap")
@Proof(
        claim = "tickets are unique and without gaps, and never more than the window",
        overlap = {"-2, 2, -2"},
        twins = {"ordered-claim-cas", "ordered-claim-room"})
@State
public class AdmissionTest {
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(new Log(), 2, 2);

    /**
     * Tries twice.
     *
     * @param r what it got
     */
    @Actor
    public void other(JJJ_Result r) {
        r.r1 = scheduler.tryNext();
        r.r2 = scheduler.tryNext();
    }

    /**
     * Makes room, and takes a ticket.
     *
     * @param r what it got
     */
    @Actor
    public void first(JJJ_Result r) {
        SchedulerFixtures.complete(scheduler, 0, 1);
        r.r3 = scheduler.tryNext();
    }
}
