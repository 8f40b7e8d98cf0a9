package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * Of two threads that each write one sequence and then read the other's, volatile accesses let at least one see the other.
 * If not, two threads that announce themselves could both go on unseen.
 */
@JCStressTest
@Outcome(
        id = {"0, 1", "1, 0"},
        expect = ACCEPTABLE,
        desc = "one saw the other")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both wrote before either read")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "neither saw the other")
@Proof(
        claim = "volatile accesses of two sequences are in one order",
        overlap = {"1, 1"},
        twins = {"sequence-volatile"})
@State
public class SequenceVolatileTest {
    private final Sequence one = new Sequence(0);
    private final Sequence other = new Sequence(0);

    /**
     * Writes one, reads the other.
     *
     * @param r the first result
     */
    @Actor
    public void first(JJ_Result r) {
        one.setVolatile(1);
        r.r1 = other.getVolatile();
    }

    /**
     * Writes the other, reads the one.
     *
     * @param r the second result
     */
    @Actor
    public void second(JJ_Result r) {
        other.setVolatile(1);
        r.r2 = one.getVolatile();
    }
}
