package io.sluice.aeron;

import org.agrona.MutableDirectBuffer;

/**
 * Turns an event into a message. Called by the one thread that runs the {@link AeronSender}. It writes straight into the publication's log,
 * whose room is claimed first, so the length is asked before.
 *
 * @param <E> the events' type
 */
public interface EventEncoder<E> {
    /**
     * How long the message of an event is.
     *
     * @param event the event
     * @return bytes; 0 if this event makes no message
     * @throws Exception if the event cannot be encoded
     */
    int length(E event) throws Exception;

    /**
     * Writes the message. An event that has to wait is encoded again when it is tried again.
     *
     * @param event the event
     * @param buffer where to write, with absolute indices
     * @param offset where to start
     * @param length what {@link #length} has said
     * @throws Exception if the event cannot be encoded: nothing of it is sent then
     */
    void encode(E event, MutableDirectBuffer buffer, int offset, int length) throws Exception;

    /**
     * How long the message of an event is. The sender calls this method; for events that their sequence tells apart, as on a ring of bytes.
     *
     * @param event the event
     * @param sequence its sequence in the ring
     * @return what {@link #length(Object)} returns, unless overridden
     * @throws Exception if the event cannot be encoded
     */
    default int length(E event, long sequence) throws Exception {
        return length(event);
    }

    /**
     * Writes the message. The sender calls this method.
     *
     * @param event the event
     * @param sequence its sequence in the ring
     * @param buffer where to write, with absolute indices
     * @param offset where to start
     * @param length what {@link #length(Object, long)} has said
     * @throws Exception if the event cannot be encoded: nothing of it is sent then
     */
    default void encode(E event, long sequence, MutableDirectBuffer buffer, int offset, int length) throws Exception {
        encode(event, buffer, offset, length);
    }

    /**
     * An encoder of messages that all have one length.
     *
     * @param length bytes, 1 or more
     * @param body writes them
     * @param <E> the events' type
     * @return the encoder
     * @throws IllegalArgumentException if the length is below 1
     */
    static <E> EventEncoder<E> fixed(int length, FixedBody<? super E> body) {
        return new FixedEncoder<>(length, body);
    }

    /**
     * Writes messages of one length.
     *
     * @param <E> the events' type
     */
    @FunctionalInterface
    interface FixedBody<E> {
        /**
         * Writes the message.
         *
         * @param event the event
         * @param buffer where to write, with absolute indices
         * @param offset where to start
         * @throws Exception if the event cannot be encoded
         */
        void encode(E event, MutableDirectBuffer buffer, int offset) throws Exception;
    }
}
