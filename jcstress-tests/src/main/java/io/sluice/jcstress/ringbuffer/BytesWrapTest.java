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
import org.agrona.DirectBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * Four messages go round a ring of bytes so small that every slot is used again. The consumer takes its time over each, so that a
 * producer that must not write to its slot yet would.
 */
public abstract class BytesWrapTest {
    private static final int MESSAGES = 4;
    private static final long WRONG = -9;

    /** For how many spins a message is looked at: longer than a producer takes for the next. */
    private static final int SPINS = 20;

    private final Meeting meeting = new Meeting();
    private final Producer<ByteSlots> producer;
    private final EventPoller<ByteSlots> poller;
    private long handled;
    private long published;

    BytesWrapTest(RingBuffer<ByteSlots> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
        boolean right = sequence == handled && Bytes.version(buffer, offset) == sequence + 1;
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
        right &= Bytes.version(buffer, offset) == sequence + 1;
        if (handled != WRONG) {
            handled = right ? handled + 1 : WRONG;
        }
    }

    /** Publishes messages as long as room comes soon. */
    final void publishAll() {
        meeting.one();
        for (int i = 0; i < MESSAGES; i++) {
            if (Bytes.publishSoon(producer) < 0) {
                return;
            }
            published++;
        }
    }

    /** Handles messages as long as they come soon; how many. */
    final long handleSoon() {
        meeting.other();
        for (int i = 0; i < MESSAGES && handled < MESSAGES; i++) {
            if (Bytes.pollSoon(poller, this::handle, MESSAGES) == 0) {
                break;
            }
        }
        return handled;
    }

    /** Handles the rest; how many are missing. */
    final long missing() {
        while (Bytes.poll(poller, this::handle, MESSAGES) > 0) {
            // the handler counts
        }
        return published - handled;
    }

    /**
     * On a ring of bytes of capacity 1 for one producer, four messages go round: each is seen whole, once, in order, and never again after
     * its slot was reused. If not, a consumer would lose messages or handle one twice. Results: how many messages the consumer
     * handled while the producer ran, then how many were missing in the end.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"},
            expect = ACCEPTABLE,
            desc = "so many were handled at the same time, the rest later")
    @Outcome(expect = FORBIDDEN, desc = "a message torn, out of order, doubled or lost")
    @Proof(
            claim = "slots of bytes are reused only after they were read (capacity 1, one producer)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early"})
    @State
    public static class SingleOne extends BytesWrapTest {
        /** An empty ring. */
        public SingleOne() {
            super(Bytes.single(1));
        }

        /** Publishes. */
        @Actor
        public void producer() {
            publishAll();
        }

        /**
         * Handles messages.
         *
         * @param r how many
         */
        @Actor
        public void consumer(JJ_Result r) {
            r.r1 = handleSoon();
        }

        /**
         * Handles the rest.
         *
         * @param r how many are missing
         */
        @Arbiter
        public void end(JJ_Result r) {
            r.r2 = missing();
        }
    }

    /**
     * On a ring of bytes of capacity 2 for one producer, four messages go round: each is seen whole, once, in order, and never again after
     * its slot was reused. If not, a consumer would lose messages or handle one twice. Results: how many messages the consumer
     * handled while the producer ran, then how many were missing in the end.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"},
            expect = ACCEPTABLE,
            desc = "so many were handled at the same time, the rest later")
    @Outcome(expect = FORBIDDEN, desc = "a message torn, out of order, doubled or lost")
    @Proof(
            claim = "slots of bytes are reused only after they were read (capacity 2, one producer)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early", "single-claim-room"})
    @State
    public static class SingleTwo extends BytesWrapTest {
        /** An empty ring. */
        public SingleTwo() {
            super(Bytes.single(2));
        }

        /** Publishes. */
        @Actor
        public void producer() {
            publishAll();
        }

        /**
         * Handles messages.
         *
         * @param r how many
         */
        @Actor
        public void consumer(JJ_Result r) {
            r.r1 = handleSoon();
        }

        /**
         * Handles the rest.
         *
         * @param r how many are missing
         */
        @Arbiter
        public void end(JJ_Result r) {
            r.r2 = missing();
        }
    }

    /**
     * On a ring of bytes of capacity 1 for many producers, four messages go round: each is seen whole, once, in order, and never again after
     * its slot was reused. If not, a consumer would lose messages or handle one twice. Results: how many messages the consumer
     * handled while the producer ran, then how many were missing in the end.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"},
            expect = ACCEPTABLE,
            desc = "so many were handled at the same time, the rest later")
    @Outcome(expect = FORBIDDEN, desc = "a message torn, out of order, doubled or lost")
    @Proof(
            claim = "slots of bytes are reused only after they were read (capacity 1, many producers)",
            overlap = {"4, 0"},
            twins = {"poller-progress-early", "multi-claim-room"})
    @State
    public static class MultiOne extends BytesWrapTest {
        /** An empty ring. */
        public MultiOne() {
            super(Bytes.multi(1));
        }

        /** Publishes. */
        @Actor
        public void producer() {
            publishAll();
        }

        /**
         * Handles messages.
         *
         * @param r how many
         */
        @Actor
        public void consumer(JJ_Result r) {
            r.r1 = handleSoon();
        }

        /**
         * Handles the rest.
         *
         * @param r how many are missing
         */
        @Arbiter
        public void end(JJ_Result r) {
            r.r2 = missing();
        }
    }

    /**
     * On a ring of bytes of capacity 2 for many producers, four messages go round: each is seen whole, once, in order, and never again after
     * its slot was reused. If not, a consumer would lose messages or handle one twice. Results: how many messages the consumer
     * handled while the producer ran, then how many were missing in the end.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"},
            expect = ACCEPTABLE,
            desc = "so many were handled at the same time, the rest later")
    @Outcome(expect = FORBIDDEN, desc = "a message torn, out of order, doubled or lost")
    @Proof(
            claim = "slots of bytes are reused only after they were read (capacity 2, many producers)",
            overlap = {"4, 0"},
            twins = {"multi-claim-room"})
    @State
    public static class MultiTwo extends BytesWrapTest {
        /** An empty ring. */
        public MultiTwo() {
            super(Bytes.multi(2));
        }

        /** Publishes. */
        @Actor
        public void producer() {
            publishAll();
        }

        /**
         * Handles messages.
         *
         * @param r how many
         */
        @Actor
        public void consumer(JJ_Result r) {
            r.r1 = handleSoon();
        }

        /**
         * Handles the rest.
         *
         * @param r how many are missing
         */
        @Arbiter
        public void end(JJ_Result r) {
            r.r2 = missing();
        }
    }
}
