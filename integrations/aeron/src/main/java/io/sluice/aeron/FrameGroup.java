package io.sluice.aeron;

import static io.aeron.logbuffer.FrameDescriptor.FRAME_ALIGNMENT;
import static io.aeron.protocol.DataHeaderFlyweight.HEADER_LENGTH;
import static io.aeron.protocol.DataHeaderFlyweight.RESERVED_VALUE_OFFSET;
import static io.aeron.protocol.DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET;
import static io.aeron.protocol.DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_PAD;
import static io.aeron.protocol.HeaderFlyweight.TYPE_FIELD_OFFSET;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.aeron.Publication;
import io.aeron.logbuffer.BufferClaim;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Several messages in one claim of an exclusive publication, each in a frame of its own, as if each had been claimed alone. They become
 * visible together. For one thread.
 *
 * @param <E> the events' type
 */
final class FrameGroup<E> {
    /*
     *   0                        one frame               two frames              end             room
     *   | -room, header, data    | length, header, data  | length, header, data  | padding       |
     *
     * Aeron writes the first header, with the negative length of the whole claim. All readers of a log stop at a length that is not
     * positive: subscribers, spies, the driver's sender, its retransmissions. So nobody sees the frames behind it, until the commit
     * stores the first frame's own length. That is a release: a reader that sees it sees all frames. If this process dies within a group,
     * the driver turns the whole claim into one padding. A driver of Aeron 1.51 does so only once the client is given up. A claim is no
     * longer than the MTU, so a group is no more for the driver than one message of that length. The driver zeroes a log once it is read.
     *
     * Left out: publications that are shared. There messages of others would wait behind a group, and a driver unblocks them also while
     * this process lives.
     *
     * The room is a guess: so many messages as long as the first one. It is right where all are. The length of a message is asked just
     * before that message is encoded, as without groups. The rest of the room, since messages were longer,
     * too few, or one failed, becomes a padding.
     *
     * Each message is encoded into a buffer that ends with its frame, so an encoder cannot write into the next one.
     */

    /** The most messages of a group. */
    static final int LONGEST = 32;

    private static final long ALL_BUT_LENGTH = 0xffff_ffff_0000_0000L;

    private final EventEncoder<? super E> encoder;
    private final BufferClaim claim = new BufferClaim();
    private final UnsafeBuffer frame = new UnsafeBuffer(0, 0);
    private int firstLength;
    private int end;
    private int messages;
    private long passed;

    FrameGroup(EventEncoder<? super E> encoder) {
        this.encoder = encoder;
    }

    /** How many messages of a length fit into one claim. */
    static int fitting(Publication to, int length) {
        return (to.maxPayloadLength() + HEADER_LENGTH) / aligned(length);
    }

    /**
     * Claims room for some messages of a length.
     *
     * @return Aeron's answer
     */
    long claim(Publication to, int length, int number) {
        messages = 0;
        passed = 0;
        end = 0;
        return to.tryClaim(number * aligned(length) - HEADER_LENGTH, claim);
    }

    /**
     * Encodes the first message, and those behind it that fit. If this throws, the failure is that of the
     * event behind those that were {@link #passed}.
     *
     * @param records the events of a ring of messages; null where each event has one sequence
     * @param hi the last event that may be in the group
     * @param firstOne the length of the first message
     * @param most the most messages
     * @param number the number of the first message
     */
    void encode(
            RingBuffer<E> ring, @Nullable Messages records, long first, long hi, int firstOne, int most, long number)
            throws Exception {
        MutableDirectBuffer log = claim.buffer();
        int room = log.capacity();
        long kind = log.getLong(0, LITTLE_ENDIAN) & ALL_BUT_LENGTH; // version, flags, type
        long place = log.getLong(TERM_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN); // and the session above it
        long stream = log.getLong(STREAM_ID_FIELD_OFFSET, LITTLE_ENDIAN); // and the term above it
        firstLength = firstOne;
        int length = firstOne;
        long sequence = first;
        while (true) {
            int at = end;
            frame.wrap(log, at, HEADER_LENGTH + length);
            encoder.encode(ring.get(sequence), sequence, frame, HEADER_LENGTH, length);
            if (at != 0) {
                log.putLong(at, kind | (HEADER_LENGTH + length), LITTLE_ENDIAN);
                log.putLong(at + TERM_OFFSET_FIELD_OFFSET, place + at, LITTLE_ENDIAN);
                log.putLong(at + STREAM_ID_FIELD_OFFSET, stream, LITTLE_ENDIAN);
            }
            log.putLong(at + RESERVED_VALUE_OFFSET, number + messages, LITTLE_ENDIAN);
            end = at + aligned(length);
            messages++;
            sequence = RingMessages.next(records, sequence, hi);
            passed = sequence - first;
            if (messages == most || end == room) {
                return;
            }
            do {
                if (sequence > hi) {
                    return;
                }
                length = encoder.length(ring.get(sequence), sequence);
                if (length == 0) { // it makes no message
                    sequence = RingMessages.next(records, sequence, hi);
                    passed = sequence - first;
                }
            } while (length == 0);
            if (length < 0 || length > room - end - HEADER_LENGTH) {
                return; // it comes first some time, and is sent or told then
            }
        }
    }

    /** Makes the encoded messages visible, and a padding of the rest. */
    void commit() {
        if (messages == 0) {
            claim.abort();
            return;
        }
        MutableDirectBuffer log = claim.buffer();
        if (end < log.capacity()) {
            log.putLong(end, (log.getLong(0, LITTLE_ENDIAN) & ALL_BUT_LENGTH) | (log.capacity() - end), LITTLE_ENDIAN);
            log.putShort(end + TYPE_FIELD_OFFSET, (short) HDR_TYPE_PAD, LITTLE_ENDIAN);
            log.putLong(
                    end + TERM_OFFSET_FIELD_OFFSET,
                    log.getLong(TERM_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN) + end,
                    LITTLE_ENDIAN);
            log.putLong(
                    end + STREAM_ID_FIELD_OFFSET, log.getLong(STREAM_ID_FIELD_OFFSET, LITTLE_ENDIAN), LITTLE_ENDIAN);
        }
        frame.wrap(log);
        int length = HEADER_LENGTH + firstLength;
        // release: all frames of the group, to readers of this length with acquire; as a commit of Aeron's
        frame.putIntRelease(0, ByteOrder.nativeOrder() == LITTLE_ENDIAN ? length : Integer.reverseBytes(length));
    }

    /** How many messages are encoded. */
    int messages() {
        return messages;
    }

    /** How many sequences those have taken, with those of events that make no message. */
    long passed() {
        return passed;
    }

    /** Whether much of the claim is left. */
    boolean isWasteful() {
        int room = claim.buffer().capacity();
        return room - end > room / 4;
    }

    private static int aligned(int length) {
        return BitUtil.align(HEADER_LENGTH + length, FRAME_ALIGNMENT);
    }
}
