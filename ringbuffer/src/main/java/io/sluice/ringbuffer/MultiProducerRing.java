package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/*
 * A ring for any number of producers.
 *
 *   claims    next << 1 | CLOSED, one word, moved by CAS. The end of RUNNING sets CLOSED by CAS too, so the order of the two
 *             decides which claims were granted before the end: drain is exact.
 *   stamps    one a slot: the lap in which it was last published, -1 before the first. Written with release by the claimer,
 *             acquired by consumers. Laps are compared for equality by consumers; they wrap after 2^32 laps, and a stale
 *             stamp is never more than one lap old.
 *
 * A publication that is stalled hides later ones: consumers go on in the order of the sequences.
 */
class MultiProducerRing<E> extends ObjectRing<E> {
    static final VarHandle STAMP = MethodHandles.arrayElementVarHandle(int[].class);
    private static final VarHandle PRODUCERS;
    private static final long CLOSED = 1;

    final Sequence claims = new Sequence(0);

    private final SequenceView cursor = this::highestPublished;
    final int[] stamps;
    private final int lapShift;

    // changed under the lock `setup`
    private int producers;

    // under the lock `setup`
    private final List<MultiProducer<E>> known = new ArrayList<>();
    private int forgetAt = 16;

    MultiProducerRing(Builder<E> builder) {
        super(builder);
        stamps = new int[builder.capacity];
        Arrays.fill(stamps, -1);
        lapShift = Integer.numberOfTrailingZeros(builder.capacity);
        VarHandle.releaseFence(); // release: the fill, before the ring is handed out
    }

    // the claim word

    static boolean isClosed(long word) {
        return (word & CLOSED) != 0;
    }

    static long next(long word) {
        return word >> 1;
    }

    static long word(long next) {
        return next << 1;
    }

    @Override
    void closeClaims() {
        long word = claims.getOpaque();
        while (!isClosed(word) && !claims.compareAndSet(word, word | CLOSED)) { // CAS: orders the end among the claims
            word = claims.getOpaque(); // opaque: the CAS decides
        }
    }

    // the stamps

    final int lap(long sequence) {
        return (int) (sequence >>> lapShift);
    }

    /** Publishes a slot. */
    void stamp(long sequence) {
        STAMP.setRelease(
                stamps, (int) sequence & (stamps.length - 1), lap(sequence)); // release: the slot, to available()
    }

    /** Whether a slot has been published for this sequence or a later one. */
    boolean isStamped(long sequence) {
        int stamp = (int) STAMP.getAcquire(stamps, (int) sequence & (stamps.length - 1)); // acquire: with stamp()
        return stamp - lap(sequence) >= 0;
    }

    /** The highest published sequence of an unbroken run from {@code next} on, {@code next - 1} if there is none. */
    long available(long next) {
        int[] laps = stamps;
        int shift = lapShift;
        long sequence = next;
        while ((int) STAMP.getAcquire(laps, (int) sequence & (laps.length - 1)) // acquire: pairs with stamp()
                == (int) (sequence >>> shift)) {
            sequence++;
        }
        return sequence - 1;
    }

    // the rest

    @Override
    public Producer<E> producer() {
        synchronized (setup) {
            if (state() != State.RUNNING) {
                throw refusal(refusalCode(), false);
            }
            PRODUCERS.setOpaque(this, producers + 1); // opaque: for producersContend()
            forgetEnded();
            MultiProducer<E> producer = newProducer();
            known.add(producer);
            return producer;
        }
    }

    /** Under the lock `setup`. */
    MultiProducer<E> newProducer() {
        return ProducerSpecializer.multi(this);
    }

    void producerClosed(MultiProducer<E> producer) {
        synchronized (setup) {
            PRODUCERS.setOpaque(this, producers - 1); // opaque: for producersContend()
            forget(producer);
        }
    }

    /** Those whose thread has ended with nothing open, not closed, are not kept for ever; looked for at each doubling. */
    private void forgetEnded() {
        if (known.size() >= forgetAt) {
            List<MultiProducer<E>> ended = new ArrayList<>(known);
            ended.removeIf(producer -> !hasEnded(producer) || producer.open != 0);
            ended.forEach(this::forget);
            forgetAt = Math.max(16, 2 * known.size());
        }
    }

    /** Under the lock `setup`. */
    void forget(MultiProducer<E> producer) {
        known.remove(producer);
    }

    /** How many producers are known; for tests. */
    int knownProducers() {
        synchronized (setup) {
            return known.size();
        }
    }

    static boolean hasEnded(AbstractProducer<?> producer) {
        Thread thread = producer.owner();
        return thread != null && !thread.isAlive(); // who sees the end of a thread sees all that it did
    }

    @Override
    AbandonedClaim openClaimAt(long sequence, long stoodNanos) {
        synchronized (setup) {
            MultiProducer<E> owner = ownerOf(sequence);
            if (owner != null) {
                return openClaim(sequence, owner, List.of(Check.notNull(owner.owner(), "owner")), stoodNanos);
            }
            List<Thread> suspects = threads(producer -> producer.seemsToHold(sequence));
            return openClaim(
                    sequence,
                    null,
                    suspects.isEmpty() ? threads(MultiProducer::seemsToHoldSome) : suspects,
                    stoodNanos);
        }
    }

    /** Whose open claim it is, where that is known for sure: here if its thread has ended. Under the lock `setup`. */
    @Nullable
    MultiProducer<E> ownerOf(long sequence) {
        for (MultiProducer<E> producer : known) {
            if (hasEnded(producer) && producer.holds(sequence)) {
                return producer;
            }
        }
        return null;
    }

    /** Whether a sequence belongs to the same claim, or an adjoining one of the same owner. */
    boolean isOpenClaimOf(@Nullable MultiProducer<E> owner, long sequence) {
        return owner == null ? !isStamped(sequence) : owner.holds(sequence);
    }

    private AbandonedClaim openClaim(
            long sequence, @Nullable MultiProducer<E> owner, List<Thread> threads, long stoodNanos) {
        long claimed = highestClaimed();
        long hi = sequence;
        while (hi < claimed && isOpenClaimOf(owner, hi + 1)) {
            hi++;
        }
        return new AbandonedClaim(this, sequence, hi, owner, threads, stoodNanos);
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
     * Everything handled is published, and so is what follows without a gap. A slot that is reused meanwhile counts as
     * published, by its later stamp, so that the cursor never goes back.
     */
    private long highestPublished() {
        long claimed = highestClaimed();
        long handled = gating.listAcquire().length == 0 ? Sequence.INITIAL : gating.minimum(claimed);
        long sequence = Math.max(handled, claimed - slots.length) + 1;
        while (sequence <= claimed && isStamped(sequence)) {
            sequence++;
        }
        return sequence - 1;
    }

    @Override
    SequenceBarrier publicationBarrier() {
        return new StampBarrier(this);
    }

    @Override
    long highestClaimed() {
        return next(claims.getAcquire()) - 1; // acquire: once CLOSED is seen, the last claim is
    }

    @Override
    boolean isPublished(long sequence) {
        return isStamped(sequence);
    }

    @Override
    public final boolean producersContend() {
        return (int) PRODUCERS.getOpaque(this) > 1; // opaque: a hint for how to wait
    }

    @Override
    int openProducers() {
        if (isClosed(claims.getAcquire())) { // acquire: no claim comes after it
            return 0;
        }
        synchronized (setup) {
            return producers;
        }
    }

    static {
        try {
            PRODUCERS = MethodHandles.lookup().findVarHandle(MultiProducerRing.class, "producers", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
