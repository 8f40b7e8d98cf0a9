package io.sluice.ringbuffer;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.check.Check;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;

/*
 * One buffer, cut into slots of one size. Each slot begins with its stamp:
 *
 *   | stamp, 8 bytes | payload | unused |
 *   0                8         8 + length   stride
 *
 * A stride up to 64 is a power of two, else a multiple of 64, and the first slot begins at a cache line. So a payload of up to 56
 * bytes never leaves the line of its stamp.
 */

/**
 * The slots of a ring of bytes: where each begins, in the one buffer that holds them side by side. It is the event that such a ring hands
 * over, the same for all sequences; {@link #offset} tells them apart. Only a slot whose claim was aborted on its owner's behalf, on a ring
 * built with {@link RingBufferBuilder#trackClaims}, has one of its own. Immutable; any thread. Neither {@link #buffer} nor {@link #offset}
 * has a fence or allocates.
 *
 * <p>The claimer of a sequence may write its slot until it is published. A handler that gets the sequence may read the slot.
 * Offsets are multiples of 8, so that each aligned field of a flyweight is whole. The buffer's methods say in which byte order they
 * work. Nothing is zeroed: a slot that is claimed again holds what it held a lap ago.
 *
 * <p>The buffer checks its own bounds, not the slot's: a write beyond {@link #length} goes into another slot.
 */
public final class ByteSlots {
    /** The fewest bytes that a slot may hold: {@value}. */
    public static final int SHORTEST = 8;

    /** The most bytes that a slot may hold: {@value}. */
    public static final int LONGEST = 1 << 16;

    /** How many bytes before a payload hold its stamp. */
    private static final int STAMP_LENGTH = 8;

    private final ByteBuffer memory;
    private final SafeBuffer buffer;
    private final int mask;
    private final int stride;
    private final int length;

    private ByteSlots(int capacity, int length) {
        this.mask = capacity - 1;
        this.stride = strideOf(length);
        this.length = length;
        int all = capacity * stride;
        ByteBuffer raw = ByteBuffer.allocateDirect(all + BitUtil.CACHE_LINE_LENGTH);
        int behind = raw.alignmentOffset(0, BitUtil.CACHE_LINE_LENGTH);
        this.memory = raw.slice(behind == 0 ? 0 : BitUtil.CACHE_LINE_LENGTH - behind, all)
                .order(ByteOrder.nativeOrder());
        this.buffer = new SafeBuffer(memory);
    }

    static ByteSlots of(int capacity, int length) {
        long all = (long) capacity * strideOf(length);
        if (all > SafeBuffer.MAX_CAPACITY) {
            throw new IllegalArgumentException("capacity must be from 1 to "
                    + Integer.highestOneBit(SafeBuffer.MAX_CAPACITY / strideOf(length)) + " with slots of " + length
                    + " bytes, so that all take less than 2 GiB, but was " + capacity);
        }
        return new ByteSlots(capacity, length);
    }

    /**
     * A slot that is in no ring: for {@link DroppingProducer#dropNewest}, and for tests of handlers. Each sequence has the same offset.
     *
     * @param length how many bytes it holds, from {@link #SHORTEST} to {@link #LONGEST}
     * @return a slot with a buffer of its own, zeroed
     * @throws IllegalArgumentException if the length is out of its range
     */
    public static ByteSlots one(int length) {
        Check.inRange(length, SHORTEST, LONGEST, "length");
        return new ByteSlots(1, length);
    }

    private static int strideOf(int length) {
        int needed = STAMP_LENGTH + length;
        return needed <= BitUtil.CACHE_LINE_LENGTH
                ? BitUtil.findNextPositivePowerOfTwo(needed)
                : BitUtil.align(needed, BitUtil.CACHE_LINE_LENGTH);
    }

    /**
     * The bytes of all slots.
     *
     * @return the one buffer, the same at each call
     */
    public AtomicBuffer buffer() {
        return buffer;
    }

    /**
     * Where a sequence's slot begins.
     *
     * @param sequence 0 or more; not checked
     * @return the offset of its first byte in {@link #buffer}, a multiple of 8
     */
    public int offset(long sequence) {
        return ((int) sequence & mask) * stride + STAMP_LENGTH;
    }

    /**
     * How many bytes a slot holds.
     *
     * @return the length that the ring was built with
     */
    public int length() {
        return length;
    }

    /** The same bytes, for stamps: a user who closes or wraps the buffer does not reach them. */
    ByteBuffer memory() {
        return memory;
    }

    int capacity() {
        return mask + 1;
    }

    /** How far the slots are from each other; each begins with its stamp. */
    int stride() {
        return stride;
    }

    @Override
    public String toString() {
        return "slots of " + length + " bytes";
    }
}
