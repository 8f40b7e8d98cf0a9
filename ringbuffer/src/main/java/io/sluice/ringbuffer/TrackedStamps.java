package io.sluice.ringbuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * The publications of a ring with many producers that tracks claims: a slot is published by a CAS of its stamp, and an aborter, another
 * thread than its owner, can abort it.
 *
 *   stamp of the slot of sequence s, in lap L
 *
 *     below L  --owner: CAS-->                               L      published
 *     below L  --aborter: CAS-->  ABORTING(L)  --release-->  L      aborted: a new event and the abort mark come before
 *
 * Both CAS from the same word, so exactly one of publication and abort wins, for good. ABORTING(L) is L with its highest bit turned: to
 * a consumer a stamp of another lap, to a late owner not open any more. Each thread that aborts holds the ring's recovery lock, the owner
 * too. So ABORTING, seen under that lock, is an abort that was cut off, as by a stack overflow. The finder finishes it.
 *
 *   owners    one a slot, written by the claimer behind its claim: the sequence, and the number of its producer. A look
 *             for the owner of an open sequence finds it, or finds that its thread stands within the claim
 */
final class TrackedStamps extends ArrayStamps {
    private static final VarHandle OWNER = MethodHandles.arrayElementVarHandle(long[].class);

    /** Claims of a producer that were aborted without a call of its own, or in one that was cut off. Under the recovery lock. */
    static final class Losses {
        private final OpenClaims lost = new OpenClaims();
        private long unlearnt; // what it has aborted itself, too

        private void add(long sequence) {
            if (!lost.contains(sequence, sequence)) {
                lost.add(sequence, sequence);
            }
        }

        boolean contains(long sequence) {
            return lost.contains(sequence, sequence);
        }

        /** How many claims are not open any more since the last call. */
        long learn() {
            long learnt = unlearnt;
            unlearnt = 0;
            return learnt;
        }
    }

    /** A stamp so far behind is none of an earlier lap. */
    private static final int NOT_BEHIND = 1 << 30;

    /** How many bits of a claim's word tell its producer; the rest is of its sequence. */
    private static final int NUMBER_BITS = 20;

    static final int MOST_PRODUCERS = 1 << NUMBER_BITS;

    private final long[] owners;
    private final ReplaceableSlots events;
    private final SlotMarks aborts;

    // under the recovery lock: the abort under way, and its owner's losses; null if there is nothing to finish
    private long aborted;
    private @Nullable Object fresh;
    private @Nullable Losses loser;

    TrackedStamps(Object[] slots, SlotMarks aborts) {
        super(slots.length);
        this.owners = new long[slots.length];
        this.events = new ReplaceableSlots(slots);
        this.aborts = aborts;
    }

    private static boolean isOpen(int stamp, int lap) {
        int behind = lap - stamp;
        return behind > 0 && behind < NOT_BEHIND;
    }

    private static int aborting(int lap) {
        return lap ^ Integer.MIN_VALUE;
    }

    /** Whether a claimed sequence can still be published. */
    boolean isOpen(long sequence) {
        int stamp = (int) STAMP.getAcquire(stamps, index(sequence)); // acquire: after the event was read, see event()
        return isOpen(stamp, lap(sequence));
    }

    /** These stamps are written by CAS anyway, and only while the slot is open. */
    @Override
    Stamps forward() {
        return this;
    }

    /** Publishes a slot, unless it is aborted. */
    boolean stampIfOpen(long sequence) {
        return takeIfOpen(sequence, lap(sequence));
    }

    private boolean takeIfOpen(long sequence, int next) {
        int lap = lap(sequence);
        int at = index(sequence);
        int stamp = (int) STAMP.getAcquire(stamps, at); // acquire: the CAS decides
        while (isOpen(stamp, lap)) {
            if (STAMP.compareAndSet(stamps, at, stamp, next)) { // CAS: one of publication and abort; publishes the slot
                return true;
            }
            stamp = (int) STAMP.getAcquire(stamps, at); // acquire: a ring without consumers may be laps ahead
        }
        return false;
    }

    /**
     * Aborts a slot, unless it is published. Under the recovery lock.
     *
     * @param newEvent the event to put into it, null to keep the one that is there: the owner aborts
     * @param owner counts it among its losses
     */
    boolean abortIfOpen(long sequence, @Nullable Object newEvent, Losses owner) {
        finishAbort();
        owner.lost.makeRoom(sequence - stamps.length + 1); // before the decision: it may find no memory
        aborted = sequence;
        fresh = newEvent;
        loser = owner;
        if (!takeIfOpen(sequence, aborting(lap(sequence)))) {
            loser = null;
            return false;
        }
        finish(owner, newEvent != null);
        return true;
    }

    /** Does the rest of an abort that was cut off. Returns whether there was one. Under the recovery lock. */
    boolean finishAbort() {
        Losses owner = loser;
        if (owner == null) {
            return false;
        }
        finish(owner, true);
        return true;
    }

    /** May be cut off anywhere, and called again. */
    private void finish(Losses owner, boolean unknownToOwner) {
        long sequence = aborted;
        int lap = lap(sequence);
        int at = index(sequence);
        if (stamps[at] == aborting(lap)) { // plain: set under this lock
            aborts.mark(sequence, sequence); // before the publication, whose acquire makes the mark visible
            if (fresh != null) {
                events.replace(sequence, fresh);
            }
            if (unknownToOwner) {
                owner.add(sequence);
            }
            STAMP.setRelease(stamps, at, lap); // release: the mark and the event, to available()
            owner.unlearnt++; // takes no stack: counted once
        }
        loser = null;
    }

    /** The event of a slot, to be followed by {@link #isOpen(long)}: if that still holds, the slot was not given to another. */
    Object event(long sequence) {
        return events.event(sequence); // acquire inside
    }

    @Override
    boolean isStamped(long sequence) {
        int stamp = (int) STAMP.getAcquire(stamps, index(sequence)); // acquire: with stampIfOpen() and abortIfOpen()
        int lap = lap(sequence);
        return !isOpen(stamp, lap) && stamp != aborting(lap);
    }

    // the owners of claims

    /** Records the claimer of a range. Called by the claimer, behind its claim. */
    void claimed(long lo, long hi, int number) {
        for (long sequence = lo; sequence <= hi; sequence++) {
            OWNER.setRelease(owners, index(sequence), ownerWord(sequence, number)); // release: the claim comes before
        }
    }

    private static long ownerWord(long sequence, int number) {
        return (sequence + 1) << NUMBER_BITS | number; // plus 1: no claim has the word of an unused slot
    }

    boolean isClaimedBy(long sequence, int number) {
        return (long) OWNER.getAcquire(owners, index(sequence)) // acquire: with the claim
                == ownerWord(sequence, number);
    }

    /** The number of the producer that has claimed a sequence; -1 if its thread stands within the claim. */
    int ownerNumber(long sequence) {
        long word = (long) OWNER.getAcquire(owners, index(sequence)); // acquire: with the claim
        int number = (int) word & (MOST_PRODUCERS - 1);
        return word == ownerWord(sequence, number) ? number : -1;
    }
}
