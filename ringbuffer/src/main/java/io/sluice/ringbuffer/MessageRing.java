package io.sluice.ringbuffer;

/** A ring whose events are messages: it hands out producers of its own. */
interface MessageRing {
    /** The claims of a new producer: as {@link RingBuffer#producer}. */
    MessageClaims newMessageClaims();

    /** All its messages. */
    Messages allMessages();

    static UnsupportedOperationException noEvents() {
        return new UnsupportedOperationException(
                "a ring of messages must get its producers from MessageProducer.of(ring), since a message has a length, but producer() was called");
    }
}
