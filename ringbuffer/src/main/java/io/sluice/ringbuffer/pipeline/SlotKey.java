package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.ByteSlots;
import java.util.function.ToLongFunction;
import org.agrona.DirectBuffer;

/**
 * Gives the key of a slot of bytes, for {@link Pipeline#handleEventsPartitionedBy}. Called by every consumer's thread for every slot, so
 * it has to be thread-safe, and should be cheap. Always the same key for the same slot.
 *
 * <pre>{@code
 * SlotKey account = (buffer, offset) -> buffer.getLong(offset + 16);
 * pipeline.handleEventsPartitionedBy(account, first, second);
 * }</pre>
 */
@FunctionalInterface
public interface SlotKey extends ToLongFunction<ByteSlots> {
    /**
     * Gives a slot's key.
     *
     * @param buffer the bytes of all slots
     * @param offset where the slot begins
     * @return the key
     */
    long applyAsLong(DirectBuffer buffer, int offset);

    /**
     * Gives the key of a sequence's slot.
     *
     * @param slots the slots
     * @param sequence the sequence
     * @return the key
     */
    default long applyAsLong(ByteSlots slots, long sequence) {
        return applyAsLong(slots.buffer(), slots.offset(sequence));
    }

    /**
     * Always throws: a slot is known by its sequence; call {@link #applyAsLong(ByteSlots, long)}.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    @SuppressWarnings("FunctionalInterfaceMethodChanged") // a slot without its sequence is refused
    default long applyAsLong(ByteSlots slots) {
        throw new UnsupportedOperationException(
                "the key of a slot must be asked for with its sequence, but was without");
    }
}
