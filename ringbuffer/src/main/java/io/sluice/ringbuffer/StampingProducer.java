package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/*
 * The one producer of a ring of bytes: publishes by a stamp in each slot, and remembers what it has published, since no cursor tells. A
 * template of ProducerSpecializer.
 */
final class StampingProducer<E> extends SingleProducer<E> {
    private static final @Nullable Class<?> SLOTS = HiddenClassSpecializer.keyOf(MethodHandles.lookup());

    private final SlotStamps stamps;

    /** Called by ProducerSpecializer, through a method handle. */
    StampingProducer(ObjectRing<E> ring, Sequence cursor, SlotStamps stamps) {
        super(ring, cursor);
        this.stamps = stamps;
        this.known = claimed;
    }

    @Override
    E slot(long sequence) {
        return slot(SLOTS, sequence);
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
