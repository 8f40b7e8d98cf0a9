package io.sluice.ringbuffer;

import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;

/** A ring for one producer at a time that tracks claims: see {@link TrackedCursor}. */
final class TrackedSingleRing<E> extends SingleProducerRing<E> {
    private final TrackedCursor tracked = new TrackedCursor(cursor, slots, aborts);
    private final SequenceView view = tracked::published;

    TrackedSingleRing(RingSettings<E> settings) {
        super(settings);
    }

    @Override
    SingleProducer<E> newProducer() {
        return new TrackedSingleProducer<>(this, cursor, tracked);
    }

    @Override
    public SequenceView cursor() {
        return view;
    }

    @Override
    SequenceBarrier publicationBarrier() {
        return next -> tracked.published();
    }

    @Override
    public boolean isPublished(long sequence) {
        return sequence <= tracked.published();
    }

    @Override
    boolean tracksClaims() {
        return true;
    }
}
