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
 * J13. Two stages on the same tickets: the first ticket is trashed in the first stage, and thereby in the second; the next one
 * is completed in both. Both stages hand out the same, in the same order. Results: what each handed out (9: the trashed
 * ticket), and in which stages the second ticket's thread delivered its own (10: in the first, 1: in the second).
 */
@JCStressTest
@Outcome(id = "92, 92, 0", expect = ACCEPTABLE, desc = "left in both stages")
@Outcome(id = "92, 92, 11", expect = ACCEPTABLE, desc = "had the turn in both")
@Outcome(id = "92, 92, 1", expect = ACCEPTABLE, desc = "left in the first stage; then the trash reached the second")
@Outcome(expect = FORBIDDEN, desc = "left behind in a stage, or in another order")
@Proof(
        claim = "each stage hands out the same tickets in the same order",
        overlap = {"92, 92, 1"},
        twins = {"ordered-stage-untold"})
@State
public class StagesTest {
    private final Log log = new Log();
    private final Log nextLog = new Log();
    private final OrderedScheduler<Integer> stage =
            OrderedScheduler.builder(log).window(2).build();
    private final OrderedScheduler<Integer> nextStage =
            OrderedScheduler.builder(nextLog).after(stage).build();

    /** Two tickets. */
    public StagesTest() {
        SchedulerFixtures.taken(stage, 2);
    }

    /** Trashes the first ticket, for both stages. */
    @Actor
    public void first() {
        SchedulerFixtures.trash(stage, 0);
    }

    /**
     * Completes the second ticket in both stages.
     *
     * @param r where it delivered it
     */
    @Actor
    public void second(III_Result r) {
        int here = SchedulerFixtures.complete(stage, 1, 2);
        r.r3 = 10 * here + SchedulerFixtures.complete(nextStage, 1, 2);
    }

    /**
     * Looks.
     *
     * @param r what was handed out
     */
    @Arbiter
    public void look(III_Result r) {
        r.r1 = log.digits();
        r.r2 = nextLog.digits();
    }
}
