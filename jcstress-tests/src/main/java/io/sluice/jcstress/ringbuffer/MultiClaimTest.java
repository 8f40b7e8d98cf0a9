package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJJ_Result;

/**
 * Two producers of one ring claim two slots each: all four are distinct, and none is left out. If not, two producers
 * would write into the same slot, or consumers would wait for a slot that nobody owns.
 */
@JCStressTest
@Outcome(id = "0, 1, 2, 3, 4", expect = ACCEPTABLE, desc = "the first came first")
@Outcome(id = "2, 3, 0, 1, 4", expect = ACCEPTABLE, desc = "the second came first")
@Outcome(
        id = {"0, 2, 1, 3, 4", "0, 3, 1, 2, 4", "1, 2, 0, 3, 4", "1, 3, 0, 2, 4"},
        expect = ACCEPTABLE,
        desc = "they took turns")
@Outcome(expect = FORBIDDEN, desc = "a slot claimed twice, or one left out")
@Proof(
        claim = "claims of two producers are distinct and without gaps",
        overlap = {"0, 2, 1, 3, 4", "0, 3, 1, 2, 4"},
        twins = {"multi-claim-cas", "multi-claim-at-once-cas"})
@State
public class MultiClaimTest {
    private final RingBuffer<Event> ring = RingFixtures.multi(8);
    private final Producer<Event> one = ring.producer();
    private final Producer<Event> other = ring.producer();

    /**
     * Publishes two events.
     *
     * @param r their sequences
     */
    @Actor
    public void first(JJJJJ_Result r) {
        r.r1 = RingFixtures.publish(one);
        r.r2 = RingFixtures.publish(one);
    }

    /**
     * Publishes two events.
     *
     * @param r their sequences
     */
    @Actor
    public void second(JJJJJ_Result r) {
        r.r3 = RingFixtures.publish(other);
        r.r4 = RingFixtures.publish(other);
    }

    /**
     * How many are published.
     *
     * @param r the number
     */
    @Arbiter
    public void end(JJJJJ_Result r) {
        r.r5 = ring.cursor().get() + 1;
    }
}
