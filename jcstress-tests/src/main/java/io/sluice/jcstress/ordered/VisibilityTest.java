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
 * J3. Tasks add to a plain field, one after the other: nothing of it is lost, though two threads run them. Each thread
 * completes two tickets, so that the turn goes to and fro. Results: the sum, and how many of its tickets each delivered
 * itself.
 */
@JCStressTest
@Outcome(id = "4, 2, 0", expect = ACCEPTABLE, desc = "the even ones were left before the first was run")
@Outcome(id = "4, 1, 2", expect = ACCEPTABLE, desc = "the third was left before the turn of the second came")
@Outcome(id = "4, 2, 1", expect = ACCEPTABLE, desc = "the second was left while the first was run, the fourth was not")
@Outcome(id = "4, 2, 2", expect = ACCEPTABLE, desc = "the turn went to and fro: each ran its own")
@Outcome(expect = FORBIDDEN, desc = "an addition was lost: two ran at once, or one did not see the other's")
@Proof(
        claim = "what one task did is visible to the next, on whatever thread",
        overlap = {"4, 2, 1", "4, 2, 2"},
        twins = {"ordered-turn-early"})
@State
public class VisibilityTest {
    private final OrderedScheduler<Runnable> scheduler =
            OrderedScheduler.tasks().window(4).build();
    private final Meeting meeting = new Meeting();
    private int sum;

    /** Four tickets. */
    public VisibilityTest() {
        for (int i = 0; i < 4; i++) {
            scheduler.tryNext();
        }
    }

    private int run(long ticket) {
        try {
            return scheduler.run(ticket, () -> sum++) ? 1 : 0;
        } catch (RuntimeException broken) {
            return SchedulerFixtures.BROKEN;
        }
    }

    /**
     * The first and the third.
     *
     * @param r how many it ran
     */
    @Actor
    public void odd(III_Result r) {
        meeting.one();
        r.r2 = run(0) + run(2);
    }

    /**
     * The second and the fourth.
     *
     * @param r how many it ran
     */
    @Actor
    public void even(III_Result r) {
        meeting.other();
        r.r3 = run(1) + run(3);
    }

    /**
     * Looks.
     *
     * @param r the sum
     */
    @Arbiter
    public void look(III_Result r) {
        r.r1 = sum;
    }
}
