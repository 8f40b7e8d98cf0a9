package io.sluice.aeron;

import org.agrona.DirectBuffer;

/**
 * Turns a message into an event. Called by the one thread that runs the {@link AeronReceiver}.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface MessageDecoder<E> {
    /**
     * Fills an event.
     *
     * @param event a claimed slot's event, with whatever it held before
     * @param buffer where the message is; valid during the call only
     * @param offset where it starts
     * @param length its bytes
     * @param number its number at the sender, from 1 on; 0 if the sender gives none
     * @throws Exception if the message cannot be understood: its slot is given back, and {@link ReceiverListener#onBadMessage} is told
     */
    void decode(E event, DirectBuffer buffer, int offset, int length, long number) throws Exception;

    /**
     * Fills an event. A {@link RingSink} calls this method; for events that their sequence tells apart, as on a ring of bytes.
     *
     * @param event a claimed slot's event, with whatever it held before
     * @param sequence its sequence in the ring
     * @param buffer where the message is; valid during the call only
     * @param offset where it starts
     * @param length its bytes
     * @param number its number at the sender, from 1 on; 0 if the sender gives none
     * @throws Exception if the message cannot be understood
     */
    default void decode(E event, long sequence, DirectBuffer buffer, int offset, int length, long number)
            throws Exception {
        decode(event, buffer, offset, length, number);
    }
}
