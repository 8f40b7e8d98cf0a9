package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * As {@link BarrierTwoTest}, with each of the two on a thread of its own. Needs three CPUs.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not finished yet")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "finished between the polls")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "finished before")
@Outcome(expect = FORBIDDEN, desc = "an event that one of the two had not finished")
@Proof(
        claim = "a dependent of two on threads of their own never overtakes either",
        overlap = {"0, 1"},
        twins = {"barrier-last-only"})
@State
public class BarrierThreeActorsTest extends BarrierTwoState {
    /** One event, published. */
    public BarrierThreeActorsTest() {}

    /** Handles the event in one. */
    @Actor
    public void one() {
        one.doWork();
    }

    /** Handles the event in the other. */
    @Actor
    public void other() {
        other.doWork();
    }

    /**
     * Polls twice.
     *
     * @param r how many events each time
     */
    @Actor
    public void dependent(II_Result r) {
        pollTwice(r);
    }
}
