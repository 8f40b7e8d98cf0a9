package io.sluice.ringbuffer;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.check.Check;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages to a ring of {@link RingBufferBuilder#messages}. Each publishing thread takes a producer of its own, which belongs to
 * the first thread that claims by it, for good: the rules of {@link Producer} on threads, on waiting and on refusals hold here.
 *
 * <p>{@code offer} copies a message that is encoded already. {@code tryClaim} gives the place for one, to be encoded where it is, and then
 * committed or aborted; a producer has one such claim open at a time. Only the forms with a time-out wait.
 *
 * <pre>{@code
 * RingBuffer<Messages> ring = RingBufferBuilder.messages(1 << 16).singleProducer().build();
 * MessageProducer producer = MessageProducer.of(ring);
 * long result = producer.offer(ORDER, encoded, 0, length);
 * if (result == Producer.FULL) {
 *     later(encoded);
 * }
 *
 * long sequence = producer.tryClaim(TRADE, 16);
 * if (sequence >= 0) {
 *     producer.buffer().putLong(producer.offset(sequence), price);
 *     producer.commit(sequence);
 * }
 * }</pre>
 *
 * <p>A buffer that is offered must not close, commit or abort by the producer that copies it. The call publishes nothing then, and throws
 * an {@link IllegalStateException} that says so.
 *
 * <p>Costs. One producer: a claim is a few comparisons, a publication one release store. Many: a claim is one compare-and-set; a
 * publication writes one byte for each 8 bytes, the last by a release store. With {@link RingBufferBuilder#trackClaims} a claimed message
 * is copied once more, and a commit is a compare-and-set. A message at the end of the buffer takes a record of padding before it. Nothing
 * allocates.
 */
public final class MessageProducer implements AutoCloseable {
    private final MessageClaims claims;
    private final Messages messages;
    private final int maxLength;

    /** Where claims are tracked: the open claim, and the memory in which it is filled; null elsewhere. */
    private final @Nullable OpenMessage tracked;

    private final @Nullable SafeBuffer staged;

    // the header of the message that was aborted last: an abort that was cut off may have overwritten it
    private long abortedAt = -1;
    private int abortedType;
    private int abortedLength;

    private MessageProducer(MessageClaims claims, Messages messages) {
        this.claims = claims;
        this.messages = messages;
        this.maxLength = messages.maxLength();
        this.tracked = claims.tracked();
        try {
            this.staged = tracked == null ? null : SafeBuffer.allocateDirect(maxLength);
        } catch (Throwable t) { // as without memory: nobody would close it
            claims.close();
            throw t;
        }
    }

    /**
     * A producer for one publishing thread. A ring with a single producer hands out one at a time: close it to get another. Locks; call
     * it once and keep the producer.
     *
     * @param ring a ring of {@link RingBufferBuilder#messages}
     * @return a new producer
     * @throws IllegalStateException if the ring has a single producer and that is in use, or is being made
     * @throws IllegalArgumentException if the ring is of another kind, or the producers' idle strategy is one that has to be signalled
     * @throws RingClosedException if the ring is draining or closed
     * @throws RingFailedException if the ring has failed
     */
    public static MessageProducer of(RingBuffer<Messages> ring) {
        if (!(Check.notNull(ring, "ring") instanceof MessageRing own)) {
            throw new IllegalArgumentException("ring must be one of RingBufferBuilder.messages, but was a "
                    + ring.getClass().getName());
        }
        return new MessageProducer(own.newMessageClaims(), own.allMessages());
    }

    // claim, fill, commit

    /**
     * Claims room for a message, without waiting. The caller must {@link #commit} or {@link #abort} it, since consumers wait for it.
     *
     * @param type the type that handlers get, 1 or more
     * @param length its bytes, from 0 to {@link #maxLength}
     * @return its sequence, or {@link Producer#FULL}, {@link Producer#CLOSED}, {@link Producer#FAILED}
     * @throws IllegalArgumentException if type or length is out of its range
     * @throws IllegalStateException if a claim of this producer is open, or the thread is not the producer's
     */
    public long tryClaim(int type, int length) {
        return claim(type, length, 0);
    }

    /**
     * As {@link #tryClaim}, and waits for room like {@link Producer#next(int, long)}.
     *
     * @param type the type that handlers get, 1 or more
     * @param length its bytes, from 0 to {@link #maxLength}
     * @param timeoutNanos how long to wait at most, in nanoseconds; 0 or less not to wait
     * @return its sequence, or {@link Producer#TIMED_OUT} ({@link Producer#FULL} without waiting), {@link Producer#CLOSED}, {@link
     *     Producer#FAILED}, {@link Producer#INTERRUPTED}
     * @throws IllegalArgumentException if type or length is out of its range
     * @throws IllegalStateException as {@link #tryClaim}, or if it would wait in vain
     */
    public long claim(int type, int length, long timeoutNanos) {
        check(type, length);
        long sequence = claimed(type, length, timeoutNanos);
        if (sequence >= 0 && tracked != null) {
            tracked.opened(sequence);
        }
        return sequence;
    }

    private long claimed(int type, int length, long timeoutNanos) {
        long sequence = claimUnits(Messages.unitsOf(length), timeoutNanos);
        if (sequence >= 0) {
            messages.putHeader(sequence, type, length);
        }
        return sequence;
    }

    private void check(int type, int length) {
        if (type < 1 || length < 0 || length > maxLength) {
            Check.inRange(type, 1, Integer.MAX_VALUE, "type");
            Check.inRange(length, 0, maxLength, "length");
        }
    }

    private long claimUnits(int units, long timeoutNanos) {
        long sequence = claims.blockFast(units);
        return sequence >= 0 ? sequence : claims.blockSlow(units, Math.max(0, timeoutNanos));
    }

    /**
     * The buffer in which the open claim is filled: the bytes of all messages; where claims are tracked, memory of this producer.
     *
     * @return the one buffer, the same at each call
     */
    public MutableDirectBuffer buffer() {
        return staged == null ? messages.buffer() : staged;
    }

    /**
     * Where a claimed message begins in the {@link #buffer}.
     *
     * @param sequence the sequence that the claim returned; not checked
     * @return a multiple of 8
     */
    public int offset(long sequence) {
        return staged == null ? messages.offset(sequence) : 0;
    }

    /**
     * Publishes the claimed message.
     *
     * @param sequence the sequence that the claim returned
     * @throws IllegalArgumentException if that is not the open claim
     * @throws IllegalStateException if the thread is not the producer's, as far as that is noticed: see {@link Producer}
     * @throws ClaimAbortedException if it was aborted on this producer's behalf: see {@link RingBufferBuilder#trackClaims}
     */
    public void commit(long sequence) {
        assert claims.ownedByCaller();
        if (tracked == null || staged == null) {
            checkOpen("commit", sequence);
            if (abortedAt == sequence && !claims.isOvertaken()) { // and open: the abort was cut off
                claims.padAgain();
                messages.putHeader(sequence, abortedType, abortedLength);
            }
        } else {
            if (!tracked.takeIfOpen(sequence)) {
                checkNotLost(sequence);
                checkOpen("commit", sequence); // holds where a commit that failed has taken it
            }
            try {
                if (!claims.isOvertaken()) { // else others' messages are there
                    copyStaged(staged, sequence);
                }
                claims.publishBlock();
            } catch (Throwable t) { // as after a stack overflow
                if (claims.openBlock() == sequence) { // else only what comes behind the publication has failed
                    tracked.opened(sequence); // to be committed again, or aborted by anybody
                }
                throw t;
            }
            return;
        }
        claims.publishBlock();
    }

    private void copyStaged(SafeBuffer from, long sequence) {
        messages.buffer().putBytes(messages.offset(sequence), from, 0, messages.length(sequence));
    }

    private void checkNotLost(long sequence) {
        if (claims.learnOfLoss()) {
            throw new ClaimAbortedException("the message at sequence " + sequence
                    + " must be open, but was aborted on this producer's behalf: claim again");
        }
    }

    /**
     * Gives the claimed message up: no handler gets it.
     *
     * @param sequence the sequence that the claim returned
     * @throws IllegalArgumentException if that is not the open claim
     * @throws IllegalStateException if the thread is not the producer's
     */
    public void abort(long sequence) {
        claims.ownedByCaller();
        if (tracked != null) {
            if (tracked.first() == sequence) { // else, where that is its padding, it would be aborted too
                claims.abortForOwner(sequence, sequence); // what cuts that off leaves it to be finished by anybody
            }
            if (claims.learnOfLoss()) {
                return; // aborted is aborted, whoever did it
            }
        }
        checkOpen("abort", sequence);
        if (abortedAt != sequence) { // else the header may be overwritten already
            abortedType = messages.type(sequence);
            abortedLength = messages.length(sequence);
            abortedAt = sequence;
        }
        claims.abortBlock();
    }

    private void checkOpen(String call, long sequence) {
        long open = claims.openBlock();
        if (open != sequence || open < 0) {
            claims.ownedByCaller(); // another thread learns of its mistake, not of what it has led to
            claims.settleWakeUp();
            throw new IllegalArgumentException("sequence must be that of the open claim, "
                    + (open < 0 ? "but none is open and " : open + ", but ") + call + " got " + sequence);
        }
    }

    // copy

    /**
     * Publishes a message that is a part of a buffer, without waiting.
     *
     * @param type the type that handlers get, 1 or more
     * @param buffer where it is; it is copied
     * @param offset where it begins there
     * @param length its bytes, from 0 to {@link #maxLength}
     * @return its sequence, or {@link Producer#FULL}, {@link Producer#CLOSED}, {@link Producer#FAILED}
     * @throws IllegalArgumentException if type or length is out of its range
     * @throws IndexOutOfBoundsException if the part is not within the buffer; then nothing is claimed
     * @throws IllegalStateException as {@link #tryClaim}
     */
    public long offer(int type, DirectBuffer buffer, int offset, int length) {
        return offer(type, buffer, offset, length, 0);
    }

    /**
     * As {@link #offer(int, DirectBuffer, int, int)}, and waits for room like {@link Producer#next(int, long)}.
     *
     * @param type the type that handlers get, 1 or more
     * @param buffer where it is; it is copied
     * @param offset where it begins there
     * @param length its bytes, from 0 to {@link #maxLength}
     * @param timeoutNanos how long to wait at most, in nanoseconds; 0 or less not to wait
     * @return its sequence, or a result as that of {@link #claim}
     * @throws IllegalArgumentException if type or length is out of its range
     * @throws IndexOutOfBoundsException if the part is not within the buffer; then nothing is claimed
     * @throws IllegalStateException as {@link #claim}
     */
    public long offer(int type, DirectBuffer buffer, int offset, int length, long timeoutNanos) {
        check(type, length);
        Check.notNull(buffer, "buffer").boundsCheck(offset, length);
        int units = Messages.unitsOf(length);
        return publishCopy(claimUnits(units, timeoutNanos), units, type, buffer, offset, length);
    }

    /** As {@link #offer(int, DirectBuffer, int, int)}, but a lack of room is not counted as a refusal. */
    long offerIfRoom(int type, DirectBuffer buffer, int offset, int length) {
        check(type, length);
        Check.notNull(buffer, "buffer").boundsCheck(offset, length);
        int units = Messages.unitsOf(length);
        long sequence = claims.blockFast(units);
        return publishCopy(sequence >= 0 ? sequence : claims.blockIfRoom(units), units, type, buffer, offset, length);
    }

    private long publishCopy(long sequence, int units, int type, DirectBuffer buffer, int offset, int length) {
        if (sequence < 0) {
            return sequence;
        }
        long hi = sequence + units - 1;
        copy(sequence, hi, type, buffer, offset, length);
        claims.publishBlock();
        return sequence;
    }

    private void copy(long sequence, long hi, int type, DirectBuffer buffer, int offset, int length) {
        try {
            messages.putHeader(sequence, type, length);
            put(messages.offset(sequence), buffer, offset, length, hi);
        } catch (Throwable t) {
            claims.abortCopied(hi); // not what others have claimed, should the buffer have settled this
            throw t;
        }
    }

    /**
     * Copies into the claim that ends at `hi`. A call of a buffer that is not the library's runs the user's code, which may have settled the
     * claim. So the claim is checked after each such call, and before the next write.
     */
    private void put(int at, DirectBuffer from, int offset, int length, long hi) {
        MutableDirectBuffer to = messages.buffer();
        if (from instanceof SafeBuffer) {
            to.putBytes(at, from, offset, length);
            return;
        }
        from.boundsCheck(offset, length);
        byte[] array = from.byteArray();
        ByteBuffer bytes = from.byteBuffer();
        int first = from.wrapAdjustment() + offset;
        claims.checkOpenUpTo(hi);
        if (array != null) {
            to.putBytes(at, array, first, length);
        } else if (bytes != null) {
            to.putBytes(at, bytes, first, length);
        } else {
            putByItsOwnCalls(to, at, from, offset, length, hi);
        }
    }

    /** Copies what is at a bare address, which only the buffer's own methods reach. */
    private void putByItsOwnCalls(MutableDirectBuffer to, int at, DirectBuffer from, int offset, int length, long hi) {
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            long next = from.getLong(offset + i);
            claims.checkOpenUpTo(hi);
            to.putLong(at + i, next);
        }
        for (; i < length; i++) {
            byte next = from.getByte(offset + i);
            claims.checkOpenUpTo(hi);
            to.putByte(at + i, next);
        }
    }

    /**
     * Publishes one message that is gathered from several buffers, without waiting. Each part is the whole of its buffer, from 0 to its
     * capacity: wrap a buffer around what is to be sent.
     *
     * @param type the type that handlers get, 1 or more
     * @param parts its parts in their order, which have 0 to {@link #maxLength} bytes together; they are copied
     * @return its sequence, or {@link Producer#FULL}, {@link Producer#CLOSED}, {@link Producer#FAILED}
     * @throws IllegalArgumentException if the type or the length of all is out of its range
     * @throws IllegalStateException as {@link #tryClaim}, or if the capacity of a part changes meanwhile; then nothing is published
     */
    public long offerParts(int type, DirectBuffer... parts) {
        long length = 0;
        for (DirectBuffer part : Check.notNull(parts, "parts")) {
            length += Check.notNull(part, "part").capacity();
        }
        Check.inRange(length, 0, maxLength, "length of all parts");
        check(type, (int) length);
        long sequence = claimed(type, (int) length, 0);
        if (sequence < 0) {
            return sequence;
        }
        long hi = sequence + Messages.unitsOf((int) length) - 1;
        try {
            int at = messages.offset(sequence);
            int end = at + (int) length;
            for (DirectBuffer part : parts) {
                int more = part.capacity();
                checkFits(more <= end - at);
                put(at, part, 0, more, hi);
                at += more;
            }
            checkFits(at == end);
        } catch (Throwable t) {
            claims.abortCopied(hi);
            throw t;
        }
        claims.publishBlock();
        return sequence;
    }

    /**
     * Publishes several messages of one type by one claim, all or none, without waiting. Each is the whole of its buffer. They lie side
     * by side.
     *
     * @param type the type that handlers get, 1 or more
     * @param all the messages in their order, one or more; each record is 8 bytes longer than its message, rounded up to a multiple of 8,
     *     and all records together take at most {@link #maxBatch} bytes. They are copied
     * @return the sequence of the first, or {@link Producer#FULL}, {@link Producer#CLOSED}, {@link Producer#FAILED}
     * @throws IllegalArgumentException if the type, the length of a message or that of all records is out of its range, or there is none
     * @throws IllegalStateException as {@link #tryClaim}, or if the capacity of a message changes meanwhile; then nothing is published
     */
    public long offerAll(int type, DirectBuffer... all) {
        Check.inRange(Check.notNull(all, "all").length, 1, Integer.MAX_VALUE, "number of messages");
        long units = 0;
        for (DirectBuffer message : all) {
            int length = Check.notNull(message, "message").capacity();
            check(type, length);
            units += Messages.unitsOf(length);
        }
        Check.inRange(units * Messages.ALIGNMENT, 0, maxBatch(), "length of all records");
        long first = claimUnits((int) units, 0);
        if (first < 0) {
            return first;
        }
        try {
            long sequence = first;
            long end = first + units;
            for (DirectBuffer message : all) {
                int length = message.capacity();
                claims.checkOpenUpTo(end - 1); // before the header is written, as in put()
                checkFits(Messages.unitsOf(length) <= end - sequence);
                messages.putHeader(sequence, type, length);
                put(messages.offset(sequence), message, 0, length, end - 1);
                sequence = messages.next(sequence);
            }
            checkFits(sequence == end);
        } catch (Throwable t) {
            claims.abortCopied(first + units - 1);
            throw t;
        }
        claims.publishBlock();
        return first;
    }

    /** A message that does not fill its claim exactly would reach into another one, or leave a gap that nobody can pass. */
    private static void checkFits(boolean fits) {
        if (!fits) {
            throw new IllegalStateException(
                    "capacities of buffers must stay as they are while they are offered, but one has changed: nothing was published");
        }
    }

    /** The claims of this producer, for one that drops. */
    MessageClaims claims() {
        return claims;
    }

    // inspection

    /**
     * The longest message: an eighth of the ring's bytes.
     *
     * @return its bytes
     */
    public int maxLength() {
        return maxLength;
    }

    /**
     * How much one {@link #offerAll} may publish: a quarter of the ring's bytes.
     *
     * @return the bytes of its records, with their headers
     */
    public int maxBatch() {
        return messages.maxUnits() * Messages.ALIGNMENT;
    }

    /**
     * Ends this producer. Its open claim is aborted, so that no consumer waits for it; later claims are refused as {@link
     * Producer#CLOSED}. Only by the producer's thread, or by any once that has ended. Calling it again does nothing.
     *
     * @throws IllegalStateException if the producer belongs to another thread, which has not ended
     */
    @Override
    public void close() {
        claims.close();
    }
}
