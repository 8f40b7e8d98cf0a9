package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LI_Result;

/**
 * A publisher that waits on a full ring for many producers is told of the failure of the consumer that it waits for,
 * with its cause. If not, its thread would wait for ever, or its user would not learn why. Results: what ended the
 * claim, and whether it had to wait.
 */
@JCStressTest
@Outcome(id = "cause, 0", expect = ACCEPTABLE, desc = "failed before the claim")
@Outcome(id = "cause, 1", expect = ACCEPTABLE, desc = "failed while it waited")
@Outcome(expect = FORBIDDEN, desc = "another end than by the cause, or a publisher left waiting")
@Proof(
        claim = "a failure reaches a publisher that waits for room (many producers)",
        overlap = {"cause, 1"},
        twins = {"multi-fail-untold"})
@State
public class WaitingPublisherFailMultiTest extends WaitingPublisherFailState {
    /** A full ring, and a consumer that will fail. */
    public WaitingPublisherFailMultiTest() {
        super(Stand.builder(1).multiProducer());
    }

    /**
     * Waits for room.
     *
     * @param r what it got
     */
    @Actor
    public void producer(LI_Result r) {
        r.r1 = claimUntilItFails();
        r.r2 = patience.waited();
    }

    /** Fails. */
    @Actor
    public void consumer() {
        fail();
    }
}
