package io.sluice.ringbuffer;

import io.sluice.core.bytes.SafeBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;

/*
 * One buffer of records. A sequence counts 8 bytes of it, and a record takes as many sequences as it needs:
 *
 *   | length, 4 bytes | type, 4 bytes | payload | unused, up to 7 bytes |
 *   0                 4               8         8 + length
 *
 * A record never crosses the end of the buffer. A claim that would cross it takes the rest too, as a record of type 0, which no handler
 * gets: see padding(). An aborted claim becomes such a record as well, from its first sequence to its last. It may cross the end, since
 * nobody reads its payload.
 *
 * A header says nothing of whether its record is published: an old payload could look like any header. The cursor says it on a ring for
 * one producer, MessageStamps on the others. So nothing has to be zeroed, and a header is read only behind an acquire of these.
 *
 * A record and its padding take at most a quarter of the buffer and 8 bytes, since the longest message has an eighth of it. So a message
 * that fits at all fits once the consumers have passed three quarters of a lap, wherever the end of the buffer is.
 */

/**
 * The messages of a ring of messages: where each begins, how long it is and what its type is. It is the event that such a ring hands
 * over, the same for all sequences; a sequence that a handler gets is that of a message's first 8 bytes. Immutable; any thread.
 *
 * <p>The producer that has claimed a message may write it until it commits it. A handler that was given a message may read it. No method
 * has a fence or allocates. Offsets are multiples of 8. Nothing is zeroed: a claimed message holds what was there a lap ago.
 *
 * <p>The buffer checks its own bounds, not the message's: a write beyond the length goes into another message.
 */
public final class Messages {
    /** How many bytes a sequence stands for, and the alignment of records: {@value}. */
    public static final int ALIGNMENT = 8;

    /** The fewest bytes that a ring of messages may have: {@value}. */
    public static final int SMALLEST = 64;

    /** The most bytes that a ring of messages may have: {@value}. */
    public static final int LARGEST = 1 << 30;

    /** How many bytes before a payload hold its length and its type. */
    static final int HEADER_LENGTH = 8;

    private static final int ALIGNMENT_SHIFT = 3;

    private final ByteBuffer memory;
    private final SafeBuffer buffer;
    private final int mask;
    private final int maxLength;

    private Messages(ByteBuffer memory) {
        this.memory = memory.order(ByteOrder.nativeOrder());
        this.buffer = new SafeBuffer(memory);
        this.mask = (memory.capacity() >> ALIGNMENT_SHIFT) - 1;
        this.maxLength = memory.capacity() / 8;
    }

    /**
     * Allocates the bytes: off the heap, from the start of a cache line on, or on the heap.
     *
     * @param bytes a power of two, from {@link #SMALLEST} to {@link #LARGEST}
     */
    static Messages ofBytes(int bytes, boolean heap) {
        if (heap) {
            return new Messages(ByteBuffer.allocate(bytes));
        }
        ByteBuffer raw = ByteBuffer.allocateDirect(bytes + BitUtil.CACHE_LINE_LENGTH);
        int behind = raw.alignmentOffset(0, BitUtil.CACHE_LINE_LENGTH);
        return new Messages(raw.slice(behind == 0 ? 0 : BitUtil.CACHE_LINE_LENGTH - behind, bytes));
    }

    /**
     * The bytes of all messages.
     *
     * @return the one buffer, the same at each call
     */
    public AtomicBuffer buffer() {
        return buffer;
    }

    /**
     * Where a message begins.
     *
     * @param sequence its sequence; not checked
     * @return the offset of its first byte in {@link #buffer}, a multiple of 8
     */
    public int offset(long sequence) {
        return index(sequence) + HEADER_LENGTH;
    }

    /**
     * The length of a message that the caller has claimed, or that its handler was given; else the answer means nothing.
     *
     * @param sequence its sequence; not checked
     * @return its bytes, 0 or more
     */
    public int length(long sequence) {
        return (int) header(sequence);
    }

    /**
     * The type of a message that the caller has claimed, or that its handler was given; else the answer means nothing.
     *
     * @param sequence its sequence; not checked
     * @return 1 or more; 0 where there is no message, but padding or a claim that was aborted
     */
    public int type(long sequence) {
        return (int) (header(sequence) >>> Integer.SIZE);
    }

    /**
     * The start of the next record, a message or not, behind one that the caller has claimed, or that its handler was given. Else the
     * answer means nothing.
     *
     * @param sequence the sequence of a record, a message or not; not checked
     * @return the sequence behind it
     */
    public long next(long sequence) {
        return sequence + unitsOf((int) header(sequence));
    }

    /**
     * The longest message: an eighth of the ring's bytes.
     *
     * @return its bytes
     */
    public int maxLength() {
        return maxLength;
    }

    // for producers and rings

    /** How many sequences a message of a length takes. */
    static int unitsOf(int length) {
        return (length + HEADER_LENGTH + ALIGNMENT - 1) >>> ALIGNMENT_SHIFT;
    }

    /** How many sequences there are. */
    int capacity() {
        return mask + 1;
    }

    /** How many sequences one claim may take, without its padding. */
    int maxUnits() {
        return (mask + 1) / 4;
    }

    /** How many sequences up to the end of the buffer a claim has to pass over, so that it does not cross that end. */
    int padding(long next, int units) {
        int at = (int) next & mask;
        int left = mask + 1 - at;
        return units > left ? left : 0;
    }

    /** The last sequence of a claim that begins at `next`, with its padding. */
    long lastOf(long next, int units) {
        return next + padding(next, units) + units - 1;
    }

    /** Where the message of a claim begins: behind its padding, if the claim crosses the end of the buffer. */
    long firstOf(long lo, long hi) {
        return Math.max(lo, hi & -(mask + 1L));
    }

    void putHeader(long sequence, int type, int length) {
        memory.putLong(index(sequence), (long) type << Integer.SIZE | length); // plain: published by cursor or stamp
    }

    /** Makes a range one record that no handler gets. Called by the owner of the range, before it publishes. */
    void pad(long lo, long hi) {
        putHeader(lo, 0, (int) (hi - lo) << ALIGNMENT_SHIFT); // one unit, the header's, has no payload
    }

    private long header(long sequence) {
        return memory.getLong(index(sequence)); // plain: behind the acquire of what published it
    }

    private int index(long sequence) {
        return ((int) sequence & mask) << ALIGNMENT_SHIFT;
    }

    @Override
    public String toString() {
        return "messages in " + buffer.capacity() + " bytes";
    }
}
