package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * The value only rises, whichever thread raises it. If not, the highest abort could fall back, and
 * consumers would be handed an aborted slot.
 */
@JCStressTest
@Outcome(id = "-1, 3, 5", expect = ACCEPTABLE, desc = "the lower one came first")
@Outcome(id = "-1, 5, 5", expect = ACCEPTABLE, desc = "the higher one came while the lower was being set")
@Outcome(id = "5, 5, 5", expect = ACCEPTABLE, desc = "the higher one came first")
@Outcome(expect = FORBIDDEN, desc = "the value fell back")
@Proof(
        claim = "raiseTo never lets a sequence fall back",
        overlap = {"-1, 5, 5"},
        twins = {"sequence-raise-to"})
@State
public class SequenceRaiseToTest {
    private final Sequence sequence = new Sequence();

    /** Raises to the higher value. */
    @Actor
    public void higher() {
        sequence.raiseTo(5);
    }

    /**
     * Raises to the lower value.
     *
     * @param r the value before and after
     */
    @Actor
    public void lower(JJJ_Result r) {
        r.r1 = sequence.getOpaque();
        sequence.raiseTo(3);
        r.r2 = sequence.getOpaque();
    }

    /**
     * The value in the end.
     *
     * @param r the third result
     */
    @Arbiter
    public void end(JJJ_Result r) {
        r.r3 = sequence.getAcquire();
    }
}
