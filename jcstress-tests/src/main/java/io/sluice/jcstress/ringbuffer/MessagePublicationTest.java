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
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * Two messages are published, one after the other, the second longer than the first.
 *
 * <p>A message that is seen is whole, with its own length. If not, a consumer would handle bytes of an older one, or step to a place
 * where no message begins, or pass over one whose header is not there yet. Results: how many messages came at once, and the sum of their
 * numbers; the sum of all in the end; -1 for a torn one.
 */
@Outcome(id = "0, 0, 3", expect = ACCEPTABLE, desc = "nothing was published yet")
@Outcome(id = "1, 1, 3", expect = ACCEPTABLE, desc = "the first was published, the second not yet")
@Outcome(id = "2, 3, 3", expect = ACCEPTABLE, desc = "both were published")
@Outcome(expect = FORBIDDEN, desc = "a message torn, seen before its publication, or lost")
public abstract class MessagePublicationTest {
    private final MessageProducer producer;
    private final EventPoller<Messages> poller;
    private long count;
    private long sum;

    MessagePublicationTest(RingBuffer<Messages> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = MessageProducer.of(ring);
    }

    private void handle(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
        long number = type * Long.BYTES == length ? MessageFixtures.number(buffer, offset, length) : -1;
        count++;
        sum = number <= 0 ? Long.MIN_VALUE : sum + number;
    }

    /** Publishes two messages, which take some time to copy. */
    public void producer() {
        MessageFixtures.offer(producer, 8, 1);
        MessageFixtures.offer(producer, 15, 2);
    }

    /**
     * Polls once.
     *
     * @param r what it saw
     */
    public void consumer(JJJ_Result r) {
        MessageFixtures.poll(poller, this::handle, 100);
        r.r1 = count;
        r.r2 = seen();
    }

    /**
     * Polls the rest.
     *
     * @param r the sum of all
     */
    public void end(JJJ_Result r) {
        while (MessageFixtures.poll(poller, this::handle, 100) > 0) {
            // the handler sums up
        }
        r.r3 = seen();
    }

    private long seen() {
        return sum < 0 ? -1 : sum;
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(MessagePublicationTest.class)
    @Proof(
            claim = "a message that is seen is whole (one producer)",
            overlap = {"1, 1, 3"},
            twins = {"message-early"})
    @State
    public static class Single extends MessagePublicationTest {
        /** An empty ring. */
        public Single() {
            super(MessageFixtures.single(1024));
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

        @Override
        @Arbiter
        public void end(JJJ_Result r) {
            super.end(r);
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(MessagePublicationTest.class)
    @Proof(
            claim = "a message that is seen is whole (many producers)",
            overlap = {"1, 1, 3"},
            twins = {"message-early"})
    @State
    public static class Multi extends MessagePublicationTest {
        /** An empty ring. */
        public Multi() {
            super(MessageFixtures.multi(1024));
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

        @Override
        @Arbiter
        public void end(JJJ_Result r) {
            super.end(r);
        }
    }
}
