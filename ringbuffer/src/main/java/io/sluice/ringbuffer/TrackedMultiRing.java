package io.sluice.ringbuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/*
 * A ring for any number of producers that tracks claims: a slot is published by a CAS of its stamp, and can be aborted by
 * another than its owner.
 *
 *   stamp of the slot of sequence s, in lap L
 *
 *     below L  --owner: CAS-->                       L      published
 *     below L  --whoever aborts: CAS-->  ABORTING(L) --release-->  L      aborted: a new event and the abort mark come before
 *
 * Both CAS from the same word, so exactly one of publication and abort wins. ABORTING(L) is L with its highest bit turned: to
 * a consumer a stamp of another lap, to a late owner not open any more. Aborts by others than the owner hold `recovery`.
 *
 *   owners    one a slot, written by the claimer behind its claim: the sequence, and the number of its producer; so that who
 *             looks for the owner of an open sequence finds it, or finds that its thread stands within the claim
 */
final class TrackedMultiRing<E> extends MultiProducerRing<E> {
    private static final VarHandle OWNER = MethodHandles.arrayElementVarHandle(long[].class);

    /** A stamp so far behind is none of an earlier lap. */
    private static final int NOT_BEHIND = 1 << 30;

    /** How many bits of a claim's word tell its producer; the rest is of its sequence. */
    private static final int NUMBER_BITS = 20;

    private static final int MOST_PRODUCERS = 1 << NUMBER_BITS;

    private final long[] owners;
    private final ReplaceableSlots events = new ReplaceableSlots(slots);

    // under the lock `setup`
    private final List<@Nullable TrackedMultiProducer<E>> numbered = new ArrayList<>();

    TrackedMultiRing(RingBuffer.Builder<E> builder) {
        super(builder);
        owners = new long[builder.capacity];
        aborts.allocate(); // so that nothing can fail between the two steps of an abort
    }

    // the stamps

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
     * Aborts a slot, unless it is published.
     *
     * @param fresh the event to put into it, null to keep the one that is there
     */
    boolean abortIfOpen(long sequence, @Nullable Object fresh) {
        int lap = lap(sequence);
        if (!takeIfOpen(sequence, aborting(lap))) {
            return false;
        }
        if (fresh != null) {
            events.replace(sequence, fresh);
        }
        aborts.mark(sequence, sequence); // before the publication, whose acquire makes the mark visible
        STAMP.setRelease(stamps, index(sequence), lap); // release: the mark and the event, to available()
        return true;
    }

    /** The event of a slot, to be followed by {@link #isOpen}: if that still holds, the slot was not given to another. */
    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    E event(long sequence) {
        return (E) events.event(sequence); // acquire inside
    }

    @Override
    boolean isStamped(long sequence) {
        int stamp = (int) STAMP.getAcquire(stamps, index(sequence)); // acquire: with stampIfOpen() and abortIfOpen()
        int lap = lap(sequence);
        return !isOpen(stamp, lap) && stamp != aborting(lap);
    }

    private int index(long sequence) {
        return (int) sequence & (slots.length - 1);
    }

    // who has claimed what

    @Override
    MultiProducer<E> newProducer() {
        int number = numbered.indexOf(null);
        if (number < 0) {
            number = numbered.size();
            if (number == MOST_PRODUCERS) {
                throw new IllegalStateException("a ring that tracks claims must have at most " + MOST_PRODUCERS
                        + " producers, but " + number + " are open");
            }
            numbered.add(null);
        }
        TrackedMultiProducer<E> producer = new TrackedMultiProducer<>(this, number);
        numbered.set(number, producer);
        return producer;
    }

    @Override
    void forget(MultiProducer<E> producer) {
        super.forget(producer);
        int at = numbered.indexOf(producer);
        if (at >= 0) { // else it was forgotten before it was closed
            numbered.set(at, null);
        }
    }

    /** Says who has claimed a range. The claimer, behind its claim. */
    void claimed(long lo, long hi, int number) {
        for (long sequence = lo; sequence <= hi; sequence++) {
            OWNER.setRelease(owners, index(sequence), ownerWord(sequence, number)); // release: the claim comes before
        }
    }

    private static long ownerWord(long sequence, int number) {
        return (sequence + 1) << NUMBER_BITS | number; // plus 1: no claim has the word of an unused slot
    }

    private boolean isClaimedBy(long sequence, int number) {
        return (long) OWNER.getAcquire(owners, index(sequence)) // acquire: with the claim
                == ownerWord(sequence, number);
    }

    @Override
    @Nullable
    MultiProducer<E> ownerOf(long sequence) {
        long word = (long) OWNER.getAcquire(owners, index(sequence)); // acquire: with the claim
        int number = (int) word & (MOST_PRODUCERS - 1);
        return word == ownerWord(sequence, number) && number < numbered.size() ? numbered.get(number) : null;
    }

    @Override
    boolean isOpenClaimOf(@Nullable MultiProducer<E> owner, long sequence) {
        return owner instanceof TrackedMultiProducer<E> tracked
                && isClaimedBy(sequence, tracked.number)
                && !isStamped(sequence);
    }

    // aborting in the owner's stead

    @Override
    boolean tracksClaims() {
        return true;
    }

    @Override
    long abortInStead(AbstractProducer<?> owner, long lo, long hi) {
        TrackedMultiProducer<?> loser = (TrackedMultiProducer<?>) owner;
        long aborted = 0;
        for (long sequence = lo; sequence <= hi; sequence++) {
            Object fresh = newEvent(); // the user's code: before the lock, and before anything is changed
            synchronized (recovery) {
                if (!loser.isClosed() && isClaimedBy(sequence, loser.number) && abortIfOpen(sequence, fresh)) {
                    loser.lose(sequence);
                    aborted++;
                }
            }
        }
        if (aborted > 0 && signals != null) {
            signals.signal();
        }
        return aborted;
    }
}
