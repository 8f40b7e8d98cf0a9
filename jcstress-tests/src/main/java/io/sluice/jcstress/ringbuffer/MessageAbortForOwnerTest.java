package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.ClaimAbortedException;
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
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * A ring of messages that tracks claims, an owner that commits its message, and another that aborts it at the same time.
 *
 * <p>Exactly one wins, and an aborted message is never delivered. If not, a consumer would handle a message that was given away, or the
 * owner would believe that it was sent. Results: 1 if the owner committed, -1 if it was told that it lost; how many sequences were
 * aborted; the sum of the numbers delivered in the end.
 */
@Outcome(id = "1, 0, 5", expect = ACCEPTABLE, desc = "the owner won")
@Outcome(id = "-1, 3, 0", expect = ACCEPTABLE, desc = "the abort won")
@Outcome(expect = FORBIDDEN, desc = "both won, or none, or an aborted message is seen")
public abstract class MessageAbortForOwnerTest {
    private final RingBuffer<Messages> ring;
    private final MessageProducer producer;
    private final EventPoller<Messages> poller;
    private final Meeting meeting = new Meeting();
    private long sum;

    MessageAbortForOwnerTest(RingBuffer<Messages> ring) {
        this.ring = ring;
        poller = Pipeline.on(ring).poller("poller");
        producer = MessageProducer.of(ring);
    }

    private void handle(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
        sum += buffer.getLong(offset + Long.BYTES);
    }

    /**
     * Claims, and once the other has seen it, fills and commits.
     *
     * @param r whether it won
     */
    public void owner(JJJ_Result r) {
        long sequence = producer.tryClaim(1, 2 * Long.BYTES);
        meeting.one();
        try {
            producer.buffer().putLong(producer.offset(sequence) + Long.BYTES, 5);
            producer.commit(sequence);
            r.r1 = 1;
        } catch (ClaimAbortedException e) {
            r.r1 = -1;
        }
    }

    /**
     * Aborts on its behalf.
     *
     * @param r how many sequences it aborted
     */
    public void other(JJJ_Result r) {
        r.r2 = RingFixtures.abortForOwner(ring, meeting);
    }

    /**
     * Polls the rest.
     *
     * @param r the sum
     */
    public void end(JJJ_Result r) {
        while (MessageFixtures.poll(poller, this::handle, 100) > 0) {
            // the handler sums up
        }
        r.r3 = sum;
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(MessageAbortForOwnerTest.class)
    @Proof(
            claim = "of the commit of a message and an abort on the owner's behalf exactly one wins (one producer)",
            overlap = {"1, 0, 5", "-1, 3, 0"},
            twins = {"message-commit-cas"})
    @State
    public static class Single extends MessageAbortForOwnerTest {
        /** An empty ring. */
        public Single() {
            super(MessageFixtures.tracked(128).singleProducer().build());
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

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(MessageAbortForOwnerTest.class)
    @Proof(
            claim = "of the commit of a message and an abort on the owner's behalf exactly one wins (many producers)",
            overlap = {"1, 0, 5", "-1, 3, 0"},
            twins = {"message-commit-cas"})
    @State
    public static class Multi extends MessageAbortForOwnerTest {
        /** An empty ring. */
        public Multi() {
            super(MessageFixtures.tracked(128).build());
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
