package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.ByteSlots;
import org.agrona.DirectBuffer;

/**
 * Handles the slots of a ring of bytes, one at a time, in the order of their sequences. It is an {@link EventHandler} and may do all that
 * one may. All methods are called by the one thread that runs the handler's processor. Costs no more than a handler of objects.
 *
 * <pre>{@code
 * SlotHandler books = (buffer, offset, length, sequence, endOfBatch) -> book.apply(trade.wrap(buffer, offset));
 * pipeline.handleEventsWith(books);
 * }</pre>
 */
@FunctionalInterface
public interface SlotHandler extends EventHandler<ByteSlots> {
    /**
     * Handles one slot.
     *
     * @param buffer the bytes of all slots; only this one's may be read. It is reused later, so nothing may refer to it by then
     * @param offset where the slot begins, a multiple of 8
     * @param length how many bytes a slot holds
     * @param sequence the slot's sequence
     * @param endOfBatch whether this is the last live event of the batch
     * @throws Exception if it fails; the consumer's {@link io.sluice.core.FailurePolicy} decides what happens then
     */
    void onEvent(DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) throws Exception;

    @Override
    default void onEvent(ByteSlots event, long sequence, boolean endOfBatch) throws Exception {
        onEvent(event.buffer(), event.offset(sequence), event.length(), sequence, endOfBatch);
    }
}
