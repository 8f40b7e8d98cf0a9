package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.SequenceBarrier;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A ring of which two slots are published, one after the other.
 *
 * <p>A slot that is seen as published holds all words of its event. If not, a consumer would handle an event that is half the
 * old one. Results: the highest sequence seen as published, the version of the event in slot 0.
 */
@Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "nothing was published yet")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the first was published, the second not yet")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both were published")
@Outcome(expect = FORBIDDEN, desc = "an event torn, or seen before its publication")
public abstract class SlotPublicationTest<E> {
    private final RingBuffer<E> ring;
    private final Words<E> words;
    private final Producer<E> producer;
    private final SequenceBarrier barrier;

    SlotPublicationTest(RingBuffer<E> ring, Words<E> words) {
        this.words = words;
        this.ring = ring;
        producer = ring.producer();
        barrier = ring.newBarrier();
    }

    /** Publishes two events. */
    public void producer() {
        producer.tryPublishEvent(words);
        producer.tryPublishEvent(words);
    }

    /**
     * Looks, and reads the first event.
     *
     * @param r what it saw
     */
    public void consumer(JJ_Result r) {
        r.r1 = barrier.available(0);
        r.r2 = r.r1 >= 0 ? words.version(ring.get(0), 0) : 0;
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(SlotPublicationTest.class)
    @Proof(
            claim = "a published slot holds its whole event (one producer)",
            overlap = {"0, 1"},
            twins = {"cursor-early"})
    @State
    public static class Single extends SlotPublicationTest<Event> {
        /** An empty ring. */
        public Single() {
            super(RingFixtures.single(2), Words.OBJECTS);
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void consumer(JJ_Result r) {
            super.consumer(r);
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(SlotPublicationTest.class)
    @Proof(
            claim = "a published slot holds its whole event (many producers)",
            overlap = {"0, 1"},
            twins = {"stamp-early"})
    @State
    public static class Multi extends SlotPublicationTest<Event> {
        /** An empty ring. */
        public Multi() {
            super(RingFixtures.multi(2), Words.OBJECTS);
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void consumer(JJ_Result r) {
            super.consumer(r);
        }
    }

    /** On a ring of bytes for one producer. */
    @JCStressTest
    @JCStressMeta(SlotPublicationTest.class)
    @Proof(
            claim = "a published slot holds its whole event (bytes, one producer)",
            overlap = {"0, 1"},
            twins = {"cursor-early"})
    @State
    public static class SingleBytes extends SlotPublicationTest<ByteSlots> {
        /** An empty ring. */
        public SingleBytes() {
            super(RingFixtures.bytes(2).singleProducer().build(), Words.BYTES);
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void consumer(JJ_Result r) {
            super.consumer(r);
        }
    }

    /** On a ring of bytes for many producers. */
    @JCStressTest
    @JCStressMeta(SlotPublicationTest.class)
    @Proof(
            claim = "a published slot holds its whole event (bytes, many producers)",
            overlap = {"0, 1"},
            twins = {"stamp-early"})
    @State
    public static class MultiBytes extends SlotPublicationTest<ByteSlots> {
        /** An empty ring. */
        public MultiBytes() {
            super(RingFixtures.bytes(2).build(), Words.BYTES);
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void consumer(JJ_Result r) {
            super.consumer(r);
        }
    }
}
