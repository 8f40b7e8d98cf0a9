package io.sluice.examples.graphs;

import io.sluice.ringbuffer.ByteSlots;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.apache.fory.Fory;
import org.apache.fory.config.Language;
import org.apache.fory.memory.ByteBufferUtil;
import org.apache.fory.memory.MemoryBuffer;

/**
 * Writes graphs of objects straight into claimed slots by Apache Fory, and reads them back, without an array in between. Fory works by
 * addresses and checks no bounds of ours, so it is given the one slot and no byte more. One thread may use an object of this class: a
 * producer has one, and each consumer another, made with the same classes in the same order.
 *
 * <pre>{@code
 * long sequence = producer.next();
 * graphs.write(order, ring.get(sequence), sequence);
 * producer.publish(sequence);
 * ...
 * Order order = graphs.read(Order.class, slots, sequence);
 * }</pre>
 */
public final class ForySlots {
    private final Fory fory;
    private final MemoryBuffer window = MemoryBuffer.fromByteArray(new byte[0]);

    /**
     * A writer and reader. Costs some hundred milliseconds at the first object of a class, since Fory compiles code for it.
     *
     * @param shared whether an object that is referred to twice is written once; without it a cycle does not end
     * @param classes all classes of the graphs but those of the JDK; others are refused
     */
    public ForySlots(boolean shared, Class<?>... classes) {
        fory = Fory.builder()
                .withLanguage(Language.JAVA)
                .withRefTracking(shared)
                .requireClassRegistration(true)
                .build();
        for (Class<?> type : classes) {
            fory.register(type);
        }
    }

    /**
     * Writes a graph into a slot.
     *
     * @param graph its root
     * @param slots what the ring hands over
     * @param sequence a claimed one
     * @return how many bytes it took
     * @throws IllegalArgumentException if the slot is too short; the slot's bytes are undefined then, the other slots as they were
     */
    public int write(Object graph, ByteSlots slots, long sequence) {
        place(slots.buffer(), slots.offset(sequence), slots.length());
        fory.serialize(window, graph);
        int written = window.writerIndex();
        if (!window.isOffHeap()) { // Fory went on in an array of its own
            throw new IllegalArgumentException(
                    "graph must take at most " + slots.length() + " bytes, but took " + written);
        }
        return written;
    }

    /**
     * Reads a graph from a slot.
     *
     * @param type its root's class
     * @param slots what the ring hands over
     * @param sequence a published one
     * @param <T> the root
     * @return the root
     */
    public <T> T read(Class<T> type, ByteSlots slots, long sequence) {
        return read(type, slots.buffer(), slots.offset(sequence), slots.length());
    }

    /**
     * Reads a graph in a handler of slots.
     *
     * @param type its root's class
     * @param buffer the bytes of all slots
     * @param offset where the slot begins
     * @param length how many bytes it holds
     * @param <T> the root
     * @return the root
     * @throws IndexOutOfBoundsException if the slot is not within the buffer
     */
    public <T> T read(Class<T> type, DirectBuffer buffer, int offset, int length) {
        place(buffer, offset, length);
        return type.cast(fory.deserialize(window));
    }

    private void place(DirectBuffer buffer, int offset, int length) {
        buffer.boundsCheck(offset, length);
        ByteBuffer now = buffer.byteBuffer();
        if (now == null || !now.isDirect()) {
            throw new IllegalArgumentException("buffer must be over direct memory, but was " + buffer);
        }
        window.initDirectBuffer(ByteBufferUtil.getAddress(now) + buffer.wrapAdjustment() + offset, length, now);
        window.writerIndex(0);
        window.readerIndex(0);
    }
}
