package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
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
 * Four events go round a ring so small that every slot is used again. The consumer takes its time over each event, so that a
 * producer that must not write to its slot yet would.
 *
 * <p>Four events go round: each is seen whole, once, in order, and never again after its slot was reused. If not, a consumer
 * would lose events or handle one twice. Results: how many events the consumer handled while the producer ran, then how many
 * were missing in the end.
 */
@Outcome(
        id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"},
        expect = ACCEPTABLE,
        desc = "so many were handled at the same time, the rest later")
@Outcome(expect = FORBIDDEN, desc = "an event torn, out of order, doubled or lost")
public abstract class WrapTest<E> {
    private static final int EVENTS = 4;

    /** For how many spins an event is looked at: longer than a producer takes for the next. */
    private static final int SPINS = 20;

    private final Meeting meeting = new Meeting();
    private final Words<E> words;
    private final Producer<E> producer;
    private final EventPoller<E> poller;
    private final Checker checker = new Checker();
    private long published;

    WrapTest(RingBuffer<E> ring, Words<E> words) {
        this.words = words;
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(E event, long sequence, boolean endOfBatch) {
        checker.seen(sequence, words.version(event, sequence));
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
        checker.onceMore(words.version(event, sequence));
    }

    /** Publishes events as long as room comes soon. */
    public void producer() {
        meeting.one();
        for (int i = 0; i < EVENTS; i++) {
            if (RingFixtures.publishSoon(producer, words) < 0) {
                return;
            }
            published++;
        }
    }

    /** Handles events as long as they come soon; how many. */
    final long handleSoon() {
        meeting.other();
        for (int i = 0; i < EVENTS && checker.handled() < EVENTS; i++) {
            if (RingFixtures.pollSoon(poller, this::handle, EVENTS) == 0) {
                break;
            }
        }
        return checker.handled();
    }

    /** Handles the rest; how many are missing. */
    final long missing() {
        while (RingFixtures.poll(poller, this::handle, EVENTS) > 0) {
            // the handler counts
        }
        return published - checker.handled();
    }

    /**
     * Handles events.
     *
     * @param r how many
     */
    public void consumer(JJ_Result r) {
        r.r1 = handleSoon();
    }

    /**
     * Handles the rest.
     *
     * @param r how many are missing
     */
    public void end(JJ_Result r) {
        r.r2 = missing();
    }

    /** On a ring of capacity 1 for one producer. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "slots are reused only after they were read (capacity 1, one producer)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early"})
    @State
    public static class SingleOne extends WrapTest<Event> {
        /** An empty ring. */
        public SingleOne() {
            super(RingFixtures.single(1), Words.OBJECTS);
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

    /** On a ring of capacity 2 for one producer. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "slots are reused only after they were read (capacity 2, one producer)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early", "single-claim-room"})
    @State
    public static class SingleTwo extends WrapTest<Event> {
        /** An empty ring. */
        public SingleTwo() {
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring of capacity 1 for many producers. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "slots are reused only after they were read (capacity 1, many producers)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early", "multi-claim-room"})
    @State
    public static class MultiOne extends WrapTest<Event> {
        /** An empty ring. */
        public MultiOne() {
            super(RingFixtures.multi(1), Words.OBJECTS);
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

    /** On a ring of capacity 2 for many producers. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "slots are reused only after they were read (capacity 2, many producers)",
            overlap = {"4, 0"},
            twins = {"multi-claim-room", "stamp-without-lap"})
    @State
    public static class MultiTwo extends WrapTest<Event> {
        /** An empty ring. */
        public MultiTwo() {
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring of bytes of capacity 2 for one producer. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "slots are reused only after they were read (bytes, capacity 2, one producer)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early", "single-claim-room"})
    @State
    public static class SingleBytes extends WrapTest<ByteSlots> {
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring of bytes of capacity 2 for many producers. */
    @JCStressTest
    @JCStressMeta(WrapTest.class)
    @Proof(
            claim = "slots are reused only after they were read (bytes, capacity 2, many producers)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early", "multi-claim-room"})
    @State
    public static class MultiBytes extends WrapTest<ByteSlots> {
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

        @Override
        @Arbiter
        public void end(JJ_Result r) {
            super.end(r);
        }
    }
}
