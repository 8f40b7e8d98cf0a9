package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/*
 * The one producer of a large ring. It remembers what it has published, instead of reading the cursor back. Consumers that keep up
 * wait for the cursor, and so its line is theirs: the median of an open loop is 10 to 15 % sooner without that read. Remembering is
 * one store more for each event. It costs up to 8 % of the throughput of a ring of 65,536 slots, and up to a quarter with 1,024, whose
 * producer keeps waiting for slots to come back. A template of ProducerSpecializer.
 */
final class CachedCursorProducer<E> extends SingleProducer<E> {
    /** From this capacity on. */
    static final int FEWEST_SLOTS = 8_192;

    private static final @Nullable Class<?> SLOTS = HiddenClassSpecializer.keyOf(MethodHandles.lookup());

    /** Called by ProducerSpecializer, through a method handle. */
    CachedCursorProducer(ObjectRing<E> ring, Sequence cursor) {
        super(ring, cursor);
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
        cursor.setRelease(hi); // release: publishes the slots to the consumers' acquire in CursorBarrier
        known = hi; // behind the publication: if a stack overflow cuts that off, the claim is still open
    }
}
