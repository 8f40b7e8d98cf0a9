package io.sluice.ringbuffer;

import org.agrona.MutableDirectBuffer;

/**
 * Fills a claimed slot of bytes. Called by the publishing thread, between claim and publication. If it throws, the whole claim is
 * aborted, nothing is delivered, and the exception reaches the caller of {@code publishEvent}.
 *
 * <pre>{@code
 * SlotTranslator trade = (buffer, offset, sequence) -> encoder.wrap(buffer, offset).price(price).quantity(quantity);
 * producer.publishEvent(trade);
 * }</pre>
 */
@FunctionalInterface
public interface SlotTranslator extends EventTranslator<ByteSlots> {
    /**
     * Fills a slot.
     *
     * @param buffer the bytes of all slots
     * @param offset where this one begins
     * @param sequence its sequence
     */
    void translateTo(MutableDirectBuffer buffer, int offset, long sequence);

    @Override
    default void translateTo(ByteSlots event, long sequence) {
        translateTo(event.buffer(), event.offset(sequence), sequence);
    }
}
