package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.EventPoller;
import io.sluice.ringbuffer.Pipeline;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * On a full ring of two slots, a ring with multi producer: while a consumer frees one slot, {@code tryNext} hands out that one,
 * and no other. If it handed out more, a producer would write into a slot that a consumer still reads.
 */
@JCStressTest
@Outcome(id = "-2, -2", expect = ACCEPTABLE, desc = "full both times: the slot was freed later")
@Outcome(id = "-2, 2", expect = ACCEPTABLE, desc = "freed between the two attempts")
@Outcome(id = "2, -2", expect = ACCEPTABLE, desc = "freed before, and then full again")
@Outcome(expect = FORBIDDEN, desc = "more claimed than there are slots")
@Proof(
        claim = "tryNext never hands out more than the capacity (multi producer)",
        overlap = {"-2, 2"},
        twins = {"multi-claim-room"})
@State
public class TryNextMultiTest {
    private final Producer<Event> producer;
    private final EventPoller<Event> poller;

    /** A full ring. */
    public TryNextMultiTest() {
        RingBuffer<Event> ring = Stand.multi(2);
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
        Stand.publish(producer);
        Stand.publish(producer);
    }

    /**
     * Tries twice.
     *
     * @param r what the two claims gave
     */
    @Actor
    public void producer(JJ_Result r) {
        r.r1 = producer.tryNext(1);
        r.r2 = producer.tryNext(1);
    }

    /** Frees one slot. */
    @Actor
    public void consumer() {
        Stand.poll(poller, (event, sequence, endOfBatch) -> {}, 1);
    }
}
