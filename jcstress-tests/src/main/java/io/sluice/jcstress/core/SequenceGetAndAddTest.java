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
import org.openjdk.jcstress.infra.results.JJJJJ_Result;

/**
 * Every addition counts, and each caller gets a value of its own. If not, two threads would believe that they own the same
 * number.
 */
@JCStressTest
@Outcome(id = "0, 1, 2, 3, 4", expect = ACCEPTABLE, desc = "the first actor came first")
@Outcome(id = "2, 3, 0, 1, 4", expect = ACCEPTABLE, desc = "the second actor came first")
@Outcome(
        id = {"0, 2, 1, 3, 4", "0, 3, 1, 2, 4", "1, 2, 0, 3, 4", "1, 3, 0, 2, 4"},
        expect = ACCEPTABLE,
        desc = "they took turns")
@Outcome(expect = FORBIDDEN, desc = "a value handed out twice, or an addition lost")
@Proof(
        claim = "getAndAdd hands out each value once and loses none",
        overlap = {"0, 2, 1, 3, 4", "0, 3, 1, 2, 4"},
        twins = {"sequence-get-and-add"})
@State
public class SequenceGetAndAddTest {
    private final Sequence sequence = new Sequence(0);

    /**
     * Takes two.
     *
     * @param r the first two results
     */
    @Actor
    public void first(JJJJJ_Result r) {
        r.r1 = sequence.getAndAdd(1);
        r.r2 = sequence.getAndAdd(1);
    }

    /**
     * Takes two.
     *
     * @param r the next two results
     */
    @Actor
    public void second(JJJJJ_Result r) {
        r.r3 = sequence.getAndAdd(1);
        r.r4 = sequence.getAndAdd(1);
    }

    /**
     * The sum.
     *
     * @param r the last result
     */
    @Arbiter
    public void end(JJJJJ_Result r) {
        r.r5 = sequence.getAcquire();
    }
}
