package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * On a ring for one producer that tracks claims, of an owner that publishes and another that aborts in its stead exactly one
 * wins; what was aborted is never delivered, and what the late owner writes is in no slot. If not, a consumer would handle
 * an event twice given away, or a zombie would write to somebody else's. Results: 1 if the owner published, -1 if it was
 * told that it lost; how many sequences were aborted; the sum of the versions delivered in the end, -9 if the late owner's
 * event is still in the slot.
 */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the owner won")
@Outcome(id = "-1, 1, 0", expect = ACCEPTABLE, desc = "the abort won")
@Outcome(expect = FORBIDDEN, desc = "both won, or none, or an aborted event is seen")
@Proof(
        claim = "of a publication and an abort in the owner's stead exactly one wins (one producer)",
        overlap = {"1, 0, 1", "-1, 1, 0"},
        twins = {"tracked-single-publish-cas"})
@State
public class AbortInSteadSingleTest extends AbortInSteadState {
    /** An empty ring. */
    public AbortInSteadSingleTest() {
        super(Stand.builder(4).singleProducer().trackClaims().build());
    }

    /**
     * Claims and publishes.
     *
     * @param r whether it won
     */
    @Actor
    public void owner(JJJ_Result r) {
        r.r1 = publish();
    }

    /**
     * Aborts.
     *
     * @param r how many sequences it aborted
     */
    @Actor
    public void other(JJJ_Result r) {
        r.r2 = abort();
    }

    /**
     * Polls the rest.
     *
     * @param r the sum
     */
    @Arbiter
    public void end(JJJ_Result r) {
        r.r3 = delivered(r.r1 == -1);
    }
}
