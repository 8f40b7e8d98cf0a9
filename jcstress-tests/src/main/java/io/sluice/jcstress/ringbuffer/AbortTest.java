package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.ByteSlots;
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
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A producer that aborts one of its claims, and publishes the next.
 *
 * <p>An aborted slot is never delivered, and the one published behind it is. If not, a consumer would handle an event that a producer gave
 * back half-filled. Results: how many sequences the first poll that found any went on, and the sum of the versions delivered in the end.
 */
@Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "nothing was published yet")
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "the abort was seen alone")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "both were seen at once")
@Outcome(expect = FORBIDDEN, desc = "the aborted slot was delivered, or the other one was not")
public abstract class AbortTest<E> {
    private final Words<E> words;
    private final Producer<E> producer;
    private final EventPoller<E> poller;
    private long sum;

    AbortTest(RingBuffer<E> ring, Words<E> words) {
        this.words = words;
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(E event, long sequence, boolean endOfBatch) {
        sum += words.version(event, sequence);
    }

    /** Claims two slots, aborts the first, publishes the second. */
    public void producer() {
        long hi = producer.tryNext(2);
        words.fill(producer.get(hi - 1), hi - 1, 77);
        words.fill(producer.get(hi), hi, 2);
        producer.abort(hi - 1, hi - 1);
        producer.publish(hi, hi);
    }

    /** Polls; how far. */
    final int pollSoon() {
        return RingFixtures.pollSoon(poller, this::handle, 4);
    }

    /** Polls the rest; the sum of the versions. */
    final long delivered() {
        while (RingFixtures.poll(poller, this::handle, 4) > 0) {
            // the handler sums up
        }
        return sum;
    }

    /**
     * Polls.
     *
     * @param r how far
     */
    public void consumer(JJ_Result r) {
        r.r1 = pollSoon();
    }

    /**
     * Polls the rest.
     *
     * @param r the sum
     */
    public void end(JJ_Result r) {
        r.r2 = delivered();
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(AbortTest.class)
    @Proof(
            claim = "an aborted slot is never delivered (one producer)",
            overlap = {"1, 2"},
            twins = {"abort-mark-late-single"})
    @State
    public static class Single extends AbortTest<Event> {
        /** An empty ring. */
        public Single() {
            super(RingFixtures.single(4), Words.OBJECTS);
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(AbortTest.class)
    @Proof(
            claim = "an aborted slot is never delivered (many producers)",
            overlap = {"1, 2"},
            twins = {"abort-mark-late-multi"})
    @State
    public static class Multi extends AbortTest<Event> {
        /** An empty ring. */
        public Multi() {
            super(RingFixtures.multi(4), Words.OBJECTS);
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring of bytes for one producer. */
    @JCStressTest
    @JCStressMeta(AbortTest.class)
    @Proof(
            claim = "an aborted slot is never delivered (bytes, one producer)",
            overlap = {"1, 2"},
            twins = {"abort-mark-late-single"})
    @State
    public static class SingleBytes extends AbortTest<ByteSlots> {
        /** An empty ring. */
        public SingleBytes() {
            super(RingFixtures.bytes(4).singleProducer().build(), Words.BYTES);
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring for one producer that tracks claims. */
    @JCStressTest
    @JCStressMeta(AbortTest.class)
    @Proof(
            claim = "an aborted slot is never delivered (one producer, claims tracked)",
            overlap = {"1, 2"},
            twins = {"tracked-single-abort-unmarked"})
    @State
    public static class TrackedSingle extends AbortTest<Event> {
        /** An empty ring. */
        public TrackedSingle() {
            super(RingFixtures.builder(4).singleProducer().trackClaims().build(), Words.OBJECTS);
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring for many producers that tracks claims. */
    @JCStressTest
    @JCStressMeta(AbortTest.class)
    @Proof(
            claim = "an aborted slot is never delivered (many producers, claims tracked)",
            overlap = {"1, 2"},
            twins = {"tracked-multi-abort-unmarked"})
    @State
    public static class TrackedMulti extends AbortTest<Event> {
        /** An empty ring. */
        public TrackedMulti() {
            super(RingFixtures.builder(4).multiProducer().trackClaims().build(), Words.OBJECTS);
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring of bytes for many producers. */
    @JCStressTest
    @JCStressMeta(AbortTest.class)
    @Proof(
            claim = "an aborted slot is never delivered (bytes, many producers)",
            overlap = {"1, 2"},
            twins = {"abort-mark-late-multi"})
    @State
    public static class MultiBytes extends AbortTest<ByteSlots> {
        /** An empty ring. */
        public MultiBytes() {
            super(RingFixtures.bytes(4).build(), Words.BYTES);
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }
}
