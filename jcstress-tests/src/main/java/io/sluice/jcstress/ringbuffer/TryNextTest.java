package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A full ring of two slots, of which a consumer frees one.
 *
 * <p>While a consumer frees one of them, {@code tryNext} hands out that one, and no other. If it handed out more, a producer
 * would write into a slot that a consumer still reads. Results: what two attempts gave.
 */
@Outcome(id = "-2, -2", expect = ACCEPTABLE, desc = "full both times: the slot was freed later")
@Outcome(id = "-2, 2", expect = ACCEPTABLE, desc = "freed between the two attempts")
@Outcome(id = "2, -2", expect = ACCEPTABLE, desc = "freed before, and then full again")
@Outcome(expect = FORBIDDEN, desc = "more claimed than there are slots")
public abstract class TryNextTest {
    private final Producer<Event> producer;
    private final EventPoller<Event> poller;

    TryNextTest(RingBuffer<Event> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = RingFixtures.producerBehind(ring, 2);
    }

    /**
     * Claims twice, and tells what that gave.
     *
     * @param r what the two claims gave
     */
    public void producer(JJ_Result r) {
        r.r1 = producer.tryNext(1);
        r.r2 = producer.tryNext(1);
    }

    /** Frees one slot. */
    public void consumer() {
        RingFixtures.poll(poller, (event, sequence, endOfBatch) -> {}, 1);
    }

    /** On a full ring of two slots for one producer. */
    @JCStressTest
    @JCStressMeta(TryNextTest.class)
    @Proof(
            claim = "tryNext never hands out more than the capacity (one producer)",
            overlap = {"-2, 2"},
            twins = {"single-claim-room", "gating-minimum"})
    @State
    public static class Single extends TryNextTest {
        /** A full ring. */
        public Single() {
            super(RingFixtures.single(2));
        }

        @Override
        @Actor
        public void producer(JJ_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void consumer() {
            super.consumer();
        }
    }

    /** On a full ring of two slots for many producers. */
    @JCStressTest
    @JCStressMeta(TryNextTest.class)
    @Proof(
            claim = "tryNext never hands out more than the capacity (many producers)",
            overlap = {"-2, 2"},
            twins = {"multi-claim-room"})
    @State
    public static class Multi extends TryNextTest {
        /** A full ring. */
        public Multi() {
            super(RingFixtures.multi(2));
        }

        @Override
        @Actor
        public void producer(JJ_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void consumer() {
            super.consumer();
        }
    }
}
