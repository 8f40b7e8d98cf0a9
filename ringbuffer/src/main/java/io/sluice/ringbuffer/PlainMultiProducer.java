package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/** One of many producers, whose claims are not tracked. A template of {@link ProducerSpecializer}. */
final class PlainMultiProducer<E> extends MultiProducer<E> {
    private static final @Nullable Class<?> SLOTS = HiddenClassSpecializer.keyOf(MethodHandles.lookup());

    /** Called by ProducerSpecializer, through a method handle. */
    PlainMultiProducer(ObjectRing<E> ring, Sequence claims, Stamps stamps) {
        super(ring, claims, stamps);
    }

    @Override
    E slot(long sequence) {
        return slot(SLOTS, sequence);
    }
}
