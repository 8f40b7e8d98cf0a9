package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * On a ring for many producers, a claim of two slots is published by one call: slots are seen in their order, and
 * whole. If not, a consumer would handle an event before it was filled. Results: the highest sequence seen at first
 * and then, and the sum of the versions seen.
 */
@JCStressTest
@Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "nothing was published yet")
@Outcome(
        id = {"-1, 0, 1", "0, 0, 1"},
        expect = ACCEPTABLE,
        desc = "the first slot was published, the second not yet")
@Outcome(
        id = {"-1, 1, 3", "0, 1, 3"},
        expect = ACCEPTABLE,
        desc = "the rest came between the two looks")
@Outcome(id = "1, 1, 3", expect = ACCEPTABLE, desc = "the range was there")
@Outcome(expect = FORBIDDEN, desc = "half a range, or a slot before its publication")
@Proof(
        claim = "a range is published in its order (many producers)",
        overlap = {"-1, 1, 3"},
        twins = {"stamp-early"})
@State
public class RangeMultiTest extends RangeState {
    /** An empty ring. */
    public RangeMultiTest() {
        super(Stand.multi(4));
    }

    /** Publishes both. */
    @Actor
    public void producer() {
        publishTwo();
    }

    /**
     * Looks twice.
     *
     * @param r what it saw
     */
    @Actor
    public void consumer(JJJ_Result r) {
        look(r);
    }
}
