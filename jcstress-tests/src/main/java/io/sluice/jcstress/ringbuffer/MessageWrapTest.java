package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.agrona.DirectBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * Five messages go round a ring of 64 bytes, which holds four, and whose end none of them meets: so the fourth needs padding. The
 * consumer takes its time over each, so that a producer that must not write there yet would.
 *
 * <p>Each is seen whole, once, in order, and never again after its bytes were reused; the padding is never seen. Results: how many
 * the consumer handled while the producer ran, then how many were missing in the end.
 */
@Outcome(
        id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0", "5, 0"},
        expect = ACCEPTABLE,
        desc = "so many were handled at the same time, the rest later")
@Outcome(expect = FORBIDDEN, desc = "a message torn, out of order, doubled or lost, or padding delivered")
public abstract class MessageWrapTest {
    private static final int MESSAGES = 5;

    /** For how many spins a message is looked at: longer than a producer takes for the next. */
    private static final int SPINS = 20;

    /** So many messages of two sequences fill the ring once. */
    private static final int LAP = 4;

    /** A payload that reads as the header of an empty message of type 7, where the padding's own header is not written. */
    private static final long LIKE_A_HEADER = 7L << Integer.SIZE;

    private final Meeting meeting = new Meeting();
    private final MessageProducer producer;
    private final EventPoller<Messages> poller;
    private long published;
    private long handled;
    private boolean wrong;

    MessageWrapTest(RingBuffer<Messages> ring) {
        poller = Pipeline.on(ring).poller("poller");
        try (MessageProducer first = MessageProducer.of(ring)) {
            for (int i = 0; i < LAP; i++) {
                MessageFixtures.offer(first, 1, LIKE_A_HEADER);
                passOver();
            }
            MessageFixtures.offer(first, 0, 0); // so that messages of two sequences do not fit to the end
            passOver();
        }
        producer = MessageProducer.of(ring);
    }

    private void passOver() {
        MessageFixtures.poll(poller, (type, buffer, offset, length, sequence, endOfBatch) -> {}, 1);
    }

    private void handle(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
        handled++;
        if (type != 1 || length != Long.BYTES) {
            wrong = true; // none of ours: its bytes may be beyond the buffer
            return;
        }
        wrong |= buffer.getLong(offset) != handled;
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
        wrong |= buffer.getLong(offset) != handled;
    }

    /** Publishes messages as long as room comes soon. */
    public void producer() {
        meeting.one();
        for (int i = 1; i <= MESSAGES; i++) {
            if (MessageFixtures.offerSoon(producer, 1, i) < 0) {
                return;
            }
            published++;
        }
    }

    /**
     * Handles messages as long as they come soon.
     *
     * @param r how many
     */
    public void consumer(JJ_Result r) {
        meeting.other();
        for (int i = 0; i < MESSAGES && handled < MESSAGES; i++) {
            if (MessageFixtures.pollSoon(poller, this::handle, 100) == 0) {
                break;
            }
        }
        r.r1 = wrong ? -1 : handled;
    }

    /**
     * Handles the rest.
     *
     * @param r how many are missing
     */
    public void end(JJ_Result r) {
        while (MessageFixtures.poll(poller, this::handle, 100) > 0) {
            // the handler counts
        }
        r.r2 = wrong ? -1 : published - handled;
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(MessageWrapTest.class)
    @Proof(
            claim = "bytes are reused only after they were read, and padding is passed over (one producer)",
            overlap = {"5, 0"},
            twins = {"message-poller-progress-early", "single-claim-room", "message-padding-unwritten-single"})
    @State
    public static class Single extends MessageWrapTest {
        /** An empty ring. */
        public Single() {
            super(MessageFixtures.single(64));
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
    @JCStressMeta(MessageWrapTest.class)
    @Proof(
            claim = "bytes are reused only after they were read, and padding is passed over (many producers)",
            overlap = {"5, 0"},
            twins = {"message-poller-progress-early", "message-claim-room", "message-padding-unwritten-multi"})
    @State
    public static class Multi extends MessageWrapTest {
        /** An empty ring. */
        public Multi() {
            super(MessageFixtures.multi(64));
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
