package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * A ring that tracks claims, an owner that publishes its claim, and another that aborts it at the same time.
 *
 * <p>Of an owner that publishes and another that aborts on its behalf exactly one wins; an aborted event is never delivered, and
 * no slot holds what the late owner writes. If not, a consumer would handle an event that was given away, or a late owner would
 * write into an event of another. Results: 1 if the owner published, -1 if it was told that it lost; how many sequences were
 * aborted; the sum of the versions delivered in the end, -9 if the late owner's event is still in the slot.
 */
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the owner won")
@Outcome(id = "-1, 1, 0", expect = ACCEPTABLE, desc = "the abort won")
@Outcome(expect = FORBIDDEN, desc = "both won, or none, or an aborted event is seen")
public abstract class AbortForOwnerTest<E> {
    private final RingBuffer<E> ring;
    private final Words<E> words;
    private final Producer<E> producer;
    private final EventPoller<E> poller;
    private final Meeting meeting = new Meeting();
    private long sum;

    AbortForOwnerTest(RingBuffer<E> ring, Words<E> words) {
        this.words = words;
        this.ring = ring;
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(E event, long sequence, boolean endOfBatch) {
        sum += words.version(event, sequence);
    }

    /** Claims, and once the other has seen it, fills and publishes: 1 if it did, -1 if it was told that it lost. */
    final int publish() {
        long sequence = producer.tryNext(1);
        meeting.one();
        try {
            words.fill(producer.get(sequence), sequence, 1);
            producer.publish(sequence, sequence);
            return 1;
        } catch (ClaimAbortedException e) {
            return -1;
        }
    }

    /** Aborts on the owner's behalf; how many sequences. */
    final long abort() {
        return RingFixtures.abortForOwner(ring, meeting);
    }

    /** Polls the rest; the sum of the versions, -9 if the event of an owner that lost is in the slot. */
    final long delivered(boolean ownerLost) {
        while (RingFixtures.poll(poller, this::handle, 4) > 0) {
            // the handler sums up
        }
        return ownerLost && words.version(ring.get(0), 0) != 0 ? -9 : sum;
    }

    /**
     * Claims and publishes.
     *
     * @param r whether it won
     */
    public void owner(JJJ_Result r) {
        r.r1 = publish();
    }

    /**
     * Aborts.
     *
     * @param r how many sequences it aborted
     */
    public void other(JJJ_Result r) {
        r.r2 = abort();
    }

    /**
     * Polls the rest.
     *
     * @param r the sum
     */
    public void end(JJJ_Result r) {
        r.r3 = delivered(r.r1 == -1);
    }

    /** On a ring for one producer that tracks claims. */
    @JCStressTest
    @JCStressMeta(AbortForOwnerTest.class)
    @Proof(
            claim = "of a publication and an abort on the owner's behalf exactly one wins (one producer)",
            overlap = {"1, 0, 1", "-1, 1, 0"},
            twins = {"tracked-single-publish-cas"})
    @State
    public static class Single extends AbortForOwnerTest<Event> {
        /** An empty ring. */
        public Single() {
            super(RingFixtures.builder(4).singleProducer().trackClaims().build(), Words.OBJECTS);
        }

        @Override
        @Actor
        public void owner(JJJ_Result r) {
            super.owner(r);
        }

        @Override
        @Actor
        public void other(JJJ_Result r) {
            super.other(r);
        }

        @Override
        @Arbiter
        public void end(JJJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring for many producers that tracks claims. */
    @JCStressTest
    @JCStressMeta(AbortForOwnerTest.class)
    @Proof(
            claim = "of a publication and an abort on the owner's behalf exactly one wins (many producers)",
            overlap = {"1, 0, 1", "-1, 1, 0"},
            twins = {"tracked-multi-cas", "tracked-multi-no-orphan"})
    @State
    public static class Multi extends AbortForOwnerTest<Event> {
        /** An empty ring. */
        public Multi() {
            super(RingFixtures.builder(4).trackClaims().build(), Words.OBJECTS);
        }

        @Override
        @Actor
        public void owner(JJJ_Result r) {
            super.owner(r);
        }

        @Override
        @Actor
        public void other(JJJ_Result r) {
            super.other(r);
        }

        @Override
        @Arbiter
        public void end(JJJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring of bytes for one producer that tracks claims. */
    @JCStressTest
    @JCStressMeta(AbortForOwnerTest.class)
    @Proof(
            claim = "of a publication and an abort on the owner's behalf exactly one wins (bytes, one producer)",
            overlap = {"1, 0, 1", "-1, 1, 0"},
            twins = {"tracked-single-publish-cas"})
    @State
    public static class SingleBytes extends AbortForOwnerTest<ByteSlots> {
        /** An empty ring. */
        public SingleBytes() {
            super(RingFixtures.bytes(4).singleProducer().trackClaims().build(), Words.BYTES);
        }

        @Override
        @Actor
        public void owner(JJJ_Result r) {
            super.owner(r);
        }

        @Override
        @Actor
        public void other(JJJ_Result r) {
            super.other(r);
        }

        @Override
        @Arbiter
        public void end(JJJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring of bytes for many producers that tracks claims. */
    @JCStressTest
    @JCStressMeta(AbortForOwnerTest.class)
    @Proof(
            claim = "of a publication and an abort on the owner's behalf exactly one wins (bytes, many producers)",
            overlap = {"1, 0, 1", "-1, 1, 0"},
            twins = {"tracked-multi-cas", "tracked-multi-no-orphan"})
    @State
    public static class MultiBytes extends AbortForOwnerTest<ByteSlots> {
        /** An empty ring. */
        public MultiBytes() {
            super(RingFixtures.bytes(4).trackClaims().build(), Words.BYTES);
        }

        @Override
        @Actor
        public void owner(JJJ_Result r) {
            super.owner(r);
        }

        @Override
        @Actor
        public void other(JJJ_Result r) {
            super.other(r);
        }

        @Override
        @Arbiter
        public void end(JJJ_Result r) {
            super.end(r);
        }
    }
}
