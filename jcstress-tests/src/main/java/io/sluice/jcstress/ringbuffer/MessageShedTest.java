package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.DroppingMessageProducer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.agrona.DirectBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A publisher asks for room while a consumer works on a full ring of messages. Its message is longer than the oldest: two of them have to
 * go. Each message is handled or shed, once, in order, and its bytes are not given away while its handler is inside. If not, a message would
 * be lost without a count, counted and handled, or changed under its handler. Results: whether the publisher got room (1) or not (0), how
 * many messages were shed, 0 if each was handled or shed once, whole and in order, else -9.
 */
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "the consumer was quicker")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "the oldest was handled, the next one shed")
@Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "two were shed")
@Outcome(
        id = {"0, 0, 0", "0, 1, 0", "0, 2, 0"},
        expect = ACCEPTABLE,
        desc = "the publisher gave up")
@Outcome(expect = FORBIDDEN, desc = "a message twice, or not at all, or changed while it was handled")
public abstract class MessageShedTest {
    private static final int SHORT_ONES = 8;
    private static final int LONG_ONE = 16;

    private final EventProcessor processor;
    private final DroppingMessageProducer producer;
    private final SafeBuffer message = SafeBuffer.allocate(LONG_ONE);
    private long next;
    private long shed;
    private boolean wrong;

    MessageShedTest(boolean single) {
        RingBufferBuilder<Messages> builder = MessageFixtures.builder(SHORT_ONES * 2 * Messages.ALIGNMENT)
                .shedding((consumer, all, sequence) -> {
                    passed(all.buffer(), all.offset(sequence));
                    shed++;
                });
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageHandler handler = (type, buffer, offset, length, sequence, endOfBatch) -> {
            passed(buffer, offset);
            wrong |= buffer.getLong(offset) != next - 1; // still
        };
        pipeline.handleEventsWith(handler);
        processor = pipeline.startProcessors().get(0);
        try (MessageProducer fills = MessageProducer.of(ring)) { // closed: it belongs to this thread
            for (int i = 0; i < SHORT_ONES; i++) {
                message.putLong(0, i);
                fills.offer(1, message, 0, Long.BYTES);
            }
        }
        producer = DroppingMessageProducer.dropOldest(MessageProducer.of(ring), 0);
    }

    private void passed(DirectBuffer buffer, int offset) {
        wrong |= buffer.getLong(offset) != next++;
    }

    /** Goes on with two batches. */
    public void consumer() {
        processor.doWork();
        processor.doWork();
    }

    /**
     * Asks until there is room, a bounded number of times.
     *
     * @param r whether there was
     */
    public void publisher(JJI_Result r) {
        message.putLong(0, SHORT_ONES);
        for (int i = 0; i < RingFixtures.ATTEMPTS && r.r1 == 0; i++) {
            r.r1 = producer.offer(1, message, 0, LONG_ONE) >= 0 ? 1 : 0;
        }
    }

    /**
     * Handles the rest.
     *
     * @param r what came
     */
    public void end(JJI_Result r) {
        while (processor.doWork() > 0) {
            // until there is nothing
        }
        r.r2 = shed;
        r.r3 = wrong || next != SHORT_ONES + r.r1 ? -9 : 0;
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(MessageShedTest.class)
    @Proof(
            claim = "each message is handled or shed, once, and never under its handler (one producer)",
            overlap = {"1, 2, 0", "1, 0, 0"},
            twins = {"message-shedding-progress-early"})
    @State
    public static class Single extends MessageShedTest {
        /** A full ring. */
        public Single() {
            super(true);
        }

        @Override
        @Actor
        public void consumer() {
            super.consumer();
        }

        @Override
        @Actor
        public void publisher(JJI_Result r) {
            super.publisher(r);
        }

        @Override
        @Arbiter
        public void end(JJI_Result r) {
            super.end(r);
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(MessageShedTest.class)
    @Proof(
            claim = "each message is handled or shed, once, and never under its handler (many producers)",
            overlap = {"1, 2, 0", "1, 0, 0"},
            twins = {"message-shedding-progress-early"})
    @State
    public static class Multi extends MessageShedTest {
        /** A full ring. */
        public Multi() {
            super(false);
        }

        @Override
        @Actor
        public void consumer() {
            super.consumer();
        }

        @Override
        @Actor
        public void publisher(JJI_Result r) {
            super.publisher(r);
        }

        @Override
        @Arbiter
        public void end(JJI_Result r) {
            super.end(r);
        }
    }
}
