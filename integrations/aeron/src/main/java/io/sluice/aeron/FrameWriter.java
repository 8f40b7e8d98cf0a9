package io.sluice.aeron;

import io.aeron.Publication;
import io.aeron.ReservedValueSupplier;
import io.aeron.logbuffer.BufferClaim;
import io.sluice.core.OpaqueCounters;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts a sender's messages into a publication's log, with their numbers: one by one, or several in one claim. For the sender's thread, but
 * for the position.
 *
 * @param <E> the events' type
 */
final class FrameWriter<E> {
    /*
     * position  the number of the newest message that a receiver can have. It is written before the commit, which is a release: whoever
     *           has the message, and says so in a NAK, has seen it.
     *
     * Messages of a batch go in groups. A subscriber that waits for a frame takes that frame's line from this core with each look. So it
     * gets several frames at once, and the lines behind the first one stay here while they are written. The first message goes
     * alone, and each group is at most twice as long as the one before: a message waits for no more encodings than have gone before
     * its group. A batch whose lengths differ so much that a group leaves much of its claim unused goes on without groups. There
     * are none on a shared publication either, where the messages of other senders would wait behind a group.
     */

    /** The value that a message without a number carries in its place: Aeron's own default. */
    static final long NO_NUMBER = 0;

    private final EventEncoder<? super E> encoder;
    private final boolean numbered;
    private final BufferClaim claim = new BufferClaim();
    private final FrameGroup<E> group;
    private int most = 1; // messages of the next group
    private boolean grows;
    private int messages;
    private long passed;
    private long numberOfLong;
    private final OpaqueCounters position = new OpaqueCounters(1);
    private final ReservedValueSupplier numbers = (buffer, offset, length) -> { // once Aeron has taken the message
        position.set(0, numberOfLong); // opaque: the commit of the fragment behind it is a release
        return reserved(numberOfLong);
    };

    private @Nullable UnsafeBuffer longMessage;

    /** The events of a ring of messages; null where each event has one sequence. */
    private @Nullable Messages records;

    FrameWriter(EventEncoder<? super E> encoder, boolean numbered, long before) {
        this.encoder = encoder;
        this.numbered = numbered;
        group = new FrameGroup<>(encoder);
        position.set(0, before);
    }

    /**
     * The length of an event's message.
     *
     * @throws IllegalArgumentException if the publication cannot send so long a message
     */
    int length(Publication to, E event, long sequence) throws Exception {
        int length = encoder.length(event, sequence);
        if (length < 0 || length > to.maxMessageLength()) {
            throw new IllegalArgumentException(
                    "length of a message must be from 0 to " + to.maxMessageLength() + " bytes, but was " + length);
        }
        return length;
    }

    /** Whether an event makes no message. */
    boolean isNone(E event, long sequence) throws Exception {
        return encoder.length(event, sequence) == 0;
    }

    /** From now on the events are messages, each of which takes several sequences. Of one ring only, and before the consumer starts. */
    void stepsOver(Messages messages) {
        if (records != null) {
            throw new IllegalArgumentException("sender must send for one handler, but another one has it already");
        }
        records = messages;
    }

    /** The event behind one. */
    long next(long sequence, long hi) {
        return RingMessages.next(records, sequence, hi);
    }

    /** How many events there are up to {@code hi}, if all are as long as the first one. */
    private long left(long sequence, long hi) {
        Messages of = records;
        return of == null ? hi - sequence + 1 : (hi - sequence) / (of.next(sequence) - sequence) + 1;
    }

    /** Begins a batch. */
    void begin() {
        most = 1;
        grows = numbered;
    }

    /**
     * Writes the message of an event, and perhaps those of events behind it. {@link #messages} and {@link #passed} say how many, also if
     * this throws: then the failure is that of the event behind them.
     *
     * @param hi the last event that may go
     * @param length the length of the first message
     * @param number the number of the first message
     * @return Aeron's answer
     */
    long write(Publication to, RingBuffer<E> ring, long sequence, long hi, int length, long number) throws Exception {
        messages = 0;
        passed = 0;
        if (length > to.maxPayloadLength()) {
            return alone(offered(to, ring.get(sequence), sequence, length, number), sequence, hi);
        }
        int together =
                most == 1 ? 1 : (int) Math.min(Math.min(most, left(sequence, hi)), FrameGroup.fitting(to, length));
        long code = together == 1
                ? alone(claimed(to, ring.get(sequence), sequence, length, number), sequence, hi)
                : grouped(to, ring, sequence, hi, length, together, number);
        if (code > 0 && grows) {
            most = Math.min(2 * most, FrameGroup.LONGEST);
        }
        return code;
    }

    private long alone(long code, long sequence, long hi) {
        if (code > 0) {
            messages = 1;
            passed = next(sequence, hi) - sequence;
        }
        return code;
    }

    /** How many messages the newest call of {@link #write} has put into the log. */
    int messages() {
        return messages;
    }

    /** How many sequences those have taken, with those of events among them that make no message. */
    long passed() {
        return passed;
    }

    /** Encodes several into one claim of the log. */
    private long grouped(
            Publication to, RingBuffer<E> ring, long sequence, long hi, int length, int together, long number)
            throws Exception {
        long code = group.claim(to, length, together);
        if (code > 0) {
            try {
                group.encode(ring, records, sequence, hi, length, most, number);
            } finally {
                messages = group.messages();
                passed = group.passed();
                position.set(0, number + messages - 1); // opaque: the commit behind it is a release
                group.commit();
                if (group.isWasteful()) {
                    most = 1;
                    grows = false;
                }
            }
        }
        return code;
    }

    /** Encodes into the log. */
    private long claimed(Publication to, E event, long sequence, int length, long number) throws Exception {
        long code = to.tryClaim(length, claim);
        if (code > 0) {
            boolean encoded = false;
            try {
                encoder.encode(event, sequence, claim.buffer(), claim.offset(), length);
                encoded = true;
            } finally {
                if (!encoded) {
                    claim.abort(); // else the publication stands still here
                }
            }
            claim.reservedValue(reserved(number));
            position.set(0, number); // opaque: the commit behind it is a release
            claim.commit();
        }
        return code;
    }

    /** Encodes aside, for Aeron to cut it. */
    private long offered(Publication to, E event, long sequence, int length, long number) throws Exception {
        UnsafeBuffer buffer = longMessage;
        if (buffer == null || buffer.capacity() < length) {
            buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(to.maxMessageLength()));
            longMessage = buffer;
        }
        encoder.encode(event, sequence, buffer, 0, length);
        numberOfLong = number;
        return to.offer(buffer, 0, length, numbers);
    }

    private long reserved(long number) {
        return numbered ? number : NO_NUMBER;
    }

    /** The number of the newest message that a receiver can have. Any thread. */
    long position() {
        return position.get(0);
    }
}
