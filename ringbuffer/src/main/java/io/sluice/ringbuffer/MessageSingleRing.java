package io.sluice.ringbuffer;

import io.sluice.core.check.Check;

/** A ring of messages for one producer at a time. The cursor publishes, and always stands at the end of a record. */
final class MessageSingleRing extends SingleProducerRing<Messages> implements MessageRing {
    private final boolean tracked;

    MessageSingleRing(RingSettings<Messages> settings) {
        super(settings);
        tracked = settings.tracked;
    }

    @Override
    boolean tracksClaims() {
        return tracked;
    }

    @Override
    public Producer<Messages> producer() {
        throw MessageRing.noEvents();
    }

    @Override
    public MessageClaims newMessageClaims() {
        return (MessageSingleProducer) super.producer();
    }

    @Override
    public Messages allMessages() {
        return Check.notNull(messages, "messages");
    }

    @Override
    MessageSingleProducer newProducer() {
        return new MessageSingleProducer(this, cursor, allMessages());
    }
}
