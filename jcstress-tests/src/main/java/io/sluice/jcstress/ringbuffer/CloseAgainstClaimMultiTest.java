package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * On a ring for many producers, nothing is granted after close has returned, and what was granted before is reported
 * as left over. If not, an event would be published that nobody will ever handle or hear of. Results: how many claims
 * were granted, -9 if one was after the close, and how many events were left over in the end.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "1, 1", "2, 2"},
        expect = ACCEPTABLE,
        desc = "all that was granted is reported")
@Outcome(expect = FORBIDDEN, desc = "a claim after the close, or an event lost")
@Proof(
        claim = "no claim is granted after close, and none is lost (many producers)",
        overlap = {"1, 1"},
        twins = {"multi-close-untold"})
@State
public class CloseAgainstClaimMultiTest extends CloseAgainstClaimState {
    /** An empty ring with a consumer that does nothing. */
    public CloseAgainstClaimMultiTest() {
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

    /** Closes. */
    @Actor
    public void closer() {
        close();
    }

    /**
     * What is left.
     *
     * @param r how many
     */
    @Arbiter
    public void end(II_Result r) {
        r.r2 = left();
    }
}
