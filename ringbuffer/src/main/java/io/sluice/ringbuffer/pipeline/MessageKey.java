package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.Messages;
import java.util.function.ToLongFunction;
import org.agrona.DirectBuffer;

/**
 * Gives the key of a message, for {@link Pipeline#handleEventsPartitionedBy}. Called by every consumer's thread for every message, so
 * it has to be thread-safe, and should be cheap. Always the same key for the same message.
 *
 * <pre>{@code
 * MessageKey account = (type, buffer, offset, length) -> buffer.getLong(offset + 16);
 * pipeline.handleEventsPartitionedBy(account, first, second);
 * }</pre>
 */
@FunctionalInterface
public interface MessageKey extends ToLongFunction<Messages> {
    /**
     * Gives a message's key.
     *
     * @param type its type, 1 or more
     * @param buffer the bytes of all messages
     * @param offset where it begins
     * @param length its bytes, 0 or more
     * @return the key
     */
    long applyAsLong(int type, DirectBuffer buffer, int offset, int length);

    /**
     * Gives the key of the message at a sequence.
     *
     * @param messages the messages
     * @param sequence the sequence
     * @return the key
     */
    default long applyAsLong(Messages messages, long sequence) {
        return applyAsLong(
                messages.type(sequence), messages.buffer(), messages.offset(sequence), messages.length(sequence));
    }

    /**
     * Always throws: a message is known by its sequence; call {@link #applyAsLong(Messages, long)}.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    @SuppressWarnings("FunctionalInterfaceMethodChanged") // a message without its sequence is refused
    default long applyAsLong(Messages messages) {
        throw new UnsupportedOperationException(
                "the key of a message must be asked for with its sequence, but was without");
    }
}
