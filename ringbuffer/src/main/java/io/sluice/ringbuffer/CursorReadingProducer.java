package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/** The one producer of a small ring: reads the cursor back. A template of {@link ProducerSpecializer}. */
final class CursorReadingProducer<E> extends SingleProducer<E> {
    private static final @Nullable Class<?> SLOTS = HiddenClassSpecializer.keyOf(MethodHandles.lookup());

    /** Called by ProducerSpecializer, through a method handle. */
    CursorReadingProducer(ObjectRing<E> ring, Sequence cursor) {
        super(ring, cursor);
    }

    @Override
    E slot(long sequence) {
        return slot(SLOTS, sequence);
    }
}
