package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Two threads make the first claim of one producer at once: one owns it from then on, the other one is refused. If both owned it,
 * neither would be told of the other, and nobody could look for the owner of their claims. Results: whether the claim of each was
 * taken for the owner's, and whether each found at the end of its claim that the other's had begun.
 */
@JCStressTest
@Outcome(
        id = {"1, 0, 0, 1", "1, 0, 1, 0", "0, 1, 0, 1", "0, 1, 1, 0"},
        expect = ACCEPTABLE,
        desc = "one after the other")
@Outcome(
        id = {"1, 0, 1, 1", "0, 1, 1, 1"},
        expect = ACCEPTABLE,
        desc = "at once")
@Outcome(expect = FORBIDDEN, desc = "both own the producer, or none")
@Proof(
        claim = "of two threads that claim first by one producer one is refused",
        overlap = {"1, 0, 1, 1", "0, 1, 1, 1"},
        twins = {"owner-bound-by-two"})
@State
public class ProducerOwnerTest {
    private final Producer<Event> producer;
    private final Meeting meeting = new Meeting();
    private final Sequence firstBegan = new Sequence(0);
    private final Sequence secondBegan = new Sequence(0);

    /** A producer that nobody has used, of a ring that is full: where there is room the owner is not looked for. */
    public ProducerOwnerTest() {
        RingBuffer<Event> ring = RingFixtures.multi(1);
        ring.addGating(new Sequence(-1));
        producer = RingFixtures.producerBehind(ring, 1);
    }

    /**
     * Claims.
     *
     * @param r whether it is the owner
     */
    @Actor
    public void first(IIII_Result r) {
        meeting.one();
        firstBegan.setVolatile(1);
        r.r1 = claim();
        r.r3 = (int) secondBegan.getVolatile();
    }

    /**
     * Claims, too.
     *
     * @param r whether it is the owner
     */
    @Actor
    public void second(IIII_Result r) {
        meeting.other();
        secondBegan.setVolatile(1);
        r.r2 = claim();
        r.r4 = (int) firstBegan.getVolatile();
    }

    private int claim() {
        try {
            producer.tryNext(1);
            return 1;
        } catch (IllegalStateException refused) {
            return 0;
        }
    }
}
