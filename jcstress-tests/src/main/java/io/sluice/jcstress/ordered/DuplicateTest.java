package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * J5. Two threads complete the same ticket, which has the turn: one is accepted, the other told. Results: what each was told
 * (1 accepted, -1 duplicate, -2 late), and what was delivered.
 */
@JCStressTest
@Outcome(
        id = {"1, -2, 1", "-2, 1, 2"},
        expect = ACCEPTABLE,
        desc = "one after the other")
@Outcome(
        id = {"1, -1, 1", "-1, 1, 2"},
        expect = ACCEPTABLE,
        desc = "refused while the other was being delivered")
@Outcome(expect = FORBIDDEN, desc = "both accepted, or none")
@Proof(
        claim = "of two completions of the ticket that has the turn exactly one is accepted",
        overlap = {"1, -1, 1"},
        twins = {"ordered-turn-by-store"})
@State
public class DuplicateTest {
    private final Log log = new Log();
    private final Meeting meeting = new Meeting();
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(log, 2, 1);

    /**
     * Completes it.
     *
     * @param r what it was told
     */
    @Actor
    public void one(III_Result r) {
        meeting.one();
        r.r1 = SchedulerFixtures.complete(scheduler, 0, 1);
    }

    /**
     * Completes it, too.
     *
     * @param r what it was told
     */
    @Actor
    public void other(III_Result r) {
        meeting.other();
        r.r2 = SchedulerFixtures.complete(scheduler, 0, 2);
    }

    /**
     * Looks.
     *
     * @param r what was delivered
     */
    @Arbiter
    public void look(III_Result r) {
        r.r3 = log.digits();
    }
}
