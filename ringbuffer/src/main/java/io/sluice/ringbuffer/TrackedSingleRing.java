package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;

/*
 * A ring for one producer at a time that tracks claims: the cursor is moved by CAS, by the producer or by whoever aborts in its
 * stead.
 *
 *   cursor, of value c: everything up to c is published or aborted
 *
 *     c  --owner: CAS-->                        hi     published
 *     c  --whoever aborts: CAS-->  ABORTING(c)  --release-->  hi     aborted: new events and the abort marks come before
 *
 * Both CAS from the same word, so exactly one of publication and abort wins. ABORTING(c) is -c - 3, below every cursor; to
 * consumers it is c. Aborts by others than the owner hold `recovery`.
 */
final class TrackedSingleRing<E> extends SingleProducerRing<E> {

    /** For an abort by the owner, who keeps the events. */
    static final Object[] NO_EVENTS = {};

    private final SequenceView view = this::published;
    private final ReplaceableSlots events = new ReplaceableSlots(slots);

    TrackedSingleRing(RingBuffer.Builder<E> builder) {
        super(builder);
        aborts.allocate(); // so that nothing can fail between the two steps of an abort
    }

    // the cursor

    static boolean isAborting(long word) {
        return word < Sequence.INITIAL;
    }

    private static long aborting(long published) {
        return -published - 3;
    }

    static long published(long word) {
        return isAborting(word) ? -word - 3 : word;
    }

    private long published() {
        return published(cursor.getAcquire()); // acquire: the slots up to there, and their abort marks
    }

    /** Publishes a range, unless the cursor has moved or is about to. */
    boolean publishIfOpen(long lo, long hi) {
        return cursor.compareAndSet(lo - 1, hi); // CAS: one of publication and abort; publishes the slots
    }

    /**
     * Aborts a range, unless the cursor has moved or is about to.
     *
     * @param fresh events to put into the slots, none to keep those that are there
     */
    boolean abortIfOpen(long lo, long hi, Object[] fresh) {
        if (!cursor.compareAndSet(lo - 1, aborting(lo - 1))) { // CAS: one of publication and abort
            return false;
        }
        for (int i = 0; i < fresh.length; i++) {
            events.replace(lo + i, fresh[i]);
        }
        aborts.mark(lo, hi); // before the publication, whose acquire makes the marks visible
        cursor.setRelease(hi); // release: the marks and the events, to the consumers
        return true;
    }

    /** Whether a claimed sequence can still be published. */
    boolean isOpen(long sequence) {
        long word = cursor.getAcquire(); // acquire: after the event was read, see event()
        return !isAborting(word) && word < sequence;
    }

    /** The event of a slot, to be followed by {@link #isOpen}: if that still holds, the slot was not given to another. */
    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    E event(long sequence) {
        return (E) events.event(sequence); // acquire inside
    }

    @Override
    SingleProducer<E> newProducer() {
        return new TrackedSingleProducer<>(this);
    }

    @Override
    public SequenceView cursor() {
        return view;
    }

    @Override
    SequenceBarrier publicationBarrier() {
        return next -> published();
    }

    @Override
    boolean isPublished(long sequence) {
        return sequence <= published();
    }

    // aborting in the owner's stead

    @Override
    boolean tracksClaims() {
        return true;
    }

    @Override
    long abortInStead(AbstractProducer<?> owner, long lo, long hi) {
        Object[] fresh = new Object[(int) (hi - lo + 1)];
        for (int i = 0; i < fresh.length; i++) {
            fresh[i] = newEvent(); // the user's code: before the lock, and before anything is changed
        }
        synchronized (recovery) {
            if (owner.isClosed() || !abortIfOpen(lo, hi, fresh)) {
                return 0;
            }
        }
        if (signals != null) {
            signals.signal();
        }
        return fresh.length;
    }
}
