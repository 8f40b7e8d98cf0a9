package io.sluice.aeron;

import org.agrona.DirectBuffer;

/**
 * Takes the messages that an {@link AeronReceiver} has received. {@link RingSink} puts them into a ring. A sink of one's own may
 * keep the latest by key: {@code latest.offer(key, value)} and {@code TAKEN}. Called by the receiver's thread; must not block.
 */
@FunctionalInterface
public interface MessageSink {
    /** The answer to a message. */
    enum Taken {
        /** It was taken, or dropped by a stated policy, which counts it. */
        TAKEN,
        /** There is no room: the message stays with Aeron and comes again. */
        FULL,
        /** The sink has ended: the message stays with Aeron, and the receiver ends. */
        ENDED
    }

    /**
     * Takes a message.
     *
     * @param buffer where the message is; valid during the call only
     * @param offset where it starts
     * @param length its bytes
     * @param sessionId the Aeron session that it came by
     * @param number its number at the sender, from 1 on; 0 if the sender gives none
     * @return what became of it
     * @throws Exception if the message cannot be understood; it is passed over, and {@link ReceiverListener#onBadMessage} is told
     */
    Taken onMessage(DirectBuffer buffer, int offset, int length, int sessionId, long number) throws Exception;
}
