package io.sluice.aeron;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.check.Check;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.ControlledMessageHandler;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the messages of a ring of messages: each with its type, and copied once from the ring into Aeron's log. A {@link MessageRingSink}
 * puts them into another such ring.
 *
 * <pre>{@code
 * AeronSender<Messages> sender = AeronSender.builder(link, channel, 10, RingMessages.withType()).build();
 * pipeline.handleEventsWith(pipeline.consumer("out", RingMessages.handler(ring, sender)));
 * }</pre>
 *
 * <p>A message travels as a head of {@link #HEAD} bytes, which is the type as a little-endian long, and the payload. So the
 * other side may be a ring of another kind too, whose encoder calls {@link #putType} or whose decoder calls {@link #type}. A
 * message with a payload of 0 bytes is a message.
 *
 * <p>The encoder has no state, and any thread may call it and the static methods. The result of {@link #handler} belongs to one
 * consumer. Nothing is allocated for a message.
 */
public final class RingMessages implements EventEncoder<Messages> {
    /** How many bytes before the payload hold the type: {@value}, so that the payload stays aligned. */
    public static final int HEAD = 8;

    private static final RingMessages WITH_TYPE = new RingMessages();

    private RingMessages() {}

    /**
     * Each message with its type. A message is {@link #HEAD} bytes longer for Aeron than in the ring.
     *
     * @return an encoder for any number of senders
     */
    public static RingMessages withType() {
        return WITH_TYPE;
    }

    /**
     * A handler that has a sender send: {@code pipeline.consumer("out", RingMessages.handler(ring, sender))}. It sends as many messages of
     * a batch as Aeron takes, in groups as the sender does for events, and answers {@code ABORT} from the first one that Aeron does
     * not take. A message that cannot be encoded fails alone, so {@code SKIP} passes over no other one.
     *
     * <p>Called by the consumer's thread. It costs as much as the sender, and a look at each message's header.
     *
     * @param ring the ring whose messages are sent
     * @param sender sends them, with any encoder of messages; for this consumer only
     * @return a handler for one consumer of that ring, not for a worker. At a consumer of another ring it throws {@link
     *     IllegalStateException}
     * @throws IllegalArgumentException if the sender has a handler already
     */
    public static ControlledMessageHandler handler(RingBuffer<Messages> ring, AeronSender<Messages> sender) {
        return new MessagesOut(Check.notNull(ring, "ring"), Check.notNull(sender, "sender"));
    }

    /**
     * Writes the head of a message, for an encoder of a ring of another kind.
     *
     * @param buffer where the message is
     * @param offset where it starts; the payload starts {@link #HEAD} bytes behind
     * @param type its type, 1 or more
     * @throws IllegalArgumentException if the type is less
     * @throws IndexOutOfBoundsException if the head is not within the buffer
     */
    public static void putType(MutableDirectBuffer buffer, int offset, int type) {
        Check.inRange(type, 1, Integer.MAX_VALUE, "type");
        buffer.putLong(offset, type, LITTLE_ENDIAN);
    }

    /**
     * Reads the head of a message, for a decoder of a ring of another kind.
     *
     * @param buffer where the message is
     * @param offset where it starts; the payload starts {@link #HEAD} bytes behind
     * @param length its bytes, with the head
     * @return its type, 1 or more
     * @throws IllegalArgumentException if it has no head, or one without a type
     * @throws IndexOutOfBoundsException if the head is not within the buffer
     */
    public static int type(DirectBuffer buffer, int offset, int length) {
        Check.inRange(length, HEAD, Integer.MAX_VALUE, "length of a message with its type");
        long type = buffer.getLong(offset, LITTLE_ENDIAN);
        if (type < 1 || type > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("type must be from 1 to 2147483647, but was " + type);
        }
        return (int) type;
    }

    /**
     * Refused: the messages of a ring have a length each.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public int length(Messages messages) {
        throw noSequence();
    }

    @Override
    public int length(Messages messages, long sequence) {
        return HEAD + messages.length(sequence);
    }

    /**
     * Refused: the messages of a ring have a place each.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public void encode(Messages messages, MutableDirectBuffer buffer, int offset, int length) {
        throw noSequence();
    }

    private static UnsupportedOperationException noSequence() {
        return new UnsupportedOperationException(
                "a message of a ring must be asked for by its sequence, but none was given");
    }

    @Override
    public void encode(Messages messages, long sequence, MutableDirectBuffer buffer, int offset, int length) {
        putType(buffer, offset, messages.type(sequence));
        messages.buffer().getBytes(messages.offset(sequence), buffer, offset + HEAD, length - HEAD);
    }

    /**
     * The sequence of the event behind one: of the next message up to {@code hi}, past padding and aborted messages.
     *
     * @param records the messages; null where each event has one sequence
     */
    static long next(@Nullable Messages records, long sequence, long hi) {
        if (records == null) {
            return sequence + 1;
        }
        long next = records.next(sequence);
        while (next <= hi && records.type(next) == 0) {
            next = records.next(next);
        }
        return next;
    }
}
