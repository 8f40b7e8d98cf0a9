package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import java.util.concurrent.TimeUnit;

/** A publisher that waits on a full ring of one slot. Who ends the wait lets it begin first, if it does so soon. */
abstract class WaitingPublisherState {
    final Patience patience = new Patience();
    final RingBuffer<Event> ring;
    final Producer<Event> producer;

    /** For subclasses, which declare the consumers, and then publish an event: the ring is full. */
    WaitingPublisherState(RingBuffer.Builder<Event> builder) {
        ring = builder.producersIdle(() -> patience).build();
        producer = ring.producer();
    }

    /** Waits for room; what the claim gave, -99 if it was left waiting, -98 if it was told that nobody would make room. */
    final long claim() {
        try {
            return producer.next(1, TimeUnit.HOURS.toNanos(1));
        } catch (Patience.LeftWaitingException e) {
            return -99;
        } catch (IllegalStateException e) {
            return -98;
        }
    }
}
