package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.Messages;
import org.agrona.DirectBuffer;

/**
 * Handles the messages of a ring of {@link io.sluice.ringbuffer.RingBufferBuilder#messages}, one at a time, in the order of their
 * sequences. It is an {@link EventHandler} and may do all that one may. All methods are called by the one thread that runs the handler's
 * processor.
 *
 * <pre>{@code
 * MessageHandler books = (type, buffer, offset, length, sequence, endOfBatch) -> book.apply(order.wrap(buffer, offset));
 * pipeline.handleEventsWith(books);
 * }</pre>
 */
@FunctionalInterface
public interface MessageHandler extends EventHandler<Messages> {
    /**
     * Handles one message.
     *
     * @param type what its producer gave, 1 or more
     * @param buffer the bytes of all messages; only this one's may be read. They are reused later, so nothing may refer to them by then
     * @param offset where the message begins, a multiple of 8
     * @param length its bytes, 0 or more
     * @param sequence its sequence: that of its first 8 bytes. The next message's is higher by what this one takes
     * @param endOfBatch whether this is the last message of the batch
     * @throws Exception if it fails; the consumer's {@link io.sluice.core.FailurePolicy} decides what happens then
     */
    void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
            throws Exception;

    @Override
    default void onEvent(Messages event, long sequence, boolean endOfBatch) throws Exception {
        onMessage(
                event.type(sequence),
                event.buffer(),
                event.offset(sequence),
                event.length(sequence),
                sequence,
                endOfBatch);
    }
}
