package io.sluice.aeron;

import io.sluice.core.OpaqueCounters;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts messages that came with their type, as {@link RingMessages} sends them, into a ring of messages. A full ring lets the message stay
 * with Aeron, whose flow control then holds the sender, or has it dropped. Such a ring cannot drop its oldest messages, and has no NAKs,
 * which count messages where its fill counts bytes.
 *
 * <p>A message without a type, or longer than the ring's longest one, cannot be understood: it is passed over, and {@link
 * ReceiverListener#onBadMessage} is told. An exception of the producer is not the message's fault: the message stays with
 * Aeron, and {@link AeronReceiver#doWork} throws it.
 *
 * <p>Called by: the thread of the {@link AeronReceiver}, whose producer this is. Nothing is allocated, nothing blocks. A message
 * costs a claim, one copy, and a publication.
 */
public final class MessageRingSink implements MessageSink {
    private final MessageProducer producer;
    private final @Nullable MessageHandler told;
    private final OpaqueCounters counts = new OpaqueCounters(1);

    private MessageRingSink(MessageProducer producer, @Nullable MessageHandler told) {
        this.producer = Check.notNull(producer, "producer");
        this.told = told;
    }

    /**
     * A sink that leaves messages with Aeron while the ring is full.
     *
     * @param producer a producer that nobody else uses
     * @return the sink, for one receiver
     */
    public static MessageRingSink waiting(MessageProducer producer) {
        return new MessageRingSink(producer, null);
    }

    /**
     * A sink that drops a message for which the ring has no room, and counts it.
     *
     * @param producer a producer that nobody else uses
     * @param told shown each message that is dropped, where Aeron has it, with the sequence -1; what it throws is told as a bad message's
     *     failure
     * @return the sink, for one receiver
     */
    public static MessageRingSink droppingNewest(MessageProducer producer, MessageHandler told) {
        return new MessageRingSink(producer, Check.notNull(told, "told"));
    }

    @Override
    public Taken onMessage(DirectBuffer buffer, int offset, int length, int sessionId, long number) throws Exception {
        int type = RingMessages.type(buffer, offset, length);
        int payload = offset + RingMessages.HEAD;
        int bytes = length - RingMessages.HEAD;
        Check.inRange(bytes, 0, producer.maxLength(), "length");
        long result;
        try {
            result = producer.offer(type, buffer, payload, bytes);
        } catch (RuntimeException e) {
            throw new RingFailure(e);
        }
        if (result >= 0) {
            return Taken.TAKEN;
        }
        if (result != Producer.FULL) {
            return Taken.ENDED; // closed or failed
        }
        if (told == null) {
            return Taken.FULL;
        }
        counts.add(0, 1); // opaque: a count for any thread, which publishes nothing else
        told.onMessage(type, buffer, payload, bytes, -1, true);
        return Taken.TAKEN;
    }

    /**
     * How many messages were dropped, since the ring was full. Any thread; a recent value.
     *
     * @return 0 or more
     */
    public long dropped() {
        return counts.get(0);
    }
}
