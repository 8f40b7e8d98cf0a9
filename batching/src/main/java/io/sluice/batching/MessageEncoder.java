package io.sluice.batching;

import io.sluice.core.check.Check;
import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Turns an event into bytes. Called by the one thread that makes the batches.
 *
 * <p>Encoders for Agrona's buffers, such as SBE's, are adapted by {@link #ofDirectBuffer}. Neither kind needs an option of the JVM.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface MessageEncoder<E> {
    /**
     * Writes one message. The buffer's position is {@code offset}, and its limit leaves room for the longest message
     * allowed; relative and absolute puts both work, but nothing before {@code offset} may be written.
     *
     * @param event the event
     * @param buffer where to write; little endian unless the encoder sets another order, which holds for this call only
     * @param offset where to start
     * @return how many bytes the message has; 0 if this event makes no message
     * @throws Exception if the event cannot be encoded: it is then no part of the batch, and the messages before it are
     *     unharmed
     */
    int encode(E event, ByteBuffer buffer, int offset) throws Exception;

    /**
     * Writes to Agrona's buffers.
     *
     * @param <E> the events' type
     */
    @FunctionalInterface
    interface DirectBufferEncoder<E> {
        /**
         * Writes one message.
         *
         * @param event the event
         * @param buffer where to write, with absolute indices
         * @param offset where to start
         * @return how many bytes the message has; 0 if this event makes no message
         * @throws Exception if the event cannot be encoded
         */
        int encode(E event, MutableDirectBuffer buffer, int offset) throws Exception;
    }

    /**
     * Adapts an encoder for Agrona's buffers. The result serves one handler or batcher, since it keeps a buffer that wraps
     * the last one that it was given.
     *
     * @param <E> the events' type
     * @param encoder the encoder
     * @return an encoder for {@link ByteBuffer}
     */
    static <E> MessageEncoder<E> ofDirectBuffer(DirectBufferEncoder<E> encoder) {
        Check.notNull(encoder, "encoder");
        return new DirectBufferAdapter<>(encoder);
    }
}
