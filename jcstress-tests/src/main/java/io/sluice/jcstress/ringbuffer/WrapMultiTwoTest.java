package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * On a ring of capacity 2 for many producers, four events go round: each is seen whole, once, in order, and never
 * again after its slot was reused. If not, a consumer would lose events or handle one twice. Results: how many events
 * the consumer handled while the producer ran, then how many were missing in the end.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"},
        expect = ACCEPTABLE,
        desc = "so many were handled at the same time, the rest later")
@Outcome(expect = FORBIDDEN, desc = "an event torn, out of order, doubled or lost")
@Proof(
        claim = "slots are reused only after they were read (capacity 2, many producers)",
        overlap = {"4, 0"},
        twins = {"multi-claim-room", "stamp-without-lap"})
@State
public class WrapMultiTwoTest extends WrapState {
    /** An empty ring. */
    public WrapMultiTwoTest() {
        super(Stand.multi(2));
    }

    /** Publishes. */
    @Actor
    public void producer() {
        publishAll();
    }

    /**
     * Handles events.
     *
     * @param r how many
     */
    @Actor
    public void consumer(JJ_Result r) {
        r.r1 = handleSoon();
    }

    /**
     * Handles the rest.
     *
     * @param r how many are missing
     */
    @Arbiter
    public void end(JJ_Result r) {
        r.r2 = missing();
    }
}
