package io.sluice.ringbuffer;

import io.sluice.core.Sequence;

/*
 * The one producer of a ring that tracks claims. It moves the cursor by CAS, and may find that another thread has moved it. `known`
 * is the cursor as far as it knows it. It learns of more under the ring's recovery lock. A thread that aborts holds that lock from the
 * CAS to the cursor's release. An abort that is seen in between under the lock was cut off, and the thread that sees it finishes it.
 */
final class TrackedSingleProducer<E> extends SingleProducer<E> {
    private final TrackedCursor tracked;

    // the last range that was aborted on its behalf; its thread, or once that has ended
    private long lostFrom;
    private long lostTo = -1;

    TrackedSingleProducer(ObjectRing<E> ring, Sequence cursor, TrackedCursor tracked) {
        super(ring, cursor);
        this.tracked = tracked;
        this.known = claimed;
    }

    @Override
    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    E slot(long sequence) {
        E event = (E) tracked.event(sequence);
        if (!tracked.isOpen(sequence)) {
            learnOfLosses();
            if (sequence <= known) {
                checkOwner();
                throw isLost(sequence, sequence)
                        ? aborted(sequence, sequence)
                        : badRange("get", sequence, sequence, known < claimed ? known + 1 + " to " + claimed : "none");
            }
            return slot(sequence); // a claim before this one was being aborted
        }
        return event;
    }

    // publication

    @Override
    long published() {
        return known;
    }

    @Override
    public void publish(long lo, long hi) {
        learnIfNotNext(lo);
        if (!isLost(lo, hi)) {
            checkNextInOrder("publish", lo, hi);
        }
        publishClaimed(lo, hi);
    }

    @Override
    public void abort(long lo, long hi) {
        checkOwner();
        learnIfNotNext(lo);
        if (!isLost(lo, hi)) {
            checkNextInOrder("abort", lo, hi);
        }
        abortClaimed(lo, hi);
    }

    @Override
    void publishClaimed(long lo, long hi) {
        boolean lost = lo <= known;
        try {
            long from = Math.max(lo, known + 1);
            while (from <= hi && !tracked.publishIfOpen(from, hi)) {
                learnOfLosses();
                lost = true;
                from = known + 1;
            }
            moved(hi);
        } catch (Throwable t) {
            ring.wakeUps.owed = true; // a store, which takes no stack
            throw t;
        }
        if (lost) {
            throw lostFrom <= hi && lostTo >= lo ? aborted(lo, hi) : usedWithin(lo, hi);
        }
    }

    private IllegalStateException usedWithin(long lo, long hi) {
        checkOwner(); // another thread learns of its mistake, not of what it has led to
        return isClosed() ? TranslatorCall.closedWithin(lo, hi) : TranslatorCall.settledWithin(lo, hi);
    }

    @Override
    void publishFilled(long lo, long hi) {
        publishClaimed(lo, hi);
    }

    @Override
    void abortClaimed(long lo, long hi) {
        try {
            long from = Math.max(lo, known + 1);
            while (from <= hi && !abortIfOpen(from, hi, TrackedCursor.NO_EVENTS)) {
                learnOfLosses();
                from = known + 1;
            }
            moved(hi);
        } catch (Throwable t) {
            ring.wakeUps.owed = true; // a store, which takes no stack
            throw t;
        }
    }

    private boolean abortIfOpen(long lo, long hi, Object[] fresh) {
        synchronized (ring.recovery) {
            return !isClosed() && tracked.abortIfOpen(lo, hi, fresh);
        }
    }

    private void moved(long hi) {
        if (hi > known) {
            known = hi;
            if (signals != null) {
                signals.signal();
            }
        }
    }

    // losses

    /** Aborts its open claim while its thread lives. Called by the thread that aborts. */
    @Override
    public long abortForOwner(long lo, long hi) {
        Object[] fresh = new Object[(int) (hi - lo + 1)];
        for (int i = 0; i < fresh.length; i++) {
            fresh[i] = ring.newEvent(); // the user's code: before the lock, and before anything is changed
        }
        boolean aborted = abortIfOpen(lo, hi, fresh);
        ring.wakeUps.signal(); // also for one that was cut off before, and is finished now
        return aborted ? fresh.length : 0;
    }

    private void learnIfNotNext(long lo) {
        assert ownedByCaller();
        if (lo != known + 1) {
            checkOwner();
            learnOfLosses();
        }
    }

    /** Sequences that were aborted on its behalf are not open any more. Its thread, or once that has ended. */
    private void learnOfLosses() {
        synchronized (ring.recovery) {
            tracked.finishAbort();
            long word = cursor.getAcquire(); // acquire: never in the middle of an abort here
            if (word > known) {
                ring.wakeUps.signal(); // who aborted may have been cut off before it
                lostFrom = known + 1;
                lostTo = word;
                known = word;
            }
        }
    }

    /** Whether a range begins in the last lost range, and its rest is claimed. */
    private boolean isLost(long lo, long hi) {
        return lo <= hi && lo >= lostFrom && lo <= lostTo && hi <= claimed && (hi <= lostTo || lostTo == known);
    }

    private ClaimAbortedException aborted(long lo, long hi) {
        checkOwner(); // another thread learns of its mistake, not of what it has led to
        return new ClaimAbortedException("sequences " + Math.max(lo, lostFrom) + " to " + Math.min(hi, lostTo)
                + " must be open, but were aborted on this producer's behalf: claim again");
    }

    @Override
    void checkNoOpenClaim() {
        if (known != claimed) {
            checkOwner();
            learnOfLosses();
        }
        super.checkNoOpenClaim();
    }

    @Override
    long lowestOpen() {
        learnOfLosses();
        return super.lowestOpen();
    }

    @Override
    long openClaimCount() {
        learnOfLosses();
        return super.openClaimCount();
    }

    @Override
    public void close() {
        synchronized (ring.recovery) {
            if (isClosed()) {
                return;
            }
            checkMayClose();
            learnOfLosses();
            super.close();
        }
    }
}
