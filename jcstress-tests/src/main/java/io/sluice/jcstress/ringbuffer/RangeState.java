package io.sluice.jcstress.ringbuffer;

import io.sluice.core.SequenceBarrier;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** A ring of which two slots are claimed and published by one call. */
abstract class RangeState {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;
    private final SequenceBarrier barrier;

    RangeState(RingBuffer<Event> ring) {
        this.ring = ring;
        producer = ring.producer();
        barrier = ring.newBarrier();
    }

    /** Claims two slots, fills both, publishes both. */
    final void publishTwo() {
        producer.tryPublishEvents((event, sequence, index) -> event.fill(sequence + 1), 2);
    }

    /** Looks twice, then reads what is there. */
    final void look(JJJ_Result r) {
        r.r1 = barrier.available(0);
        r.r2 = barrier.available(r.r1 + 1);
        long sum = 0;
        for (long sequence = 0; sequence <= r.r2; sequence++) {
            sum += ring.get(sequence).version();
        }
        r.r3 = sum;
    }
}
