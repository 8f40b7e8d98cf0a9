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
 * Of two threads that move the value on from the same one, one succeeds. If both did, a claim would be granted twice. A
 * result is the value that was moved on, -1 if the move failed.
 */
@JCStressTest
@Outcome(
        id = {"0, 1, 2", "1, 0, 2"},
        expect = ACCEPTABLE,
        desc = "one after the other")
@Outcome(
        id = {"0, -1, 1", "-1, 0, 1"},
        expect = ACCEPTABLE,
        desc = "both read 0, one succeeded")
@Outcome(expect = FORBIDDEN, desc = "both moved the same value on, or none did")
@Proof(
        claim = "of two compareAndSet from the same value one succeeds",
        overlap = {"0, -1, 1", "-1, 0, 1"},
        twins = {"sequence-compare-and-set"})
@State
public class SequenceCompareAndSetTest {
    private final Sequence sequence = new Sequence(0);

    private long moveOn() {
        long value = sequence.getAcquire();
        return sequence.compareAndSet(value, value + 1) ? value : -1;
    }

    /**
     * Moves the value on.
     *
     * @param r the first result
     */
    @Actor
    public void first(JJJ_Result r) {
        r.r1 = moveOn();
    }

    /**
     * Moves the value on.
     *
     * @param r the second result
     */
    @Actor
    public void second(JJJ_Result r) {
        r.r2 = moveOn();
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
