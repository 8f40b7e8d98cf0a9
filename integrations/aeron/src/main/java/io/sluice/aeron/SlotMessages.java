package io.sluice.aeron;

import io.sluice.ringbuffer.ByteSlots;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Messages that lie in the slots of a ring of bytes as they are sent: copied once from the slot into Aeron's log, and once from there into
 * a slot. Encoder and decoder in one, without a state: for any number of senders and sinks. Nothing is allocated.
 *
 * <pre>{@code
 * AeronSender.builder(link, channel, 10, SlotMessages.whole()) // on a RingBufferBuilder.bytes(64)
 * RingSink.waiting(ring.producer(), SlotMessages.whole())
 * }</pre>
 */
public final class SlotMessages implements EventEncoder<ByteSlots>, MessageDecoder<ByteSlots> {
    /** Where the payload begins in a slot {@linkplain #withLength with a length}: {@value}, so that its fields stay aligned. */
    public static final int PAYLOAD = 8;

    private static final SlotMessages WHOLE = new SlotMessages(0);
    private static final SlotMessages WITH_LENGTH = new SlotMessages(PAYLOAD);

    private final int payload;

    private SlotMessages(int payload) {
        this.payload = payload;
    }

    /**
     * Each slot is a message. One that comes with another length than the slot's is refused.
     *
     * @return the messages
     */
    public static SlotMessages whole() {
        return WHOLE;
    }

    /**
     * A slot begins with the length of its message: an {@code int} in the machine's byte order. The message lies behind it, at {@link
     * #PAYLOAD}. The length is not sent: Aeron knows it. One of 0 sends nothing. A message that is too long
     * for a slot is refused, by sender and sink.
     *
     * @return the messages
     */
    public static SlotMessages withLength() {
        return WITH_LENGTH;
    }

    /** The length of the message in the first slot: for {@link ByteSlots#one}. */
    @Override
    public int length(ByteSlots slots) {
        return length(slots, 0);
    }

    /**
     * The length of the message in a slot.
     *
     * @throws IllegalArgumentException if the slot says one that it cannot hold
     */
    @Override
    public int length(ByteSlots slots, long sequence) {
        int most = slots.length() - payload;
        if (payload == 0) {
            return most;
        }
        int length = slots.buffer().getInt(slots.offset(sequence));
        if (length < 0 || length > most) {
            throw new IllegalArgumentException(
                    "length of a message must be from 0 to " + most + " bytes, but was " + length);
        }
        return length;
    }

    /** Copies the message out of the first slot: for {@link ByteSlots#one}. */
    @Override
    public void encode(ByteSlots slots, MutableDirectBuffer buffer, int offset, int length) {
        encode(slots, 0, buffer, offset, length);
    }

    @Override
    public void encode(ByteSlots slots, long sequence, MutableDirectBuffer buffer, int offset, int length) {
        slots.buffer().getBytes(slots.offset(sequence) + payload, buffer, offset, length);
    }

    /** Copies a message into the first slot: for {@link ByteSlots#one}. */
    @Override
    public void decode(ByteSlots slots, DirectBuffer buffer, int offset, int length, long number) {
        decode(slots, 0, buffer, offset, length, number);
    }

    /**
     * Copies a message into a slot.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    @Override
    public void decode(ByteSlots slots, long sequence, DirectBuffer buffer, int offset, int length, long number) {
        int most = slots.length() - payload;
        if (length > most || (payload == 0 && length != most)) {
            throw new IllegalArgumentException("length of a message must be " + (payload == 0 ? "" : "from 0 to ")
                    + most + " bytes, but was " + length);
        }
        int at = slots.offset(sequence);
        if (payload != 0) {
            slots.buffer().putInt(at, length);
        }
        slots.buffer().putBytes(at + payload, buffer, offset, length);
    }
}
