package io.sluice.ringbuffer;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A ring for any number of producers that tracks claims: see {@link TrackedStamps}. Numbers its producers. */
final class TrackedMultiRing<E> extends MultiProducerRing<E> {
    private final TrackedStamps tracked;

    // under the lock `setup`
    private final List<@Nullable TrackedMultiProducer<E>> numbered = new ArrayList<>();

    TrackedMultiRing(RingSettings<E> settings) {
        super(settings);
        tracked = (TrackedStamps) stamps;
    }

    @Override
    Stamps newStamps() {
        return new TrackedStamps(slots, aborts);
    }

    @Override
    MultiProducer<E> newProducer() {
        return new TrackedMultiProducer<>(this, claims, tracked);
    }

    @Override
    void takeIn(MultiProducer<E> producer) {
        int number = numbered.indexOf(null);
        if (number < 0) {
            number = numbered.size();
            if (number == TrackedStamps.MOST_PRODUCERS) {
                throw new IllegalStateException("a ring that tracks claims must have at most "
                        + TrackedStamps.MOST_PRODUCERS + " producers, but " + number + " are open");
            }
            numbered.add(null);
        }
        TrackedMultiProducer<E> own = (TrackedMultiProducer<E>) producer;
        own.number = number;
        numbered.set(number, own);
        super.takeIn(producer);
    }

    @Override
    void forget(Producer<?> producer) {
        super.forget(producer);
        int at = numbered.indexOf(producer);
        if (at >= 0) { // else it was forgotten before it was closed
            numbered.set(at, null);
        }
    }

    @Override
    @Nullable
    MultiProducer<E> ownerOf(long sequence) {
        int number = tracked.ownerNumber(sequence);
        MultiProducer<E> owner = number >= 0 && number < numbered.size() ? numbered.get(number) : null;
        return owner == null ? super.ownerOf(sequence) : owner; // a thread may have ended within its claim
    }

    @Override
    boolean isOpenClaimOf(@Nullable MultiProducer<E> owner, long sequence) {
        return owner instanceof TrackedMultiProducer<E> own
                && tracked.isClaimedBy(sequence, own.number)
                && !tracked.isStamped(sequence);
    }

    @Override
    boolean tracksClaims() {
        return true;
    }
}
