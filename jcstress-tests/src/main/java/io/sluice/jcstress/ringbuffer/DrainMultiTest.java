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
 * On a ring for many producers, drain tells of every event that was published, since no claim is granted after it. If
 * not, it would say that nothing is left while an event is. Results: how many claims were granted, and how many
 * events drain told of.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "1, 1", "2, 2"},
        expect = ACCEPTABLE,
        desc = "drain told of all")
@Outcome(expect = FORBIDDEN, desc = "an event that drain did not tell of")
@Proof(
        claim = "drain tells of every event (many producers)",
        overlap = {"1, 1"},
        twins = {"multi-drain-cas", "multi-claim-cas"})
@State
public class DrainMultiTest extends DrainState {
    /** An empty ring with a consumer that does nothing. */
    public DrainMultiTest() {
        super(Stand.multi(4));
    }

    /**
     * Publishes.
     *
     * @param r how many
     */
    @Actor
    public void producer(II_Result r) {
        r.r1 = publishTwo();
    }

    /**
     * Drains.
     *
     * @param r what it told of
     */
    @Actor
    public void drainer(II_Result r) {
        r.r2 = drain();
    }
}
