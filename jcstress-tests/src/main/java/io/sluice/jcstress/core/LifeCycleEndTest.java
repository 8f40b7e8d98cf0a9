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
 * Of close and fail, one ends the life cycle, and the state is that of the one which did. If not, a user would be told that
 * a failed ring was closed in good order, or be told of no cause. An actor tells whether it still saw RUNNING, and won.
 */
@JCStressTest
@Outcome(id = "won, late, CLOSED", expect = ACCEPTABLE, desc = "close came first")
@Outcome(id = "late, won, FAILED", expect = ACCEPTABLE, desc = "fail came first")
@Outcome(id = "won, lost, CLOSED", expect = ACCEPTABLE, desc = "both saw RUNNING, close won")
@Outcome(id = "lost, won, FAILED", expect = ACCEPTABLE, desc = "both saw RUNNING, fail won")
@Outcome(expect = FORBIDDEN, desc = "two ends, none, or the state of the loser")
@Proof(
        claim = "of close and fail one wins, and its state stays",
        overlap = {"won, lost, CLOSED", "lost, won, FAILED"},
        twins = {"life-cycle-end"})
@org.openjdk.jcstress.annotations.State
public class LifeCycleEndTest {
    private final Throwable cause = new Cause();
    private final LifeCycle life = new LifeCycle();

    private static String told(State before, boolean won) {
        return won ? "won" : before == State.RUNNING ? "lost" : "late";
    }

    /**
     * Closes.
     *
     * @param r the first result
     */
    @Actor
    public void closer(LLL_Result r) {
        r.r1 = told(life.state(), life.close());
    }

    /**
     * Fails.
     *
     * @param r the second result
     */
    @Actor
    public void failing(LLL_Result r) {
        r.r2 = told(life.state(), life.fail(cause));
    }

    /**
     * The state in the end.
     *
     * @param r the third result
     */
    @Arbiter
    public void end(LLL_Result r) {
        boolean fits = (life.state() == State.FAILED) == (life.cause() == cause);
        r.r3 = fits ? life.state() : "cause " + life.cause();
    }
}
