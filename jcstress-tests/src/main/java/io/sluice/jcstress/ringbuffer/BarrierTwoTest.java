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
 * A consumer behind two others sees an event only after both have finished it. If not, it would act on an event that
 * one of them has not handled. Results: how many events the dependent handled in its first and in its second poll, -9
 * if one was unfinished.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not finished yet")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "finished between the polls")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "finished before")
@Outcome(expect = FORBIDDEN, desc = "an event that one of the two had not finished")
@Proof(
        claim = "a dependent of two never overtakes either",
        overlap = {"0, 1"},
        twins = {"barrier-last-only"})
@State
public class BarrierTwoTest extends BarrierTwoState {
    /** One event, published. */
    public BarrierTwoTest() {}

    /** Handles the event in both, one after the other. */
    @Actor
    public void upstream() {
        other.doWork();
        one.doWork();
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
