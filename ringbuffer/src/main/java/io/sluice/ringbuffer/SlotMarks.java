package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * The marks of the slots that hold aborted claims. A producer raises `highest`, marks a slot with the aborted sequence, then publishes
 * the slot as usual; a thread that acquires the publication sees both. A consumer asks once a batch whether any abort may be at or
 * beyond its first sequence, and looks at single slots only then.
 *
 * Sixteen sequences in a row share a word. Its upper 48 bits tell which sixteen they are, and each of them has a bit. The sequences that
 * a ring holds at one time need half of the words, so each sixteen of them have a word of their own. A mark needs no clearing: the
 * first mark of another sixteen takes the word over, when everybody has passed the sixteen before.
 *
 * The words are made beforehand, a byte a slot: a thread may abort because there is no memory.
 */

/** The marks of slots that consumers pass over. The owner of a slot marks it before it publishes; followers read the mark. */
public class SlotMarks {
    private static final VarHandle MARK = MethodHandles.arrayElementVarHandle(long[].class);

    /** The bits of a word for its sixteen sequences. */
    private static final long BITS = 0xFFFF;

    static {
        new SlotMarks(1).mark(0, 0); // the first use of a VarHandle takes memory
    }

    private final long[] marks;
    private final Sequence highest = new Sequence();

    /**
     * No slot is marked.
     *
     * @param capacity how many slots there are, a power of two from 1 to {@link RingBufferBuilder#MAX_CAPACITY}; a byte each
     * @throws IllegalArgumentException if it is not
     */
    public SlotMarks(int capacity) {
        Check.powerOfTwo(capacity, 1, RingBufferBuilder.MAX_CAPACITY, "capacity");
        marks = new long[Math.max(2, capacity / Long.BYTES)];
    }

    /**
     * Marks a range. Takes no memory.
     *
     * @param lo the first sequence; the caller owns the range, and publishes it afterwards
     * @param hi the last one
     */
    public void mark(long lo, long hi) {
        highest.raiseTo(hi | 15); // CAS: several may mark; first: who sees a mark sees this; once for sixteen
        for (long sequence = lo; sequence <= hi; sequence++) {
            markOne(sequence);
        }
    }

    private void markOne(long sequence) {
        long sixteen = sixteen(sequence);
        int at = index(sequence);
        long word;
        long next;
        do {
            word = (long) MARK.getOpaque(marks, at); // opaque: the CAS decides
            next = ((word & ~BITS) == sixteen ? word : sixteen) | bit(sequence);
        } while (!MARK.compareAndSet(marks, at, word, next)); // CAS: owners of other slots mark this word too
    }

    /** Takes the mark of an open slot back, if it has one: its abort was cut off. Called by the slot's owner, before it publishes. */
    void unmark(long sequence) {
        int at = index(sequence);
        long word;
        do {
            word = (long) MARK.getOpaque(marks, at); // opaque: the CAS decides
        } while ((word & ~BITS) == sixteen(sequence)
                && !MARK.compareAndSet(marks, at, word, word & ~bit(sequence))); // CAS: as in markOne
    }

    private int index(long sequence) {
        return (int) (sequence >>> 4) & (marks.length - 1);
    }

    private static long sixteen(long sequence) {
        return sequence >>> 4 << 16;
    }

    private static long bit(long sequence) {
        return 1L << (sequence & 15);
    }

    /**
     * Whether any sequence from this one on may be marked: the one check a batch.
     *
     * @param sequence the first of the batch
     * @return false if none is
     */
    public boolean anyFrom(long sequence) {
        return highest.getOpaque() >= sequence; // opaque: the acquired publication has made it visible
    }

    /**
     * Whether a consumer passes over a slot: its claim was aborted, or its event finished upstream.
     *
     * @param sequence a published sequence
     * @return true if it is marked
     */
    public boolean isSkipped(long sequence) {
        long word = (long) MARK.getOpaque(marks, index(sequence)); // opaque: made visible by the acquired publication
        return (word & ~BITS) == sixteen(sequence) && (word & bit(sequence)) != 0;
    }
}
