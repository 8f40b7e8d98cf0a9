package io.sluice.ringbuffer;

import io.sluice.core.LifeCycle;
import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * The one producer of a ring: nobody else claims or publishes, so the claim state is plain fields of its thread.
 *
 *   cursor <= claimed <= limit = (minimum of the gating sequences when last read) + capacity
 *
 * A claim moves `claimed` up to `limit`. Once it reaches `limit`, acquire reads of the gating sequences refresh it. A publication
 * stores the cursor with release; consumers acquire the cursor. [rangeFrom, rangeTo] is the last claim of more than one.
 *
 * The cursor is also this producer's own memory of what it has published. Stores leave a core in their order, and wait for the
 * lines of slots that come back from the consumer. So one store more for each event holds up those behind it. In a small ring most
 * stores wait; large rings have a CachedCursorProducer instead.
 *
 * `claimed` is written opaque: monitors read it, and so does drain after an acknowledged refusal. The fields stand alone on
 * their cache lines. Monitors read `claimed` now and then, nobody else reads the others.
 */
abstract class SingleProducerBefore<E> extends AbstractProducer<E> {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;

    SingleProducerBefore(ObjectRing<E> ring) {
        super(ring);
    }
}

abstract class SingleProducerFields<E> extends SingleProducerBefore<E> {
    long claimed;
    long limit;
    long rangeFrom;
    long rangeTo;
    long known; // what this producer knows to be published, if it does not ask the cursor
    boolean acknowledged;

    SingleProducerFields(ObjectRing<E> ring) {
        super(ring);
    }
}

abstract class SingleProducerAfter<E> extends SingleProducerFields<E> {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    SingleProducerAfter(ObjectRing<E> ring) {
        super(ring);
    }
}

/** See the overview above. */
abstract class SingleProducer<E> extends SingleProducerAfter<E> {
    private final LifeCycle life;
    final Sequence cursor;
    final @Nullable SignalGroup signals;

    /** True only if nobody is to be signalled, no abort was cut off, and it is open: one check for all, at each publication. */
    private boolean storesOnly;

    /** Takes over where the last producer of the ring ended. By one thread at a time. */
    SingleProducer(ObjectRing<E> ring, Sequence cursor) {
        super(ring);
        this.life = ring.life;
        this.cursor = cursor;
        this.signals = ring.signals;
        this.storesOnly = signals == null;
        this.claimed = cursor.getAcquire(); // acquire: the last producer released it when it closed
        this.rangeTo = claimed; // so that claimedFrom() is 0 before the first claim
        this.limit = claimed; // so that the first claim takes the slow path, which binds the thread
    }

    @Override
    public long next(int n) {
        long hi = claimed + n;
        if (!isGranted(n, hi)) {
            return claimSlow(n);
        }
        grant(hi, n);
        return hi;
    }

    @Override
    public long tryNext(int n) {
        long hi = claimed + n;
        if (!isGranted(n, hi)) {
            return tryClaimSlow(n);
        }
        grant(hi, n);
        return hi;
    }

    @Override
    long claimFast(int n) {
        long hi = claimed + n;
        if (!isGranted(n, hi)) {
            return -1;
        }
        grant(hi, n);
        return hi;
    }

    /** Whether nothing stands against a claim. The limit is never beyond claimed + capacity, so n is not above the capacity. */
    private boolean isGranted(int n, long hi) {
        assert ownedByCaller();
        return n >= 1 && hi <= limit && life.isRunning();
    }

    @Override
    long claim(int n, long timeoutNanos, long tooLate) {
        checkOwner();
        bindOwner(); // before the ring's state is read: without an owner, drain takes it for one that never claims
        long refused = refused();
        if (refused != 0) {
            return refused;
        }
        refreshLimit();
        boolean waited = false;
        long started = 0;
        for (; ; ) {
            long hi = claimed + n; // anew: the idle strategy may have claimed by this producer
            if (hi <= limit) {
                if (waited) {
                    stallEnded(); // before the claim: what the user's idle strategy throws leaves nothing open
                    refused = refused(); // that may have closed this producer
                    if (refused != 0) {
                        return refused;
                    }
                    checkWaitedFor(tooLate);
                    if (hi != claimed + n) {
                        refreshLimit();
                        continue;
                    }
                }
                grant(hi, n);
                return hi;
            }
            if (!waited && timeoutNanos != 0) { // who does not wait needs no clock
                started = System.nanoTime();
            }
            refused = waitForRoom(hi, !waited, started, timeoutNanos, tooLate);
            if (refused == 0) {
                refused = refused();
            }
            if (refused != 0) {
                return refused;
            }
            waited = true;
            refreshLimit();
        }
    }

    /** Refuses a claim that has waited, if its producer was used in the wait so that it cannot be granted any more. */
    void checkWaitedFor(long tooLate) {
        if (tooLate == TO_FILL) {
            checkNoOpenClaim();
        }
    }

    private void grant(long hi, int n) {
        if (n != 1) { // claims of one, which are the most, save two stores
            rangeFrom = claimed + 1;
            rangeTo = hi;
        }
        CLAIMED.setOpaque(this, hi); // opaque: a plain move; drain reads it once this producer is quiescent
    }

    /** 0 while claims are granted, else the reason of the refusal. A refusal makes this producer quiescent: it claims nothing after. */
    private long refused() {
        if (!isClosed()) {
            if (life.isRunning()) {
                return 0;
            }
            ACKNOWLEDGED.setRelease(this, true); // release: drain acquires it, and then sees the last claim
        }
        return ring.refusalCode();
    }

    private void refreshLimit() {
        limit = newLimit(claimed);
    }

    @Override
    public long tryNextUpTo(int n) {
        checkCount(n);
        long room = limit - claimed;
        if (room < n && !isClosed()) {
            refreshLimit();
            room = limit - claimed;
        }
        return tryNext((int) Math.max(1, Math.min(n, room)));
    }

    @Override
    public long claimedFrom() {
        return rangeTo == claimed ? rangeFrom : claimed;
    }

    @Override
    public final void publish(long sequence) {
        publish(sequence, sequence);
    }

    @Override
    public void publish(long lo, long hi) {
        checkNextInOrder("publish", lo, hi);
        if (storesOnly) {
            store(lo, hi);
            return;
        }
        if (abortCutOff) {
            unmarkOpen();
        }
        storesOnly = signals == null;
        publishClaimed(lo, hi);
    }

    @Override
    public void abort(long lo, long hi) {
        checkOwner();
        checkNextInOrder("abort", lo, hi);
        abortClaimed(lo, hi);
    }

    @Override
    void publishClaimed(long lo, long hi) {
        if (storesOnly) {
            store(lo, hi);
            return;
        }
        if (isClosed()) {
            throw TranslatorCall.closedWithin(lo, hi); // before the store: a successor may have published more
        }
        try {
            store(lo, hi);
            if (signals != null) {
                signals.signal();
            }
        } catch (Throwable t) {
            ring.wakeUps.owed = true; // a store, which takes no stack
            throw t;
        }
    }

    @Override
    void publishFilled(long lo, long hi) {
        if (storesOnly && hi == claimed) { // nothing was claimed behind it, so the cursor does not go back
            store(lo, hi);
            return;
        }
        publishStillOpen(lo, hi);
    }

    /** Publishes the open part of a filled claim, where more is claimed by now, consumers are to be signalled, or something was aborted. */
    private void publishStillOpen(long lo, long hi) {
        if (isClosed()) {
            publishClaimed(lo, hi); // which refuses it
            return;
        }
        long from = Math.max(lo, published() + 1);
        storesOnly = signals == null && !abortCutOff;
        if (from <= hi) {
            publishClaimed(from, hi);
        }
        if (from > lo) {
            checkOwner(); // another thread learns of its mistake, not of what it has led to
            throw TranslatorCall.settledWithin(lo, hi);
        }
    }

    @Override
    void abortStillOpen(long lo, long hi) {
        if (hi > published()) {
            abortClaimed(Math.max(lo, published() + 1), hi);
        }
    }

    /** Publishes, and wakes nobody. */
    void store(long lo, long hi) {
        cursor.setRelease(hi); // release: publishes the slots to the consumers' acquire in CursorBarrier
    }

    /** Leaves the next publication to the slow path, which finds out whether a translator has aborted its own claim. */
    @Override
    void abortClaimed(long lo, long hi) {
        storesOnly = false;
        super.abortClaimed(lo, hi);
    }

    /** Makes open sequences publishable again, though an abort of them was cut off. */
    private void unmarkOpen() {
        for (long sequence = published() + 1; sequence <= claimed; sequence++) {
            ring.aborts.unmark(sequence);
        }
        abortCutOff = false;
    }

    /** The highest sequence published. Its thread, or once that has ended. */
    long published() {
        return cursor.getPlain(); // plain: this thread writes it
    }

    final void checkNextInOrder(String call, long lo, long hi) {
        assert ownedByCaller();
        if (lo != published() + 1 || hi < lo || hi > claimed) {
            checkOwner(); // another thread learns of its mistake, not of what it has led to
            throw badRange(
                    call,
                    lo,
                    hi,
                    published() >= claimed
                            ? "none, since nothing is claimed"
                            : "lo " + (published() + 1) + ", hi from lo to " + claimed
                                    + ", in the order of the claims");
        }
    }

    @Override
    long lowestOpen() {
        return published() >= claimed
                ? NO_LIMIT
                : published() + 1; // above, if a successor of this closed one has published
    }

    @Override
    void checkNoOpenClaim() {
        if (published() < claimed) {
            checkOwner(); // another thread learns of its mistake, not of what it has led to
            throw new IllegalStateException("claims of a single producer must be published in order, but claims "
                    + (published() + 1) + " to " + claimed + " are open: publish or abort them first");
        }
    }

    @Override
    public void close() {
        synchronized (ring.recovery) { // by its thread, or, once that has ended, by whoever comes first
            if (isClosed()) {
                return;
            }
            checkMayClose();
            if (published() < claimed) {
                abortClaimed(published() + 1, claimed);
            }
            limit = claimed; // so that the next claim takes the slow path, which refuses it
            storesOnly = false; // so that a translator's return takes the slow path, which tells of it
            markClosed();
        }
    }

    @Override
    long openClaimCount() {
        return claimed - published();
    }

    /** The highest sequence claimed. Exact once the producer is quiescent. */
    long claimedOpaque() {
        return (long) CLAIMED.getOpaque(this); // opaque: made exact by the acquire in isQuiescent
    }

    /** Whether this producer will never claim again, although the ring could not stop it. Only after the end of RUNNING. */
    boolean isQuiescent() {
        Thread bound = owner();
        return isClosed()
                || (boolean) ACKNOWLEDGED.getAcquire(this) // acquire: with refused()
                || bound == null // its first claim, which binds it before it looks at the state, will be refused
                || bound == Thread.currentThread()
                || !bound.isAlive();
    }

    private static final VarHandle CLAIMED =
            VarHandles.field(MethodHandles.lookup(), SingleProducerFields.class, "claimed", long.class);
    private static final VarHandle ACKNOWLEDGED =
            VarHandles.field(MethodHandles.lookup(), SingleProducerFields.class, "acknowledged", boolean.class);
}
