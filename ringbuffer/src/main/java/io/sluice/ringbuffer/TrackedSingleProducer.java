package io.sluice.ringbuffer;

/*
 * The one producer of a ring that tracks claims: moves the cursor by CAS, and may find that another has moved it. `known`
 * is what it knows of the cursor; it learns of more under the ring's recovery lock, which whoever aborts in its stead holds
 * from its CAS to the cursor's release, so that the cursor is never seen in between there.
 */
final class TrackedSingleProducer<E> extends SingleProducer<E> {
    private final TrackedSingleRing<E> tracked;

    // the last range that was aborted in its stead; its thread, or once that has ended
    private long lostFrom;
    private long lostTo = -1;

    TrackedSingleProducer(TrackedSingleRing<E> ring) {
        super(ring, ring.cursor);
        this.tracked = ring;
        this.known = claimed;
    }

    @Override
    E slot(long sequence) {
        E event = tracked.event(sequence);
        if (!tracked.isOpen(sequence)) {
            learnOfLosses();
            throw aborted(sequence, sequence);
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
        long from = Math.max(lo, known + 1);
        while (from <= hi && !tracked.publishIfOpen(from, hi)) {
            learnOfLosses();
            lost = true;
            from = known + 1;
        }
        moved(hi);
        if (lost) {
            throw aborted(lo, hi);
        }
    }

    @Override
    void abortClaimed(long lo, long hi) {
        long from = Math.max(lo, known + 1);
        while (from <= hi && !tracked.abortIfOpen(from, hi, TrackedSingleRing.NO_EVENTS)) {
            learnOfLosses();
            from = known + 1;
        }
        moved(hi);
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

    private void learnIfNotNext(long lo) {
        assert ownedByCaller();
        if (lo != known + 1) {
            checkOwner();
            learnOfLosses();
        }
    }

    /** What was aborted in its stead is not open any more. Its thread, or once that has ended. */
    private void learnOfLosses() {
        synchronized (ring.recovery) {
            long word = cursor.getAcquire(); // acquire: never in the middle of an abort here
            if (word > known) {
                lostFrom = known + 1;
                lostTo = word;
                known = word;
            }
        }
    }

    /** Whether a range begins in what was lost, and is otherwise claimed. */
    private boolean isLost(long lo, long hi) {
        return lo <= hi && lo >= lostFrom && lo <= lostTo && hi <= claimed && (hi <= lostTo || lostTo == known);
    }

    private ClaimAbortedException aborted(long lo, long hi) {
        checkOwner(); // another thread learns of its mistake, not of what it has led to
        return new ClaimAbortedException(
                "sequences " + Math.max(lo, lostFrom) + " to " + Math.min(hi, lostTo)
                        + " are not this producer's any more: they were aborted in its stead, since they were open for long, so claim again");
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
