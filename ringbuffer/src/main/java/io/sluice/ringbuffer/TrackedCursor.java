package io.sluice.ringbuffer;

import io.sluice.core.Sequence;

/*
 * The cursor of a ring for one producer at a time that tracks claims. The producer moves it by CAS, and so does an aborter, a thread
 * that aborts on its behalf.
 *
 *   cursor, of value c: everything up to c is published or aborted
 *
 *     c  --owner: CAS-->                               hi     published
 *     c  --aborter: CAS-->  ABORTING(c)  --release-->  hi     aborted: new events and the abort marks come before
 *
 * Both CAS from the same word, so exactly one of publication and abort wins, for good. ABORTING(c) is -c - 3, below every cursor; to
 * consumers it is c. Each thread that aborts holds the ring's recovery lock, the owner too. So ABORTING, seen under that lock, is an
 * abort that was cut off, as by a stack overflow. The finder finishes it.
 */
final class TrackedCursor {
    /** For an abort by the owner, who keeps the events. */
    static final Object[] NO_EVENTS = {};

    private final Sequence cursor;
    private final ReplaceableSlots events;
    private final SlotMarks aborts;

    // under the recovery lock: the range that is being aborted
    private long last;
    private Object[] fresh = NO_EVENTS;

    TrackedCursor(Sequence cursor, Object[] slots, SlotMarks aborts) {
        this.cursor = cursor;
        this.events = new ReplaceableSlots(slots);
        this.aborts = aborts;
    }

    private static boolean isAborting(long word) {
        return word < Sequence.INITIAL;
    }

    private static long aborting(long published) {
        return -published - 3;
    }

    /** The highest sequence up to which everything is published or aborted. */
    long published() {
        long word = cursor.getAcquire(); // acquire: the slots up to there, and their abort marks
        return isAborting(word) ? -word - 3 : word;
    }

    /** Publishes a range, unless the cursor has moved or is about to. */
    boolean publishIfOpen(long lo, long hi) {
        return cursor.compareAndSet(lo - 1, hi); // CAS: one of publication and abort; publishes the slots
    }

    /**
     * Aborts a range, unless the cursor has moved. Under the recovery lock.
     *
     * @param newEvents events to put into the slots, none to keep those that are there
     */
    boolean abortIfOpen(long lo, long hi, Object[] newEvents) {
        finishAbort();
        last = hi;
        fresh = newEvents;
        if (!cursor.compareAndSet(lo - 1, aborting(lo - 1))) { // CAS: one of publication and abort
            return false;
        }
        finishAbort();
        return true;
    }

    /** Does the rest of an abort: all of it, or the part that was cut off. Under the recovery lock. */
    void finishAbort() {
        long word = cursor.getAcquire(); // acquire: as published(); ABORTING was set under this lock
        if (isAborting(word)) {
            long lo = -word - 2;
            aborts.mark(lo, last); // before the publication, whose acquire makes the marks visible
            for (int i = 0; i < fresh.length; i++) {
                events.replace(lo + i, fresh[i]);
            }
            cursor.setRelease(last); // release: the marks and the events, to the consumers
        }
    }

    /** Whether a claimed sequence can still be published; false too while a claim before it is being aborted. */
    boolean isOpen(long sequence) {
        long word = cursor.getAcquire(); // acquire: after the event was read, see event()
        return !isAborting(word) && word < sequence;
    }

    /** The event of a slot, to be followed by {@link #isOpen}: if that holds, the slot was not given to another. */
    Object event(long sequence) {
        return events.event(sequence); // acquire inside
    }
}
