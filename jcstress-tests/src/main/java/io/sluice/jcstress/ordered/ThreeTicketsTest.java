package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * J2. Three tickets are completed by three threads: all are delivered, in order. Results: what was delivered, and whether the
 * second and the third ticket's thread delivered its own. Needs three CPUs.
 */
@JCStressTest
@Outcome(
        id = {"123, 0, 0", "123, 1, 0", "123, 0, 1", "123, 1, 1"},
        expect = ACCEPTABLE,
        desc = "all, in order")
@Outcome(expect = FORBIDDEN, desc = "a value left behind, out of order, or twice")
@Proof(
        claim = "of three completions that meet none is left behind",
        overlap = {"123, 0, 1"},
        twins = {"ordered-word-cas", "ordered-filling-recheck"})
@State
public class ThreeTicketsTest {
    private final Log log = new Log();
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(log, 4, 3);

    /** Completes the first. */
    @Actor
    public void first() {
        SchedulerFixtures.complete(scheduler, 0, 1);
    }

    /**
     * Completes the second.
     *
     * @param r who delivered it
     */
    @Actor
    public void second(III_Result r) {
        r.r2 = SchedulerFixtures.complete(scheduler, 1, 2);
    }

    /**
     * Completes the third.
     *
     * @param r who delivered it
     */
    @Actor
    public void third(III_Result r) {
        r.r3 = SchedulerFixtures.complete(scheduler, 2, 3);
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
