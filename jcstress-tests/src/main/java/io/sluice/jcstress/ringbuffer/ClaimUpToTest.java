package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * A claim of up to three slots of an empty ring of four, while another producer claims one slot, then another.
 *
 * <p>It gets what the other one leaves. If it gave up after losing a slot to the other one, it would call a ring full that has
 * room. Results: what the two claims of one slot gave, and what the claim of up to three gave.
 */
@JCStressTest
@Outcome(id = "0, 1, 3", expect = ACCEPTABLE, desc = "two slots, then the other two")
@Outcome(id = "0, -2, 3", expect = ACCEPTABLE, desc = "one slot, then three")
@Outcome(id = "3, -2, 2", expect = ACCEPTABLE, desc = "three slots, then one")
@Outcome(expect = FORBIDDEN, desc = "refused though a slot is free")
@Proof(
        claim = "tryNextUpTo takes what other producers leave (many producers)",
        overlap = {"0, -2, 3"},
        twins = {"multi-claim-up-to-tried-once"})
@State
public class ClaimUpToTest {
    private final Producer<Event> single;
    private final Producer<Event> upToThree;

    /** An empty ring of four slots with a consumer that does nothing. */
    public ClaimUpToTest() {
        RingBuffer<Event> ring = RingFixtures.multi(4);
        Pipeline.on(ring).poller("poller");
        single = ring.producer();
        upToThree = ring.producer();
    }

    /**
     * Claims one slot, then another.
     *
     * @param r what that gave
     */
    @Actor
    public void single(JJJ_Result r) {
        r.r1 = single.tryNext(1);
        r.r2 = single.tryNext(1);
    }

    /**
     * Claims up to three slots.
     *
     * @param r what that gave
     */
    @Actor
    public void upToThree(JJJ_Result r) {
        r.r3 = upToThree.tryNextUpTo(3);
    }
}
