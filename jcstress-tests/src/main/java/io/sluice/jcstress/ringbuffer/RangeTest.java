package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.SequenceBarrier;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** A ring of which two slots are claimed and published by one call. */
public abstract class RangeTest {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;
    private final SequenceBarrier barrier;

    RangeTest(RingBuffer<Event> ring) {
        this.ring = ring;
        producer = ring.producer();
        barrier = ring.newBarrier();
    }

    /** Claims two slots, fills both, publishes both. */
    public void producer() {
        producer.tryPublishEvents((event, sequence, index) -> event.fill(sequence + 1), 2);
    }

    /**
     * Looks twice, then reads the published events.
     *
     * @param r what it saw
     */
    public void consumer(JJJ_Result r) {
        r.r1 = barrier.available(0);
        r.r2 = barrier.available(r.r1 + 1);
        long sum = 0;
        for (long sequence = 0; sequence <= r.r2; sequence++) {
            sum += ring.get(sequence).version();
        }
        r.r3 = sum;
    }

    /**
     * On a ring for one producer, a claim of two slots is published by one call: both slots are seen at once, and whole.
     * If not, a consumer would handle an event before it was filled. Results: the highest sequence seen at first and
     * then, and the sum of the versions seen.
     */
    @JCStressTest
    @Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "nothing was published yet")
    @Outcome(id = "-1, 1, 3", expect = ACCEPTABLE, desc = "the range came between the two looks")
    @Outcome(id = "1, 1, 3", expect = ACCEPTABLE, desc = "the range was there")
    @Outcome(expect = FORBIDDEN, desc = "half a range, or a slot before its publication")
    @Proof(
            claim = "a range is published at once (one producer)",
            overlap = {"-1, 1, 3"},
            twins = {"cursor-early"})
    @State
    public static class Single extends RangeTest {
        /** An empty ring. */
        public Single() {
            super(RingFixtures.single(4));
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void consumer(JJJ_Result r) {
            super.consumer(r);
        }
    }

    /**
     * On a ring for many producers, a claim of two slots is published by one call: slots are seen in their order, and
     * whole. If not, a consumer would handle an event before it was filled. Results: the highest sequence seen at first
     * and then, and the sum of the versions seen.
     */
    @JCStressTest
    @Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "nothing was published yet")
    @Outcome(
            id = {"-1, 0, 1", "0, 0, 1"},
            expect = ACCEPTABLE,
            desc = "the first slot was published, the second not yet")
    @Outcome(
            id = {"-1, 1, 3", "0, 1, 3"},
            expect = ACCEPTABLE,
            desc = "the rest came between the two looks")
    @Outcome(id = "1, 1, 3", expect = ACCEPTABLE, desc = "the range was there")
    @Outcome(expect = FORBIDDEN, desc = "half a range, or a slot before its publication")
    @Proof(
            claim = "a range is published in its order (many producers)",
            overlap = {"-1, 1, 3"},
            twins = {"stamp-early"})
    @State
    public static class Multi extends RangeTest {
        /** An empty ring. */
        public Multi() {
            super(RingFixtures.multi(4));
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void consumer(JJJ_Result r) {
            super.consumer(r);
        }
    }
}
