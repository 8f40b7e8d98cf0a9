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
 * J5, a ticket that waits. Two threads complete the same ticket before its turn: one is accepted, the other told; then the
 * one before it is completed. Results: what each was told (0 left for its turn, -1 duplicate), and what was delivered.
 */
@JCStressTest
@Outcome(id = "0, -1, 12", expect = ACCEPTABLE, desc = "the one was accepted")
@Outcome(id = "-1, 0, 13", expect = ACCEPTABLE, desc = "the other was accepted")
@Outcome(expect = FORBIDDEN, desc = "both accepted, or none")
@Proof(
        claim = "of two completions of a waiting ticket exactly one is accepted",
        overlap = {"0, -1, 12", "-1, 0, 13"},
        twins = {"ordered-word-cas"})
@State
public class DuplicateWaitingTest {
    private final Log log = new Log();
    private final OrderedScheduler<Integer> scheduler = Stand.scheduler(log, 2, 2);

    /**
     * Completes it.
     *
     * @param r what it was told
     */
    @Actor
    public void one(III_Result r) {
        r.r1 = Stand.complete(scheduler, 1, 2);
    }

    /**
     * Completes it, too.
     *
     * @param r what it was told
     */
    @Actor
    public void other(III_Result r) {
        r.r2 = Stand.complete(scheduler, 1, 3);
    }

    /**
     * Completes the one before, and looks.
     *
     * @param r what was delivered
     */
    @Arbiter
    public void look(III_Result r) {
        Stand.complete(scheduler, 0, 1);
        r.r3 = log.digits();
    }
}
