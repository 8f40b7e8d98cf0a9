package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A ring for any number of producers: see {@link ClaimWord} and {@link Stamps}. */
class MultiProducerRing<E> extends ObjectRing<E> implements MultiProducer.Overtaking {
    private static final VarHandle PRODUCERS =
            VarHandles.field(MethodHandles.lookup(), MultiProducerRing.class, "producers", int.class);

    final Sequence claims = new Sequence(0);

    private final SequenceView cursor = this::highestPublished;
    final Stamps stamps;

    /** The stamps of producers that nobody gates; null before there are any. Written under the lock `setup`. */
    private @Nullable Stamps forward;

    // changed under the lock `setup`: how many are known
    private int producers;

    // under the lock `setup`
    private final List<MultiProducer<E>> known = new ArrayList<>();
    private int forgetAt = 1;

    MultiProducerRing(RingSettings<E> settings) {
        super(settings);
        stamps = newStamps();
    }

    /** Called by the constructor, once slots and marks are there. */
    Stamps newStamps() {
        return bytes == null ? new ArrayStamps(capacity) : new SlotStamps(bytes);
    }

    @Override
    void closeClaims() {
        long word = claims.getOpaque();
        while (!ClaimWord.isClosed(word)
                && !claims.compareAndSet(word, ClaimWord.closed(word))) { // CAS: orders the end among the claims
            word = claims.getOpaque(); // opaque: the CAS decides
        }
    }

    @Override
    public Producer<E> producer() {
        forgetEnded();
        checkRunning();
        MultiProducer<E> producer = newProducer(); // the user's code: not under a lock, or a close would wait for it
        synchronized (setup) {
            checkRunning(); // it may have ended meanwhile
            takeIn(producer);
            return producer;
        }
    }

    /** Called by any thread, without a lock. */
    MultiProducer<E> newProducer() {
        return ProducerSpecializer.multi(this, claims, stamps);
    }

    /** Adds a producer to the known ones. Under the lock `setup`. */
    void takeIn(MultiProducer<E> producer) {
        known.add(producer);
        PRODUCERS.setOpaque(this, known.size()); // opaque: for producersContend()
    }

    @Override
    void producerClosed(Producer<?> producer) {
        synchronized (setup) {
            forget(producer);
        }
    }

    @Override
    public final Stamps nobodyGates(Stamps own) {
        if (own == forward) { // plain: who has it has been told
            return own;
        }
        synchronized (setup) {
            Stamps all =
                    forward == null ? stamps.forward() : forward; // not before: its class would make every stamp dearer
            forward = all;
            for (int i = 0; i < known.size(); i++) {
                known.get(i).publishBy(all);
            }
            return all;
        }
    }

    /** Forgets producers that were not closed, and whose thread has ended with nothing open. Once their number has doubled. */
    private void forgetEnded() {
        synchronized (recovery) { // what was aborted in their stead is not open; this lock first, as whoever closes one
            synchronized (setup) {
                if (known.size() >= forgetAt) {
                    List<MultiProducer<E>> ended = new ArrayList<>(known);
                    ended.removeIf(producer -> !producer.hasEnded() || producer.openClaimCount() != 0);
                    ended.forEach(this::forget);
                    forgetAt = Math.max(1, 2 * known.size());
                }
            }
        }
    }

    /** Under the lock `setup`. */
    void forget(Producer<?> producer) {
        known.remove(producer);
        PRODUCERS.setOpaque(this, known.size()); // opaque: for producersContend()
    }

    /** The producers that are not closed, less those forgotten after the end of their thread. */
    final List<MultiProducer<E>> knownProducersNow() {
        synchronized (setup) {
            return List.copyOf(known);
        }
    }

    /** How many producers are known; for tests. */
    int knownProducers() {
        synchronized (setup) {
            return known.size();
        }
    }

    @Override
    public AbandonedClaim openClaimAt(long sequence, long stoodNanos) {
        synchronized (setup) {
            MultiProducer<E> owner = ownerOf(sequence);
            if (owner != null) {
                return openClaim(sequence, owner, List.of(Check.notNull(owner.owner(), "owner")), stoodNanos);
            }
            List<Thread> suspects = threads(producer -> producer.seemsToHold(sequence));
            return openClaim(
                    sequence,
                    null,
                    suspects.isEmpty() ? threads(producer -> producer.openSeen() != 0) : suspects,
                    stoodNanos);
        }
    }

    /** The owner of an open claim, if it is known for sure: here if its thread has ended. Under the lock `setup`. */
    @Nullable
    MultiProducer<E> ownerOf(long sequence) {
        for (MultiProducer<E> producer : known) {
            if (producer.hasEnded() && producer.holds(sequence)) {
                return producer;
            }
        }
        return null;
    }

    /** Whether a sequence belongs to the same claim, or an adjoining one of the same owner. */
    boolean isOpenClaimOf(@Nullable MultiProducer<E> owner, long sequence) {
        return owner == null ? !stamps.isStamped(sequence) : owner.holds(sequence);
    }

    private AbandonedClaim openClaim(
            long sequence, @Nullable MultiProducer<E> owner, List<Thread> threads, long stoodNanos) {
        long claimed = highestClaimed();
        long hi = sequence;
        while (hi < claimed && isOpenClaimOf(owner, hi + 1)) {
            hi++;
        }
        return claim(sequence, hi, owner, threads, stoodNanos);
    }

    private List<Thread> threads(Predicate<MultiProducer<E>> which) {
        List<Thread> threads = new ArrayList<>();
        for (MultiProducer<E> producer : known) {
            Thread thread = producer.owner();
            if (thread != null && thread.isAlive() && which.test(producer)) {
                threads.add(thread);
            }
        }
        return threads;
    }

    @Override
    public SequenceView cursor() {
        return cursor;
    }

    /**
     * The highest sequence up to which all is published: everything handled is, and the stamps tell how far it goes on without a
     * gap. A slot that is reused meanwhile counts as published, by its later stamp, so that the cursor never goes back.
     */
    private long highestPublished() {
        long claimed = highestClaimed();
        long handled = gating.minimum(Long.MAX_VALUE); // by one look at the list: the last consumer may leave
        return handled == Long.MAX_VALUE
                ? withoutConsumers(claimed)
                : stamps.highestStamped(Math.max(Math.min(handled, claimed), claimed - capacity) + 1, claimed);
    }

    /** The highest sequence up to which all is published, on a ring that nobody follows. */
    long withoutConsumers(long claimed) {
        return stamps.highestStamped(Math.max(Sequence.INITIAL, claimed - capacity) + 1, claimed);
    }

    @Override
    SequenceBarrier publicationBarrier() {
        return stamps instanceof SlotStamps inSlots ? new SlotBarrier(inSlots) : new StampBarrier((ArrayStamps) stamps);
    }

    @Override
    public long highestClaimed() {
        return ClaimWord.next(claims.getAcquire()) - 1; // acquire: once CLOSED is seen, the last claim is
    }

    @Override
    public boolean isPublished(long sequence) {
        return stamps.isStamped(sequence);
    }

    @Override
    public final boolean producersContend() {
        return (int) PRODUCERS.getOpaque(this) > 1; // opaque: a hint for how to wait
    }

    @Override
    int openProducers() {
        if (ClaimWord.isClosed(claims.getAcquire())) { // acquire: no claim comes after it
            return 0;
        }
        synchronized (setup) {
            return (int) known.stream().filter(producer -> !producer.hasEnded()).count();
        }
    }
}
