package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.ByteSlots;
import org.agrona.MutableDirectBuffer;

/** Empties slots of bytes that every consumer has finished, for content that must not stay. See {@link Pipeline#clearEventsWith}. */
@FunctionalInterface
public interface SlotClearer extends EventClearer<ByteSlots> {
    /**
     * Empties a slot. Called once for each sequence, in their order, aborted ones included, on one thread.
     *
     * @param buffer the bytes of all slots
     * @param offset where the slot begins
     * @param length how many bytes it holds
     * @throws Exception which goes to the failure policy
     */
    void clear(MutableDirectBuffer buffer, int offset, int length) throws Exception;

    @Override
    default void clear(ByteSlots event, long sequence) throws Exception {
        clear(event.buffer(), event.offset(sequence), event.length());
    }

    /**
     * Always throws: a slot is known by its sequence; call {@link #clear(ByteSlots, long)}.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    @SuppressWarnings("FunctionalInterfaceMethodChanged") // a slot without its sequence is refused
    default void clear(ByteSlots event) {
        throw new UnsupportedOperationException("a slot must be cleared with its sequence, but was without");
    }
}
