package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.check.Check;

/*
 * A ring of bytes for one producer at a time. It publishes by the stamps in its slots, not by a cursor: a consumer that waits for an
 * event reads one cache line, not two. The word `cursor` only hands over from one producer to the next.
 */
final class StampedSingleRing<E> extends SingleProducerRing<E> {
    final SlotStamps stamps = new SlotStamps(Check.notNull(bytes, "bytes"));
    private final SequenceView view = this::highestPublished;

    StampedSingleRing(RingSettings<E> settings) {
        super(settings);
    }

    @Override
    SingleProducer<E> newProducer() {
        cursor.setRelease(highestClaimed()); // release: to the new one's acquire
        return new StampingProducer<>(this, cursor, stamps);
    }

    @Override
    public SequenceView cursor() {
        return view;
    }

    /** As that of a ring with many producers; a sequence that was handled is published, though its claim may not be seen yet. */
    private long highestPublished() {
        long handled = gating.minimum(Long.MAX_VALUE); // by one look at the list: the last consumer may leave
        long before = handled == Long.MAX_VALUE ? highestClaimed() - capacity : handled; // MAX_VALUE: nobody follows
        long first = Math.max(before, Sequence.INITIAL) + 1;
        return stamps.highestStamped(first, first + capacity - 1);
    }

    @Override
    SequenceBarrier publicationBarrier() {
        return new SlotBarrier(stamps);
    }

    @Override
    public boolean isPublished(long sequence) {
        return stamps.isStamped(sequence);
    }
}
