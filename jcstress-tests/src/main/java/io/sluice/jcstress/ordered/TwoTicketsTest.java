package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * J1. Two tickets are completed at the same time: both are delivered, in order, whichever comes first. If not, a value would
 * be left behind for ever. Results: what was delivered, whether the second ticket's thread delivered its own, and whether the
 * first ticket's thread had come to its end before.
 */
@JCStressTest
@Outcome(id = "12, 0, 0", expect = ACCEPTABLE, desc = "left for its turn, delivered by the first ticket's thread")
@Outcome(id = "12, 1, 1", expect = ACCEPTABLE, desc = "one after the other")
@Outcome(id = "12, 1, 0", expect = ACCEPTABLE, desc = "the turn came while the first ticket was on its way")
@Outcome(expect = FORBIDDEN, desc = "a value left behind, out of order, or twice")
@Proof(
        claim = "of two completions that meet none is left behind",
        overlap = {"12, 1, 0"},
        twins = {"ordered-word-cas", "ordered-filling-recheck"})
@State
public class TwoTicketsTest {
    private final Log log = new Log();
    private final Sequence ended = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(log, 2, 2);

    /** Completes the first. */
    @Actor
    public void first() {
        SchedulerFixtures.complete(scheduler, 0, 1);
        ended.setRelease(1); // release: after the turn was passed
    }

    /**
     * Completes the second.
     *
     * @param r who delivered it, and whether the other was over
     */
    @Actor
    public void second(III_Result r) {
        r.r3 = (int) ended.getAcquire(); // acquire: then the turn is here
        r.r2 = SchedulerFixtures.complete(scheduler, 1, 2);
    }

    /**
     * Looks.
     *
     * @param r what was delivered
     */
    @Arbiter
    public void look(III_Result r) {
        r.r1 = log.digits();
    }
}
