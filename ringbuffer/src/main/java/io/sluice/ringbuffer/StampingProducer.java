package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.check.Check;

/*
 * The one producer of a ring of bytes: publishes by a stamp in each slot, and remembers what it has published, since no cursor tells. All
 * slots are one event, whose class the field tells the compiler: so there is no copy of this class, as of those in ProducerSpecializer.
 */
final class StampingProducer<E> extends SingleProducer<E> {
    private final ByteSlots bytes;
    private final SlotStamps stamps;

    StampingProducer(ObjectRing<E> ring, Sequence cursor, SlotStamps stamps) {
        super(ring, cursor);
        this.bytes = Check.notNull(ring.bytes, "bytes");
        this.stamps = stamps;
        this.known = claimed;
    }

    @Override
    @SuppressWarnings("unchecked") // the slots of such a ring are its events
    E slot(long sequence) {
        return (E) bytes;
    }

    @Override
    long published() {
        return known;
    }

    @Override
    void store(long lo, long hi) {
        long sequence = lo;
        try {
            for (; sequence <= hi; sequence++) {
                stamps.stamp(sequence); // release inside: each slot, to the consumers' acquire in SlotBarrier
            }
        } catch (Throwable t) { // as after a stack overflow: what is published is not open any more
            known = sequence - 1;
            throw t;
        }
        known = hi;
    }
}
