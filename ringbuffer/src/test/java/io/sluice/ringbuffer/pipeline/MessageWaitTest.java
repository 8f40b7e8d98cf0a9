package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A consumer waits behind a batch of long messages as long as behind short ones that would take the same place. */
class MessageWaitTest {
    private static final SafeBuffer BYTES = SafeBuffer.allocate(1024);

    private final RingBuffer<Messages> ring =
            RingBufferBuilder.messages(1 << 16).build();
    private final Pipeline<Messages> pipeline = Pipeline.on(ring);
    private final MessageHandler handler = new MessageHandler() {
        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean last) {}
    };

    private void offer(int count, int length) {
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < count; i++) {
            assertThat(producer.offer(1, BYTES, 0, length)).isNotNegative();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1024, 1", "3, 1024, 3", "4, 1024, 258", "4, 8, 4", "10, 8, 10", "10, 0, 10", "10, 64, 45"})
    void aBatchCountsByItsLengthUnlessItIsSmall(int count, int length, int expected) {
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.dedicatedSpinner(true);
        offer(count, length);
        int work = processor.doWork();
        assertThat(work).isEqualTo(count);
        assertThat(processor.eventsSinceIdle(work)).isEqualTo(expected);
    }

    @Test
    void batchesThatLeaveSomethingBehindAddUp() {
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.dedicatedSpinner(true);
        offer(20, 1024);
        int work = processor.doWork();
        assertThat(work).as("a quarter of the ring").isEqualTo(16);
        assertThat(processor.eventsSinceIdle(work)).as("it is behind").isZero();
        work = processor.doWork();
        assertThat(work).isEqualTo(4);
        assertThat(processor.eventsSinceIdle(work)).isEqualTo(20 * 129 / 2);
        assertThat(processor.backOffBatchLimit())
                .as("a quarter of the ring, in shortest messages")
                .isEqualTo(1024);
    }

    /** It takes one message at a time, so it knows no batch. */
    @Test
    void aWorkersMessagesCountOneByOne() {
        pipeline.handleEventsWithWorkerPool(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.dedicatedSpinner(true);
        offer(8, 1024);
        int work = processor.doWork();
        assertThat(work).isEqualTo(8);
        assertThat(processor.eventsSinceIdle(work)).isEqualTo(8);
    }

    /** Who yields waits always, also behind bursts. */
    @Test
    void messagesCountOneByOneToAThreadThatDoesNotSpinForThemAlone() {
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.dedicatedSpinner(false);
        offer(8, 1024);
        int work = processor.doWork();
        assertThat(processor.eventsSinceIdle(work)).isEqualTo(8);
    }
}
