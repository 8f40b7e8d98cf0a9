package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import org.jspecify.annotations.Nullable;

/** The one producer of a ring of messages. Publishes by the cursor, and remembers what it has published. */
final class MessageSingleProducer extends SingleProducer<Messages> implements MessageClaims {
    private final Messages messages;
    private final @Nullable OpenMessage tracked;

    MessageSingleProducer(ObjectRing<Messages> ring, Sequence cursor, Messages messages) {
        super(ring, cursor);
        this.tracked = ring.tracksClaims() ? new OpenMessage() : null;
        this.messages = messages;
        this.known = claimed;
    }

    @Override
    public long blockFast(int units) {
        checkNoOpenClaim();
        int padding = messages.padding(claimed + 1, units);
        return begun(claimFast(padding + units), padding, units);
    }

    @Override
    public long blockSlow(int units, long timeoutNanos) {
        boolean limited = timeoutNanos != 0 && timeoutNanos != NO_LIMIT; // who has no limit needs no clock
        long started = limited ? System.nanoTime() : 0;
        long left = timeoutNanos;
        for (; ; ) {
            int padding = messages.padding(claimed + 1, units);
            int n = padding + units;
            long hi = timeoutNanos == 0 ? tryClaimSlow(n) : next(n, left);
            if (hi < 0 || messages.padding(hi - n + 1, units) == padding) {
                return begun(hi, padding, units);
            }
            abortClaimed(
                    hi - n + 1, hi); // the idle strategy has claimed by this producer meanwhile: it begins elsewhere
            if (limited) {
                left = timeoutNanos - (System.nanoTime() - started); // over: it is granted only what there is room for
            }
        }
    }

    @Override
    public long blockIfRoom(int units) {
        int padding = messages.padding(claimed + 1, units);
        long hi = claimSlowNoInline(padding + units, 0, LESS_ROOM, STEPS_NO_INLINE);
        return hi == LESS_ROOM ? FULL : begun(hi, padding, units);
    }

    @Override
    public AbstractProducer<Messages> producer() {
        return this;
    }

    private long begun(long hi, int padding, int units) {
        if (hi < 0) {
            return hi;
        }
        long first = hi - units + 1;
        if (padding > 0) {
            messages.pad(first - padding, first - 1);
        }
        return first;
    }

    @Override
    public long openBlock() {
        long first = known + 1;
        if (first > claimed) {
            return -1;
        }
        return messages.firstOf(first, claimed);
    }

    @Override
    public void publishBlock() {
        publishClaimed(known + 1, claimed);
    }

    @Override
    public void abortBlock() {
        abortClaimed(known + 1, claimed);
    }

    @Override
    public boolean isOpenUpTo(long hi) {
        return hi == claimed && known < hi;
    }

    @Override
    public boolean isOvertaken() {
        return false;
    }

    @Override
    public void padAgain() {
        if (known + 1 < openBlock()) {
            messages.pad(known + 1, openBlock() - 1);
        }
    }

    @Override
    Messages slot(long sequence) {
        return messages;
    }

    @Override
    long published() {
        return known;
    }

    @Override
    void store(long lo, long hi) {
        cursor.setRelease(hi); // release: publishes the records to the consumers' acquire in CursorBarrier
        known = hi; // behind it: what a stack overflow keeps from being published stays open
    }

    @Override
    void abortClaimed(long lo, long hi) {
        messages.pad(lo, hi);
        publishClaimed(lo, hi);
    }

    @Override
    void checkNoOpenClaim() {
        if (known < claimed) {
            checkOwner(); // first: another thread learns of its mistake, and nothing on the owner's behalf
            if (!learnOfLoss()) {
                throw MessageClaims.stillOpen(known + 1, claimed);
            }
        }
    }

    @Override
    void checkWaitedFor(long tooLate) {
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
            known = claimed;
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
            boolean aborts = !isClosed() && first >= lo && first <= hi && tracked.abortIfOpen(first);
            if (tracked.isLost()) {
                padLost();
            }
            return aborts ? claimed - known : 0;
        }
    }

    /** Publishes the claim that was aborted on its behalf, as padding; again if that was cut off. Under the ring's recovery lock. */
    private void padLost() {
        if (cursor.getAcquire() < claimed) { // acquire: with the release below, which was perhaps another thread's
            messages.pad(known + 1, claimed);
            cursor.setRelease(
                    claimed); // release: the record of padding; the owner publishes nothing before it has learnt
        }
        ring.wakeUps.signal();
    }

    @Override
    long openClaimCount() {
        learnOfLoss();
        return super.openClaimCount();
    }

    @Override
    public void close() {
        synchronized (ring.recovery) {
            if (!isClosed()) {
                checkMayClose();
                learnOfLoss();
                super.close();
            }
            if (tracked != null) {
                tracked.forget(); // aborted by now: neither to be committed nor to be aborted again
            }
        }
    }
}
