package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/*
 * Which slots hold aborted claims. A producer marks a slot with the aborted sequence, raises `highest`, then publishes the
 * slot as usual; whoever acquires the publication sees both. A consumer asks once a batch whether any abort is at or beyond
 * its first sequence, and looks at single slots only then. A mark needs no clearing: it names its sequence, and the slot's
 * next user has another one.
 */

/** Which slots consumers pass over. Marked by those who own a slot, before they publish; read by those who follow. */
public class SlotMarks {
    private static final VarHandle MARK = MethodHandles.arrayElementVarHandle(long[].class);

    private final int capacity;
    private final Sequence highest = new Sequence();

    private long[] marks = {};

    /**
     * No slot is marked.
     *
     * @param capacity how many slots there are, a power of two from 1 to {@link RingBufferBuilder#MAX_CAPACITY}
     * @throws IllegalArgumentException if it is not
     */
    public SlotMarks(int capacity) {
        Check.powerOfTwo(capacity, 1, RingBufferBuilder.MAX_CAPACITY, "capacity");
        this.capacity = capacity;
    }

    /** Makes the marks before the first of them, so that none allocates. */
    public void allocate() {
        marks();
    }

    /**
     * Marks a range. Allocates at the first call.
     *
     * @param lo the first sequence; the caller owns the range, and publishes it afterwards
     * @param hi the last one
     */
    public void mark(long lo, long hi) {
        long[] slots = marks();
        for (long sequence = lo; sequence <= hi; sequence++) {
            MARK.setOpaque(slots, (int) sequence & (capacity - 1), sequence); // opaque: the publication releases it
        }
        highest.raiseTo(hi); // CAS: several producers may abort; before the publication
    }

    private long[] marks() {
        long[] slots = (long[]) MARKS.getAcquire(this); // acquire: sees the fill below
        if (slots.length == 0) {
            long[] fresh = new long[capacity];
            Arrays.fill(fresh, Sequence.INITIAL);
            slots = MARKS.compareAndSet(this, slots, fresh) ? fresh : (long[]) MARKS.getAcquire(this); // CAS: one array
        }
        return slots;
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
        long[] slots = (long[]) MARKS.getAcquire(this); // acquire: sees the fill; the marks by the acquired publication
        return slots.length != 0 && (long) MARK.getOpaque(slots, (int) sequence & (capacity - 1)) == sequence; // opaque
    }

    private static final VarHandle MARKS =
            VarHandles.field(MethodHandles.lookup(), SlotMarks.class, "marks", long[].class);
}
