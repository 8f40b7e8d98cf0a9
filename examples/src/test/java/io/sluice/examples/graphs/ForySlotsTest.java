package io.sluice.examples.graphs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.SlotHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Graphs of objects through a ring of bytes, and that no byte beside the slot is touched. */
@Tag("once")
class ForySlotsTest {
    /** A node that may refer to itself. */
    public static final class Node {
        String name = "";
        List<Node> next = new ArrayList<>();
    }

    @Test
    void graphsGoThroughTheRing() throws Exception {
        RingBuffer<ByteSlots> ring = RingBufferBuilder.bytes(256)
                .name("graphs")
                .capacity(8)
                .singleProducer()
                .build();
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        ForySlots reader = new ForySlots(true, Node.class);
        List<String> seen = new ArrayList<>();
        SlotHandler handler = (buffer, offset, length, sequence, endOfBatch) -> {
            Node node = reader.read(Node.class, buffer, offset, length);
            assertThat(node.next.get(0)).isSameAs(node); // the cycle came through
            seen.add(node.name + node.next.get(1).name);
        };
        pipeline.handleEventsWith(handler);
        pipeline.start();
        Producer<ByteSlots> producer = ring.producer();
        ForySlots writer = new ForySlots(true, Node.class);
        List<String> sent = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            Node node = new Node();
            node.name = "a" + i;
            Node other = new Node();
            other.name = "b\u00e4\u0416" + i;
            node.next.add(node);
            node.next.add(other);
            sent.add(node.name + other.name);
            long sequence = producer.next();
            writer.write(node, producer.get(sequence), sequence);
            producer.publish(sequence);
        }
        pipeline.drain(TimeUnit.SECONDS.toNanos(60));
        ring.close();
        assertThat(seen).isEqualTo(sent);
    }

    @Test
    void aGraphThatIsTooLongIsRefusedAndTouchesNoOtherSlot() {
        RingBuffer<ByteSlots> ring = RingBufferBuilder.bytes(64)
                .name("graphs")
                .capacity(4)
                .singleProducer()
                .build();
        Producer<ByteSlots> producer = ring.producer();
        for (int i = 0; i < 4; i++) {
            long sequence = producer.next();
            ByteSlots slots = producer.get(sequence);
            slots.buffer().setMemory(slots.offset(sequence), 64, (byte) 7);
        }
        ByteSlots slots = producer.get(1);
        byte[] before = new byte[slots.buffer().capacity()];
        slots.buffer().getBytes(0, before);
        ForySlots graphs = new ForySlots(false, Node.class);
        for (int length = 1; length < 200; length++) {
            String text = "x".repeat(length);
            slots.buffer().putBytes(0, before);
            if (length < 50) {
                int written = graphs.write(text, slots, 1);
                assertThat(graphs.read(String.class, slots, 1)).isEqualTo(text);
                assertThat(written).isBetween(length, length + 14);
            } else if (length > 64) {
                assertThatThrownBy(() -> graphs.write(text, slots, 1))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageStartingWith("graph must take at most 64 bytes, but took ");
            }
            byte[] after = new byte[before.length];
            slots.buffer().getBytes(0, after);
            System.arraycopy(before, slots.offset(1), after, slots.offset(1), 64);
            assertThat(after).as("length %d", length).isEqualTo(before);
        }
        ring.close();
    }

    @Test
    void bytesOnTheHeapAndOutsideTheBufferAreRefused() {
        ForySlots graphs = new ForySlots(false, Node.class);
        assertThatThrownBy(() -> graphs.read(String.class, SafeBuffer.allocate(64), 0, 64))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("buffer must be over direct memory, but was SafeBuffer of 64 bytes");
        assertThatThrownBy(() -> graphs.read(String.class, SafeBuffer.allocateDirect(64), 8, 64))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
