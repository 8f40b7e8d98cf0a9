package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJJ_Result;

/**
 * Two producers of one ring offer two messages each, of two sequences: all four are distinct, and none is left out. If not, two
 * producers would write into the same bytes, or consumers would wait for a message that nobody owns.
 */
@JCStressTest
@Outcome(id = "0, 2, 4, 6, 8", expect = ACCEPTABLE, desc = "the first came first")
@Outcome(id = "4, 6, 0, 2, 8", expect = ACCEPTABLE, desc = "the second came first")
@Outcome(
        id = {"0, 4, 2, 6, 8", "0, 6, 2, 4, 8", "2, 4, 0, 6, 8", "2, 6, 0, 4, 8"},
        expect = ACCEPTABLE,
        desc = "they took turns")
@Outcome(expect = FORBIDDEN, desc = "sequences claimed twice, or left out")
@Proof(
        claim = "claims of messages by two producers are distinct and without gaps",
        overlap = {"0, 4, 2, 6, 8", "0, 6, 2, 4, 8"},
        twins = {"multi-claim-cas", "message-claim-cas"})
@State
public class MessageClaimTest {
    private final RingBuffer<Messages> ring = MessageFixtures.multi(256);
    private final MessageProducer one = MessageProducer.of(ring);
    private final MessageProducer other = MessageProducer.of(ring);

    /**
     * Publishes two messages.
     *
     * @param r their sequences
     */
    @Actor
    public void first(JJJJJ_Result r) {
        r.r1 = MessageFixtures.offer(one, 1, 1);
        r.r2 = MessageFixtures.offer(one, 1, 2);
    }

    /**
     * Publishes two messages.
     *
     * @param r their sequences
     */
    @Actor
    public void second(JJJJJ_Result r) {
        r.r3 = MessageFixtures.offer(other, 1, 3);
        r.r4 = MessageFixtures.offer(other, 1, 4);
    }

    /**
     * How many sequences are published.
     *
     * @param r the number
     */
    @Arbiter
    public void end(JJJJJ_Result r) {
        r.r5 = ring.cursor().get() + 1;
    }
}
