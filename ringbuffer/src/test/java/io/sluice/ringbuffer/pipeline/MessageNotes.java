package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/** Writes down each call, and checks each message's bytes: every 8 of them look like the header of another message. */
class MessageNotes implements MessageHandler {
    /** The header of a message of type 9 with 8 bytes. */
    static final long FORGED = 9L << 32 | 8;

    static final SafeBuffer PAYLOAD = SafeBuffer.allocate(1 << 12);

    static {
        for (int at = 0; at < PAYLOAD.capacity(); at += Long.BYTES) {
            PAYLOAD.putLong(at, FORGED);
        }
    }

    final List<String> calls = new ArrayList<>();

    static RingBufferBuilder<Messages> ringOf(boolean single, int bytes) {
        return single ? RingBufferBuilder.messages(bytes).singleProducer() : RingBufferBuilder.messages(bytes);
    }

    /** Publishes a message; its sequence. It takes a sequence more than its length has times 8 bytes, rounded up. */
    static long offer(MessageProducer producer, int type, int length) {
        long sequence = producer.offer(type, PAYLOAD, 0, length);
        assertThat(sequence).isNotNegative();
        return sequence;
    }

    /** Claims a message, fills it and gives it up. */
    static void abort(MessageProducer producer, int length) {
        long open = producer.tryClaim(8, length);
        producer.buffer().putBytes(producer.offset(open), PAYLOAD, 0, length);
        producer.abort(open);
    }

    static void checkBytes(DirectBuffer buffer, int offset, int length) {
        for (int i = 0; i < length; i++) {
            assertThat(buffer.getByte(offset + i))
                    .as("byte %d of %d", i, length)
                    .isEqualTo(PAYLOAD.getByte(i));
        }
    }

    /** The messages that it got, each as its type, its sequence, and whether it was the last of its batch. */
    List<String> messages() {
        return calls.stream().filter(call -> call.contains("@")).toList();
    }

    @Override
    public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
            throws Exception {
        checkBytes(buffer, offset, length);
        calls.add(type + "@" + sequence + (endOfBatch ? "!" : ""));
    }

    @Override
    public void onBatchStart(long size, long available) {
        calls.add("start " + size + "/" + available);
    }

    @Override
    public void onBatchEnd(long sequence) throws Exception {
        calls.add("end " + sequence);
    }

    @Override
    public void onTimeout(long sequence) {
        calls.add("timeout " + sequence);
    }
}
