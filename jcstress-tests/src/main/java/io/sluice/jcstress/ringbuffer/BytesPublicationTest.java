package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.SequenceBarrier;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A ring of bytes of which two slots are published, one after the other. */
public abstract class BytesPublicationTest {
    private final RingBuffer<ByteSlots> ring;
    private final Producer<ByteSlots> producer;
    private final SequenceBarrier barrier;

    BytesPublicationTest(RingBuffer<ByteSlots> ring) {
        this.ring = ring;
        producer = ring.producer();
        barrier = ring.newBarrier();
    }

    /** Publishes two slots. */
    final void publishTwo() {
        Bytes.publish(producer);
        Bytes.publish(producer);
    }

    /** Looks, and reads the first slot. */
    final void look(JJ_Result r) {
        r.r1 = barrier.available(0);
        r.r2 = r.r1 >= 0 ? Bytes.version(ring, 0) : 0;
    }

    /**
     * On a ring of bytes for one producer, a slot that is seen as published holds all its bytes. If not, a consumer would handle a message
     * that is half the old one. Results: the highest sequence seen as published, the version of the message in slot 0.
     */
    @JCStressTest
    @Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "nothing was published yet")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the first was published, the second not yet")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both were published")
    @Outcome(expect = FORBIDDEN, desc = "a message torn, or seen before its publication")
    @Proof(
            claim = "a published slot of bytes holds its whole message (one producer)",
            overlap = {"0, 1"},
            twins = {"slot-stamp-early"})
    @State
    public static class Single extends BytesPublicationTest {
        /** An empty ring. */
        public Single() {
            super(Bytes.single(2));
        }

        /** Publishes two slots. */
        @Actor
        public void producer() {
            publishTwo();
        }

        /**
         * Looks.
         *
         * @param r what it saw
         */
        @Actor
        public void consumer(JJ_Result r) {
            look(r);
        }
    }

    /**
     * On a ring of bytes for many producers, a slot that is seen as published holds all its bytes. If not, a consumer would handle a message
     * that is half the old one. Results: the highest sequence seen as published, the version of the message in slot 0.
     */
    @JCStressTest
    @Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "nothing was published yet")
    @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the first was published, the second not yet")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both were published")
    @Outcome(expect = FORBIDDEN, desc = "a message torn, or seen before its publication")
    @Proof(
            claim = "a published slot of bytes holds its whole message (many producers)",
            overlap = {"0, 1"},
            twins = {"stamp-early"})
    @State
    public static class Multi extends BytesPublicationTest {
        /** An empty ring. */
        public Multi() {
            super(Bytes.multi(2));
        }

        /** Publishes two slots. */
        @Actor
        public void producer() {
            publishTwo();
        }

        /**
         * Looks.
         *
         * @param r what it saw
         */
        @Actor
        public void consumer(JJ_Result r) {
            look(r);
        }
    }
}
