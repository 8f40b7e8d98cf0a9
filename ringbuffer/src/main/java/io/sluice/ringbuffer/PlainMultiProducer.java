package io.sluice.ringbuffer;

import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/** One of many producers, whose claims are not tracked. A template of {@link ProducerSpecializer}. */
final class PlainMultiProducer<E> extends MultiProducer<E> {
    private static final @Nullable Class<?> SLOTS = HiddenClassSpecializer.keyOf(MethodHandles.lookup());

    /** Called by ProducerSpecializer, through a method handle. */
    PlainMultiProducer(MultiProducerRing<E> ring) {
        super(ring);
    }

    @Override
    E slot(long sequence) {
        return slot(SLOTS, sequence);
    }
}
