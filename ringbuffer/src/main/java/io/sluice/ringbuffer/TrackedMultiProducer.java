package io.sluice.ringbuffer;

import io.sluice.core.Sequence;

/*
 * One of many producers of a ring that tracks claims. It publishes by CAS, and may lose a claim to an abort on its behalf. The thread
 * that aborts records the loss, and holds the ring's recovery lock from the CAS to the record. The producer reads the record under the
 * same lock, once its CAS has failed or it found its slot taken. An abort that was cut off in between is finished first.
 */
final class TrackedMultiProducer<E> extends MultiProducer<E> {
    // its number among the ring's producers; written once, under the ring's lock `setup`, before others find it there
    int number;

    private final TrackedStamps tracked;

    // under the ring's recovery lock
    private final TrackedStamps.Losses losses = new TrackedStamps.Losses();

    TrackedMultiProducer(ObjectRing<E> ring, Sequence claims, TrackedStamps tracked) {
        super(ring, claims, tracked);
        this.tracked = tracked;
    }

    // claims

    @Override
    long claimFast(int n) {
        long hi = super.claimFast(n);
        if (hi >= 0) {
            tracked.claimed(hi - n + 1, hi, number);
        }
        return hi;
    }

    @Override
    long claim(int n, long timeoutNanos, long tooLate) {
        long hi = super.claim(n, timeoutNanos, tooLate);
        if (hi >= 0) {
            tracked.claimed(hi - n + 1, hi, number);
        }
        return hi;
    }

    @Override
    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    E slot(long sequence) {
        E event = (E) tracked.event(sequence);
        if (!tracked.isOpen(sequence)) {
            checkOpen("get", sequence, sequence); // of what is not lost: it is published
            throw hasLost(sequence) ? aborted(sequence, sequence) : overtaken(sequence);
        }
        return event;
    }

    // publication

    @Override
    void publishClaimed(long lo, long hi) {
        int won = 0;
        try {
            for (long sequence = lo; sequence <= hi; sequence++) {
                if (tracked.stampIfOpen(sequence)) {
                    open--; // one by one: what cuts the others off leaves the count right
                    won++;
                } else if (isOpenThoughOvertaken(sequence)) {
                    open--; // overwritten before it is published, in place of right behind
                    won++;
                }
            }
            settled(lo, hi);
        } catch (Throwable t) {
            ring.wakeUps.owed = true; // a store, which takes no stack
            throw t;
        }
        if (won != hi - lo + 1) {
            throw aborted(lo, hi);
        }
    }

    @Override
    void abortClaimed(long lo, long hi) {
        try {
            for (long sequence = lo; sequence <= hi; sequence++) {
                synchronized (ring.recovery) {
                    if (!tracked.abortIfOpen(sequence, null, losses) // aborted is aborted, whoever did it
                            && isOpenThoughOvertaken(sequence)) {
                        open--;
                    }
                }
            }
            learnOfLosses();
            settled(lo, hi);
        } catch (Throwable t) {
            ring.wakeUps.owed = true; // a store, which takes no stack
            throw t;
        }
    }

    private void settled(long lo, long hi) {
        if (open == 0) {
            earlier.clear();
        } else {
            settledBesideOthers(lo, hi);
        }
        if (signals != null) {
            signals.signal();
        }
    }

    @Override
    void checkOpen(String call, long lo, long hi) {
        assert ownedByCaller();
        boolean known = false;
        for (long sequence = lo; sequence <= hi && hi - lo < slots.length; sequence++) {
            boolean settled = !tracked.isOpen(sequence);
            known = settled ? hasLost(sequence) || isOpenThoughOvertaken(sequence) : isClaimed(sequence, sequence);
            if (!known) {
                break;
            }
        }
        if (!known) {
            checkOwner(); // another thread learns of its mistake, not of what it has led to
            learnOfLosses();
            throw badRange(call, lo, hi, open == 0 ? "none, since nothing is claimed" : "open claims: " + openClaims());
        }
    }

    @Override
    void publishFilled(long lo, long hi) {
        publishClaimed(lo, hi);
    }

    @Override
    void abortStillOpen(long lo, long hi) {
        abortClaimed(lo, hi);
    }

    /** Whether others have claimed its slot again before it was published, where nobody gates. */
    private boolean isOpenThoughOvertaken(long sequence) {
        return open > 0 && isOvertaken(sequence) && isClaimed(sequence, sequence) && !hasLost(sequence);
    }

    private ClaimAbortedException overtaken(long sequence) {
        checkOwner(); // another thread learns of its mistake, not of what it has led to
        return new ClaimAbortedException(
                "sequences " + sequence + " to " + sequence
                        + " must be open, but no consumer gates the ring, and others have claimed their slots again: claim again");
    }

    // losses

    /** Aborts its open claims while its thread lives. Called by the thread that aborts. */
    @Override
    public long abortForOwner(long lo, long hi) {
        Object[] fresh = new Object[(int) (hi - lo + 1)];
        for (int i = 0; i < fresh.length; i++) {
            fresh[i] = ring.newEvent(); // the user's code: before the lock, and before anything is changed
        }
        long aborted = 0;
        try {
            for (long sequence = lo; sequence <= hi; sequence++) {
                synchronized (ring.recovery) {
                    if (!isClosed()
                            && tracked.isClaimedBy(sequence, number)
                            && tracked.abortIfOpen(sequence, fresh[(int) (sequence - lo)], losses)) {
                        aborted++;
                    }
                }
            }
        } catch (Throwable t) {
            ring.wakeUps.owed = true; // a store, which takes no stack
            throw t;
        }
        ring.wakeUps.signal(); // also for one that was cut off before, and is finished now
        return aborted;
    }

    /** Under the recovery lock. */
    private void finishAbort() {
        if (tracked.finishAbort()) {
            ring.wakeUps.signal();
        }
    }

    private boolean hasLost(long sequence) {
        synchronized (ring.recovery) {
            finishAbort();
            return losses.contains(sequence);
        }
    }

    /** Sequences that were aborted on its behalf are not open any more. Its thread, or once that has ended. */
    private void learnOfLosses() {
        synchronized (ring.recovery) {
            finishAbort();
            open -= losses.learn();
            if (open == 0) {
                earlier.clear();
            }
        }
    }

    private IllegalStateException aborted(long lo, long hi) {
        checkOwner(); // another thread learns of its mistake, not of what it has led to
        learnOfLosses();
        OpenClaims which = new OpenClaims();
        for (long sequence = lo; sequence <= hi; sequence++) {
            if (hasLost(sequence)) {
                which.add(sequence, sequence);
            }
        }
        if (which.isEmpty()) {
            return isClosed() ? TranslatorCall.closedWithin(lo, hi) : TranslatorCall.settledWithin(lo, hi);
        }
        return new ClaimAbortedException(
                "sequences " + which + " must be open, but were aborted on this producer's behalf: claim again");
    }

    @Override
    long lowestOpen() {
        synchronized (ring.recovery) { // nothing is lost meanwhile: one of the open ones is not stamped
            learnOfLosses();
            return super.lowestOpen();
        }
    }

    @Override
    long openClaimCount() {
        learnOfLosses();
        return super.openClaimCount();
    }
}
