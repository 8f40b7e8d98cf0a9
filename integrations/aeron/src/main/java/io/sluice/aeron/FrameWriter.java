package io.sluice.aeron;

import io.aeron.Publication;
import io.aeron.ReservedValueSupplier;
import io.aeron.logbuffer.BufferClaim;
import io.sluice.core.OpaqueCounters;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Puts a sender's messages into a publication's log, with their numbers. For the sender's thread, but for the position.
 *
 * @param <E> the events' type
 */
final class FrameWriter<E> {
    /*
     * position  the number of the newest message that a receiver can have. It is written before the commit, which is a release: whoever
     *           has the message, and says so in a NAK, has seen it.
     */

    /** What a message without a number carries in its place: Aeron's own default. */
    static final long NO_NUMBER = 0;

    private final EventEncoder<? super E> encoder;
    private final boolean numbered;
    private final BufferClaim claim = new BufferClaim();
    private long numberOfLong;
    private final ReservedValueSupplier numbers = (buffer, offset, length) -> reserved(numberOfLong);
    private final OpaqueCounters position = new OpaqueCounters(1);

    private @Nullable UnsafeBuffer longMessage;

    FrameWriter(EventEncoder<? super E> encoder, boolean numbered, long before) {
        this.encoder = encoder;
        this.numbered = numbered;
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

    /**
     * Writes a message.
     *
     * @return Aeron's answer
     */
    long write(Publication to, E event, long sequence, int length, long number) throws Exception {
        return length <= to.maxPayloadLength()
                ? claimed(to, event, sequence, length, number)
                : offered(to, event, sequence, length, number);
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
        position.set(0, number); // opaque: the commit inside the offer is a release
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
