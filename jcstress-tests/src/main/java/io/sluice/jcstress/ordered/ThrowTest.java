package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.FailurePolicy;
import io.sluice.core.Sequence;
import io.sluice.jcstress.Cause;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * J7. The handler throws for one ticket while the next one is completed: the failure is reported once, in its turn, and the
 * next ticket is delivered. Results: what happened (9: the report), whether the next ticket's thread delivered its own, and
 * whether the other had come to its end before.
 */
@JCStressTest
@Outcome(id = "92, 0, 0", expect = ACCEPTABLE, desc = "left for its turn")
@Outcome(id = "92, 1, 1", expect = ACCEPTABLE, desc = "one after the other")
@Outcome(id = "92, 1, 0", expect = ACCEPTABLE, desc = "the turn came while the failure was being handled")
@Outcome(expect = FORBIDDEN, desc = "the failure vanished, or the next ticket was left behind")
@Proof(
        claim = "a handler that throws passes the turn on, and its failure is reported",
        overlap = {"92, 1, 0"},
        twins = {"ordered-failure-dropped", "ordered-filling-recheck"})
@State
public class ThrowTest {
    private final Log log = new Log();
    private final Sequence ended = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.taken(
            OrderedScheduler.<Integer>builder((ticket, value) -> {
                        if (value == 1) {
                            throw new Cause();
                        }
                        log.add(value);
                    })
                    .onFailure((cause, value, ticket, attempt) -> {
                        log.add(9);
                        return FailurePolicy.Action.SKIP;
                    })
                    .window(2)
                    .build(),
            2);

    /** Completes the one that the handler throws for. */
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
     * @param r what happened
     */
    @Arbiter
    public void look(III_Result r) {
        r.r1 = log.digits();
    }
}
