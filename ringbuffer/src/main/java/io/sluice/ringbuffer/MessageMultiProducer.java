package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.access.ClaimRace;
import org.jspecify.annotations.Nullable;

/*
 * One of many producers of messages. The length of a claim depends on where it begins, by its padding. So both are decided by
 * the one compare-and-set of the claim word: padding and message are claimed together or not at all, and a full ring refuses both.
 */
final class MessageMultiProducer extends MultiProducer<Messages> implements MessageClaims {
    private final MessageStamps messageStamps;
    private final Messages messages;
    private final @Nullable OpenMessage tracked;

    MessageMultiProducer(ObjectRing<Messages> ring, Sequence claims, MessageStamps messageStamps, Messages messages) {
        super(ring, claims, messageStamps);
        this.messageStamps = messageStamps;
        this.messages = messages;
        this.tracked = ring.tracksClaims() ? new OpenMessage() : null;
    }

    @Override
    long lastOf(long next, int units) {
        return messages.lastOf(next, units);
    }

    /** As that of objects, except for the end of the claim. Written again, so that theirs makes no further call. */
    @Override
    long claimFast(int units) {
        assert ownedByCaller();
        for (; ; ) {
            long word = claims.getOpaque(); // opaque: the CAS decides
            long next = ClaimWord.next(word);
            long hi = lastOf(next, units);
            if (hi > limit || open != 0 || ClaimWord.isClosed(word)) {
                return -1;
            }
            if (claims.compareAndSet(word, ClaimWord.open(hi + 1))) { // CAS: unique, gapless, after room is known
                open = hi - next + 1;
                from = next;
                to = hi;
                return hi;
            }
            lastLoss = ClaimRace.lost(lastLoss);
        }
    }

    @Override
    public long blockFast(int units) {
        checkNoOpenClaim();
        return begun(claimFast(units), units);
    }

    @Override
    public long blockSlow(int units, long timeoutNanos) {
        return begun(timeoutNanos == 0 ? tryClaimSlow(units) : next(units, timeoutNanos), units);
    }

    @Override
    public long blockIfRoom(int units) {
        long hi = claimSlowNoInline(units, 0, LESS_ROOM, STEPS_NO_INLINE);
        return hi == LESS_ROOM ? FULL : begun(hi, units);
    }

    @Override
    public AbstractProducer<Messages> producer() {
        return this;
    }

    private long begun(long hi, int units) {
        if (hi < 0) {
            return hi;
        }
        long first = hi - units + 1;
        if (from < first) {
            messages.pad(from, first - 1);
        }
        return first;
    }

    @Override
    public long openBlock() {
        if (open == 0) {
            return -1;
        }
        return messages.firstOf(from, to); // no header says it: without consumers others may have passed this claim
    }

    @Override
    public void publishBlock() {
        publishClaimed(from, to);
    }

    @Override
    public void abortBlock() {
        abortClaimed(from, to);
    }

    @Override
    public boolean isOpenUpTo(long hi) {
        return hi == to && open != 0;
    }

    @Override
    public void padAgain() {
        if (from < openBlock()) {
            messages.pad(from, openBlock() - 1);
        }
    }

    @Override
    Messages slot(long sequence) {
        return messages;
    }

    @Override
    void publishClaimed(long lo, long hi) {
        stampAll(lo, hi);
        open = 0; // behind it: what a stack overflow keeps from being published stays open
        if (signals != null) {
            try {
                signals.signal();
            } catch (Throwable t) {
                ring.wakeUps.owed = true; // a store, which takes no stack
                throw t;
            }
        }
    }

    /** Stamps forward if it was told that nobody gates: others may have its place. */
    private void stampAll(long lo, long hi) {
        if (stamps == messageStamps) {
            messageStamps.stampAll(lo, hi);
        } else {
            messageStamps.stampAllForward(lo, hi);
        }
    }

    @Override
    public boolean isOvertaken() {
        return stamps != messageStamps && messageStamps.isStamped(from);
    }

    @Override
    void abortClaimed(long lo, long hi) {
        if (!isOvertaken()) { // else others' records are there
            messages.pad(lo, hi);
        }
        publishClaimed(lo, hi);
    }

    @Override
    void checkNoOpenClaim() {
        if (open != 0) {
            checkOwner(); // first: another thread learns of its mistake, and nothing on the owner's behalf
            if (!learnOfLoss()) {
                throw MessageClaims.stillOpen(from, to);
            }
        }
    }

    @Override
    void checkWaitedFor() {
        checkNoOpenClaim();
    }

    // where claims are tracked

    @Override
    public @Nullable OpenMessage tracked() {
        return tracked;
    }

    @Override
    public boolean learnOfLoss() {
        if (tracked == null || !tracked.isLost()) {
            return false;
        }
        synchronized (ring.recovery) { // whoever aborts has published by then
            if (!tracked.isLost()) {
                return false;
            }
            padLost();
            open = 0;
            tracked.forget();
            return true;
        }
    }

    /** Aborts its open claim while its thread lives. Called by the thread that aborts. */
    @Override
    public long abortForOwner(long lo, long hi) {
        if (tracked == null) {
            return NOT_ALLOWED;
        }
        synchronized (ring.recovery) {
            long first = tracked.first();
            // The range may end within the padding: a publication that was cut off has left stamps behind it.
            // The start of the claim was written before its word, and the word is read first.
            boolean aborts = !isClosed() && first >= lo && lastClaimSeen() <= hi && tracked.abortIfOpen(first);
            if (tracked.isLost()) {
                padLost();
            }
            return aborts ? to - from + 1 : 0;
        }
    }

    /** Publishes the claim that was aborted on its behalf, as padding; again if that was cut off. Under the ring's recovery lock. */
    private void padLost() {
        if (!messageStamps.isStamped(from)) { // the last of the stamps to be written
            messages.pad(from, to);
            stampAll(from, to);
        }
        ring.wakeUps.signal();
    }

    @Override
    long openClaimCount() {
        learnOfLoss();
        return super.openClaimCount();
    }

    /** Whether it is the owner of an open claim that could be aborted on its behalf, or whose abort was cut off. Any thread. */
    boolean hasOpen(long sequence) {
        return tracked != null && (tracked.first() >= sequence || tracked.isLost()) && seemsToHold(sequence);
    }

    @Override
    public void close() {
        synchronized (ring.recovery) {
            if (!isClosed()) {
                checkMayClose();
                learnOfLoss();
                if (open != 0 && !messageStamps.isStamped(from)) { // else others have passed it
                    abortBlock(); // as a whole: a publication that failed may have written some of its stamps
                }
            }
            super.close();
            if (tracked != null) {
                tracked.forget(); // aborted by now: neither to be committed nor to be aborted again
            }
        }
    }
}
