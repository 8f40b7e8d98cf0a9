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
 * J6. A ticket is trashed while the next one is completed: the next one is delivered. Results: what was handed out (9: the
 * trashed ticket), whether the next ticket's thread delivered its own, and whether the other had come to its end before.
 */
@JCStressTest
@Outcome(id = "92, 0, 0", expect = ACCEPTABLE, desc = "left for its turn")
@Outcome(id = "92, 1, 1", expect = ACCEPTABLE, desc = "one after the other")
@Outcome(id = "92, 1, 0", expect = ACCEPTABLE, desc = "the turn came while the first was being trashed")
@Outcome(expect = FORBIDDEN, desc = "the next ticket was left behind")
@Proof(
        claim = "a trashed ticket passes its turn on",
        overlap = {"92, 1, 0"},
        twins = {"ordered-filling-recheck", "ordered-word-cas"})
@State
public class TrashTest {
    private final Log log = new Log();
    private final Sequence ended = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(log, 2, 2);

    /** Trashes the first. */
    @Actor
    public void first() {
        SchedulerFixtures.trash(scheduler, 0);
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
     * @param r what was handed out
     */
    @Arbiter
    public void look(III_Result r) {
        r.r1 = log.digits();
    }
}
