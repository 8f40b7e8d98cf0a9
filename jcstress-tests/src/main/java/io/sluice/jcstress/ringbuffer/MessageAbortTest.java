package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

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
 * A producer that aborts a claimed message, and commits the next.
 *
 * <p>An aborted message is never delivered, and the one behind it is. If not, a consumer would handle a message that a producer gave
 * back half-filled. Results: how many sequences the first poll that found any went on, and the sum of the numbers delivered in the end.
 */
@Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "nothing was published yet")
@Outcome(id = "4, 2", expect = ACCEPTABLE, desc = "the abort was seen alone")
@Outcome(id = "6, 2", expect = ACCEPTABLE, desc = "both were seen at once")
@Outcome(expect = FORBIDDEN, desc = "the aborted message was delivered, or the other one was not")
public abstract class MessageAbortTest {
    private final MessageProducer producer;
    private final EventPoller<Messages> poller;
    private long sum;

    MessageAbortTest(RingBuffer<Messages> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = MessageProducer.of(ring);
    }

    private void handle(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
        sum += buffer.getLong(offset);
    }

    /** Claims two messages, aborts the first, commits the second. */
    public void producer() {
        long first = producer.tryClaim(1, 24);
        producer.buffer().putLong(producer.offset(first), 77);
        producer.abort(first);
        long second = producer.tryClaim(1, 8);
        producer.buffer().putLong(producer.offset(second), 2);
        producer.commit(second);
    }

    /**
     * Polls.
     *
     * @param r how far
     */
    public void consumer(JJ_Result r) {
        r.r1 = MessageFixtures.pollSoon(poller, this::handle, 100);
    }

    /**
     * Polls the rest.
     *
     * @param r the sum
     */
    public void end(JJ_Result r) {
        while (MessageFixtures.poll(poller, this::handle, 100) > 0) {
            // the handler sums up
        }
        r.r2 = sum;
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(MessageAbortTest.class)
    @Proof(
            claim = "an aborted message is never delivered (one producer)",
            overlap = {"4, 2"},
            twins = {"message-abort-unpadded-single"})
    @State
    public static class Single extends MessageAbortTest {
        /** An empty ring. */
        public Single() {
            super(MessageFixtures.single(512));
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
    @JCStressMeta(MessageAbortTest.class)
    @Proof(
            claim = "an aborted message is never delivered (many producers)",
            overlap = {"4, 2"},
            twins = {"message-abort-unpadded-multi"})
    @State
    public static class Multi extends MessageAbortTest {
        /** An empty ring. */
        public Multi() {
            super(MessageFixtures.multi(512));
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
