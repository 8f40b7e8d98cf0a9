package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A publisher that waits on a full ring of one slot. The thread that ends the wait lets it begin first, if it does so soon. */
abstract class WaitingPublisherState {
    final GivingUpIdle idle = new GivingUpIdle();
    final RingBuffer<Event> ring;

    /** The producer of the actor that waits: made once the consumers are declared and the ring is full. */
    @Nullable
    Producer<Event> producer;

    /** For subclasses, which declare the consumers, and then set the producer behind the full ring. */
    WaitingPublisherState(RingBufferBuilder<Event> builder) {
        ring = builder.producersIdle(() -> idle).build();
    }

    /** The producer of the actor that waits. */
    final Producer<Event> waiting() {
        return Objects.requireNonNull(producer);
    }

    /** Waits for room; returns what the claim gave, -99 if it was left waiting, -98 if it was told that nobody would make room. */
    final long claim() {
        try {
            return waiting().next(1, TimeUnit.HOURS.toNanos(1));
        } catch (GivingUpIdle.LeftWaitingException e) {
            return -99;
        } catch (IllegalStateException e) {
            return -98;
        }
    }
}
