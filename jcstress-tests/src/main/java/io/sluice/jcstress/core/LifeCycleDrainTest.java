package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.LifeCycle;
import io.sluice.core.State;
import io.sluice.jcstress.Cause;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.infra.results.LLL_Result;

/**
 * A failure is never lost to a drain at the same time. If it were, publishers and the draining thread would wait for a
 * consumer that has died. An actor tells whether it still saw RUNNING, and made its move.
 */
@JCStressTest
@Outcome(id = "won, won, FAILED", expect = ACCEPTABLE, desc = "both saw RUNNING, drain came first")
@Outcome(id = "won, from DRAINING, FAILED", expect = ACCEPTABLE, desc = "the drain came first")
@Outcome(id = "lost, won, FAILED", expect = ACCEPTABLE, desc = "both saw RUNNING, the failure came first")
@Outcome(id = "late, won, FAILED", expect = ACCEPTABLE, desc = "the failure came first")
@Outcome(expect = FORBIDDEN, desc = "the failure was lost")
@Proof(
        claim = "a failure is not lost to a drain",
        overlap = {"won, won, FAILED", "lost, won, FAILED"},
        twins = {"life-cycle-fail-from-draining"})
@org.openjdk.jcstress.annotations.State
public class LifeCycleDrainTest {
    private final Throwable cause = new Cause();
    private final LifeCycle life = new LifeCycle();

    /**
     * Drains.
     *
     * @param r the first result
     */
    @Actor
    public void drainer(LLL_Result r) {
        State before = life.state();
        r.r1 = life.drain() ? "won" : before == State.RUNNING ? "lost" : "late";
    }

    /**
     * Fails.
     *
     * @param r the second result
     */
    @Actor
    public void failing(LLL_Result r) {
        State before = life.state();
        r.r2 = !life.fail(cause) ? "lost" : before == State.RUNNING ? "won" : "from " + before;
    }

    /**
     * The state in the end.
     *
     * @param r the third result
     */
    @Arbiter
    public void end(LLL_Result r) {
        r.r3 = life.cause() == cause ? life.state() : "cause " + life.cause();
    }
}
