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
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * J5, a ticket that waits. Two threads complete the same ticket before its turn: one is accepted, the other told; then the
 * one before it is completed. Results: what each was told (0 left for its turn, -1 duplicate), what was delivered, and whether
 * each began before the other had come to its end.
 */
@JCStressTest
@Outcome(id = "0, -1, 12, 0", expect = ACCEPTABLE, desc = "the one came first")
@Outcome(id = "-1, 0, 13, 0", expect = ACCEPTABLE, desc = "the other came first")
@Outcome(id = "0, -1, 12, 1", expect = ACCEPTABLE, desc = "they met, and the one was accepted")
@Outcome(id = "-1, 0, 13, 1", expect = ACCEPTABLE, desc = "they met, and the other was accepted")
@Outcome(expect = FORBIDDEN, desc = "both accepted, or none")
@Proof(
        claim = "of two completions of a waiting ticket exactly one is accepted",
        overlap = {"0, -1, 12, 1", "-1, 0, 13, 1"},
        twins = {"ordered-word-cas"})
@State
public class DuplicateWaitingTest {
    private final Log log = new Log();
    private final Sequence endOfOne = new Sequence(0);
    private final Sequence endOfOther = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(log, 2, 2);
    private boolean oneWasAlone;
    private boolean otherWasAlone;

    /**
     * Completes it.
     *
     * @param r what it was told
     */
    @Actor
    public void one(IIII_Result r) {
        oneWasAlone = endOfOther.getAcquire() != 0; // acquire: the other is over
        r.r1 = SchedulerFixtures.complete(scheduler, 1, 2);
        endOfOne.setRelease(1); // release: after the completion
    }

    /**
     * Completes it, too.
     *
     * @param r what it was told
     */
    @Actor
    public void other(IIII_Result r) {
        otherWasAlone = endOfOne.getAcquire() != 0; // acquire: the one is over
        r.r2 = SchedulerFixtures.complete(scheduler, 1, 3);
        endOfOther.setRelease(1); // release: after the completion
    }

    /**
     * Completes the one before, and looks.
     *
     * @param r what was delivered, and whether they met
     */
    @Arbiter
    public void look(IIII_Result r) {
        SchedulerFixtures.complete(scheduler, 0, 1);
        r.r3 = log.digits();
        r.r4 = oneWasAlone || otherWasAlone ? 0 : 1;
    }
}
