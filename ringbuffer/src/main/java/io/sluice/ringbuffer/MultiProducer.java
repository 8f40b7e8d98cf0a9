package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.access.ClaimRace;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * One of many producers. A claim moves the ring's ClaimWord by CAS, and only after room for it is known. So a producer that waits
 * owns nothing, and can be timed out, interrupted or refused. `limit` is this producer's own copy of (minimum of the gating
 * sequences when last read) + capacity. It is never ahead of the true one.
 *
 * Publication is a stamp for each slot: see Stamps. `lastLoss` is for ClaimRace.
 *
 * Where nobody gates, other producers may overtake a producer by a lap. Its late stamp must not take their stamps back. So producers
 * stamp forward there, by CAS. A producer learns that nobody gates when it refreshes its limit: before its first claim, if nobody ever
 * has. If the last consumer leaves later, the first producer that learns of it tells all others, before it overtakes any of them. One
 * case stays: a producer reads `stamps` before it is told, and writes its stamp after it was overtaken. Its slot counts as open until
 * it is published again.
 *
 * `open` counts this producer's sequences that are neither published nor aborted. [from, to] is its last claim. `earlier` keeps the
 * claims before it that were still open then, also those published since, until none is open. A sequence a capacity below the last claim
 * is published, since consumers have passed it: a full record forgets it. So a producer that always has a claim open keeps no more ranges
 * than slots. Where nobody gates, such a sequence may still be open. There the record keeps open sequences only: a range that is settled
 * beside other open claims is taken off, and if `keptTo` is `to`, the record has the last claim too.
 *
 * A search for the owner of an open claim reads `from`, `to` and `open` while they are written: a hint. Once Thread.isAlive says that
 * the thread has ended, all that it did is visible. From then on the same fields and `earlier` are exact.
 */
abstract class MultiProducerBefore<E> extends AbstractProducer<E> {
    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;

    MultiProducerBefore(ObjectRing<E> ring) {
        super(ring);
    }
}

abstract class MultiProducerFields<E> extends MultiProducerBefore<E> {
    long limit = -1;
    long from;
    long to = -1;
    long keptTo = -2;
    long open;
    long lastLoss;

    MultiProducerFields(ObjectRing<E> ring) {
        super(ring);
    }
}

abstract class MultiProducerAfter<E> extends MultiProducerFields<E> {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    MultiProducerAfter(ObjectRing<E> ring) {
        super(ring);
    }
}

/** See the overview above. */
abstract class MultiProducer<E> extends MultiProducerAfter<E> {
    /** A ring whose producers may overtake one another where nobody gates. */
    interface Overtaking {
        /**
         * Producers may overtake one another from now on. Called by a producer before the first claim that it makes without consumers, so
         * before it overtakes anybody.
         *
         * @param own the stamps by which it publishes now
         * @return the stamps by which it is to publish
         */
        Stamps nobodyGates(Stamps own);
    }

    final Sequence claims;

    /** Read plain: see the overview above. Others write it, too, once: when nobody gates any more. */
    Stamps stamps;

    final @Nullable SignalGroup signals;
    final OpenClaims earlier = new OpenClaims();

    MultiProducer(ObjectRing<E> ring, Sequence claims, Stamps stamps) {
        super(ring);
        this.claims = claims;
        this.stamps = stamps;
        this.signals = ring.signals;
        stamps.isStamped(0); // links what an abort calls: there may be no memory for that then
    }

    @Override
    public long next(int n) {
        long hi = claimFast(n);
        return hi >= 0 ? hi : claimSlow(n);
    }

    @Override
    public long tryNext(int n) {
        long hi = claimFast(n);
        return hi >= 0 ? hi : tryClaimSlow(n);
    }

    @Override
    long claimFast(int n) {
        assert ownedByCaller();
        for (; ; ) {
            long word = claims.getOpaque(); // opaque: the CAS decides
            long next = ClaimWord.next(word);
            long hi = next + n - 1; // beyond the limit if n is above the capacity: limit < next + capacity
            if (n < 1 || hi > limit || open != 0 || ClaimWord.isClosed(word)) {
                return -1;
            }
            if (claims.compareAndSet(word, ClaimWord.open(hi + 1))) { // CAS: unique, gapless, after room is known
                open = n;
                from = next;
                to = hi;
                return hi;
            }
            lastLoss = ClaimRace.lost(lastLoss);
        }
    }

    @Override
    long claim(int n, long timeoutNanos, long tooLate) {
        checkOwner();
        boolean waited = false;
        long started = 0;
        for (; ; ) {
            long word = claims.getAcquire(); // acquire: what CLOSED came with is visible to the refusal
            if (ClaimWord.isClosed(word) || isClosed()) {
                return ring.refusalCode();
            }
            long next = ClaimWord.next(word);
            long hi = lastOf(next, n);
            if (hi > limit) {
                refreshLimit(next);
                if (hi > limit) {
                    if (isClosed()) {
                        continue; // by another thread, before this one was bound to it
                    }
                    if (!waited && timeoutNanos != 0) { // who does not wait needs no clock
                        started = System.nanoTime();
                    }
                    long result = waitForRoom(hi, !waited, started, timeoutNanos, tooLate);
                    if (result != 0) {
                        return result;
                    }
                    waited = true;
                    continue;
                }
            }
            if (waited) {
                checkWaitedFor();
            }
            if (open != 0) {
                keepLast(); // before the claim, since it may find no memory, or no stack
            }
            if (claims.compareAndSet(word, ClaimWord.open(hi + 1))) { // CAS: unique, gapless, after room is known
                // no call before it is on record: the stack may end, and nobody else would give it up
                open += hi - next + 1;
                from = next;
                to = hi;
                return waited ? endWait(next, hi) : hi;
            }
            lastLoss = ClaimRace.lost(lastLoss);
        }
    }

    /** Refuses a claim that has waited, if its producer was used meanwhile so that it cannot be granted. */
    void checkWaitedFor() {}

    /**
     * There is room, and the claim is on record. If the user's idle strategy throws now, nobody else would give the claim up.
     *
     * @return the end of the claim; the reason of a refusal if that strategy has closed this producer, which has aborted the claim
     */
    private long endWait(long lo, long hi) {
        try {
            stallEnded();
        } catch (Throwable t) {
            abortAfter(t, lo, hi);
            throw t;
        }
        return isClosed() ? ring.refusalCode() : hi;
    }

    /** The end of a claim of `n` that begins with `next`. */
    long lastOf(long next, int n) {
        return next + n - 1;
    }

    @Override
    public long tryNextUpTo(int n) {
        checkCount(n);
        for (; ; ) {
            long next = ClaimWord.next(claims.getOpaque()); // opaque: a hint for the size of the claim
            if (limit - next + 1 < n) {
                refreshLimit(next);
            }
            long room = limit - next + 1;
            long result = claim((int) Math.max(1, Math.min(n, room)), 0, room <= 1 ? FULL : LESS_ROOM);
            if (result != LESS_ROOM) {
                return result;
            }
        }
    }

    private void refreshLimit(long next) {
        limit = newLimit(next - 1);
        if (isClosed()) { // it finds no room: its fast path asks the limit only
            limit = -1;
        } else if (ring.gating.size() == 0) {
            stamps = ((Overtaking) ring).nobodyGates(stamps);
        }
    }

    /** Others may overtake this producer from now on. Any thread. */
    final void publishBy(Stamps forward) {
        STAMPS.setOpaque(this, forward); // opaque: its fields are final; see the overview above
    }

    /** Keeps the last claim among the earlier ones. If no claim follows, it stands there and still is the last one. */
    private void keepLast() {
        if (keptTo != to && earlier.highest() != to) {
            earlier.makeRoom(ring.gating.size() == 0 ? Long.MIN_VALUE : lowestPossible());
            earlier.add(from, to);
        }
    }

    /** A range is settled while other claims are open. Once others have overtaken it, its stamps no longer tell that it is settled. */
    final void settledBesideOthers(long lo, long hi) {
        if (ring.gating.size() == 0) {
            keepLast();
            keptTo = to;
            earlier.remove(lo, hi);
        }
    }

    @Override
    public long claimedFrom() {
        return from;
    }

    @Override
    public final void publish(long sequence) {
        assert ownedByCaller();
        if (!holds(sequence)) {
            checkOpen("publish", sequence, sequence); // says what is wrong with it
        }
        if (abortCutOff) {
            unmarkOpen();
        }
        publishClaimed(sequence, sequence);
    }

    @Override
    public void publish(long lo, long hi) {
        checkOpen("publish", lo, hi);
        if (abortCutOff) {
            unmarkOpen();
        }
        publishClaimed(lo, hi);
    }

    @Override
    public void abort(long lo, long hi) {
        checkOwner();
        checkOpen("abort", lo, hi);
        abortClaimed(lo, hi);
    }

    @Override
    void publishClaimed(long lo, long hi) {
        if ((open -= hi - lo + 1) < 0) {
            mindMiscount(lo, hi);
        }
        long sequence = lo;
        try {
            for (; sequence <= hi; sequence++) {
                stamps.stamp(sequence);
            }
        } catch (Throwable t) { // as after a stack overflow: what is not published stays open
            open += hi - sequence + 1;
            ring.wakeUps.owed = true; // a store, which takes no stack; for what is published
            throw t;
        }
        try {
            if (open == 0) {
                earlier.clear();
            } else {
                settledBesideOthers(lo, hi);
            }
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
        if (!isAllThatIsOpen(lo, hi)) {
            checkNotUsedWithin(lo, hi); // others are open too, or the translator has used this producer
        }
        publishClaimed(lo, hi);
    }

    private boolean isAllThatIsOpen(long lo, long hi) {
        return open == hi - lo + 1 && to == hi && earlier.isEmpty();
    }

    private void checkNotUsedWithin(long lo, long hi) {
        if (isClosed() || areStillOpen(lo, hi)) { // closed: refused by the publication
            return;
        }
        checkOwner(); // another thread learns of its mistake, not of what it has led to
        for (long sequence = lo; sequence <= hi; sequence++) {
            if (isStillOpen(sequence)) {
                publishClaimed(sequence, sequence);
            }
        }
        throw TranslatorCall.settledWithin(lo, hi);
    }

    @Override
    void abortStillOpen(long lo, long hi) {
        if (isAllThatIsOpen(lo, hi) || areStillOpen(lo, hi)) {
            abortClaimed(lo, hi);
            return;
        }
        for (long sequence = lo; sequence <= hi; sequence++) {
            if (isStillOpen(sequence)) {
                abortClaimed(sequence, sequence);
            }
        }
    }

    private boolean areStillOpen(long lo, long hi) {
        boolean all = true;
        for (long sequence = lo; all && sequence <= hi; sequence++) {
            all = isStillOpen(sequence);
        }
        return all;
    }

    private boolean isStillOpen(long sequence) {
        return holds(sequence) || (open != 0 && isClaimed(sequence, sequence) && isOvertaken(sequence));
    }

    /** Whether others may have claimed its slot again, where nobody gates: then its stamp does not tell whether it is open. */
    final boolean isOvertaken(long sequence) {
        return ring.gating.size() == 0
                && ClaimWord.next(claims.getAcquire()) - sequence
                        > ring.capacity; // acquire: not before the stamp is read
    }

    /**
     * More is published than is open only if a translator has closed its producer, or two threads have used this one: at once, or one went
     * on with it after the other had ended and its claims were aborted.
     */
    private void mindMiscount(long lo, long hi) {
        open = 0;
        earlier.clear();
        checkOwner(); // before the stamps: the slots may be others' by now
        if (isClosed()) {
            throw TranslatorCall.closedWithin(lo, hi); // before the stamps, as above
        }
    }

    /** Makes open sequences publishable again, though an abort of them was cut off. */
    private void unmarkOpen() {
        for (long sequence = lowestOpen(); sequence <= to; sequence++) {
            if (holds(sequence)) {
                ring.aborts.unmark(sequence);
            }
        }
        abortCutOff = false;
    }

    void checkOpen(String call, long lo, long hi) {
        assert ownedByCaller();
        boolean claimed = lo <= hi && hi - lo < open && isClaimed(lo, hi);
        for (long sequence = lo; claimed && sequence <= hi; sequence++) {
            claimed = !stamps.isStamped(sequence) || isOvertaken(sequence);
        }
        if (!claimed) {
            checkOwner(); // another thread learns of its mistake, not of what it has led to
            throw badRange(call, lo, hi, open == 0 ? "none, since nothing is claimed" : "open claims: " + openClaims());
        }
    }

    /** Whether a range lies in the last claim, in earlier claims that adjoin, or reaches from those into the last. */
    final boolean isClaimed(long lo, long hi) {
        if (hi < from || keptTo == to) {
            return earlier.contains(lo, hi);
        }
        return hi <= to && (lo >= from || earlier.contains(lo, from - 1));
    }

    final OpenClaims openClaims() {
        OpenClaims all = new OpenClaims();
        earlier.forEach((lo, hi) -> addUnstamped(all, lo, Math.min(hi, from - 1)));
        addUnstamped(all, from, to);
        return all;
    }

    private void addUnstamped(OpenClaims all, long lo, long hi) {
        for (long sequence = Math.max(lo, lowestPossible()); sequence <= hi; sequence++) {
            if (!stamps.isStamped(sequence)) {
                all.add(sequence, sequence);
            }
        }
    }

    /** The lowest sequence that may be open. The slots of all lower ones have been claimed again. */
    final long lowestPossible() {
        return to - ring.capacity + 1;
    }

    /** How many earlier claims are on record; for tests. */
    int openClaimRecords() {
        return earlier.ranges();
    }

    @Override
    long lowestOpen() {
        if (open == 0) {
            return NO_LIMIT;
        }
        long sequence = Math.max(earlier.isEmpty() ? from : earlier.lowest(), lowestPossible());
        while (stamps.isStamped(sequence) || (sequence < from && !earlier.contains(sequence, sequence))) {
            sequence++; // ends: one is open
        }
        return sequence;
    }

    @Override
    void checkNoOpenClaim() {
        // claims of many producers are published in any order
    }

    @Override
    public void close() {
        synchronized (ring.recovery) { // by its thread, or, once that has ended, by whoever comes first
            if (!isClosed()) {
                checkMayClose();
                if (open != 0) {
                    openClaims().forEach(this::abortClaimed);
                    open = 0; // also what others have overtaken
                    earlier.clear();
                }
                limit = -1; // so that the next claim takes the slow path, which refuses it
                markClosed();
            }
            ring.producerClosed(this); // also where an earlier call was cut off before it
        }
    }

    @Override
    long openClaimCount() {
        return open;
    }

    // for the search for the owner of an open claim

    /** Whether it holds a sequence open. Its thread, or once that has ended. */
    final boolean holds(long sequence) {
        return open != 0 && isClaimed(sequence, sequence) && !stamps.isStamped(sequence);
    }

    /** Whether a sequence is in its last claim: a hint, since the thread may be claiming now. */
    final boolean seemsToHold(long sequence) {
        return (long) FROM.getOpaque(this) <= sequence // opaque: a hint; two fields that need not fit together
                && sequence <= (long) TO.getOpaque(this);
    }

    /** How many sequences it has open: a hint, as above. */
    final long openSeen() {
        return (long) OPEN.getOpaque(this); // opaque: a hint
    }

    /** Where its last claim begins: a hint, as above. */
    final long lastClaimSeen() {
        return (long) FROM.getOpaque(this); // opaque: a hint
    }

    private static final VarHandle STAMPS =
            VarHandles.field(MethodHandles.lookup(), MultiProducer.class, "stamps", Stamps.class);
    private static final VarHandle FROM =
            VarHandles.field(MethodHandles.lookup(), MultiProducerFields.class, "from", long.class);
    private static final VarHandle TO =
            VarHandles.field(MethodHandles.lookup(), MultiProducerFields.class, "to", long.class);
    private static final VarHandle OPEN =
            VarHandles.field(MethodHandles.lookup(), MultiProducerFields.class, "open", long.class);
}
