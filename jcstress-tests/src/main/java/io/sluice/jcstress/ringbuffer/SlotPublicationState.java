package io.sluice.jcstress.ringbuffer;

import io.sluice.core.SequenceBarrier;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A ring of which two slots are published, one after the other. */
abstract class SlotPublicationState {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;
    private final SequenceBarrier barrier;

    SlotPublicationState(RingBuffer<Event> ring) {
        this.ring = ring;
        producer = ring.producer();
        barrier = ring.newBarrier();
    }

    /** Publishes two events. */
    final void publishTwo() {
        Stand.publish(producer);
        Stand.publish(producer);
    }

    /** Looks, and reads the first event. */
    final void look(JJ_Result r) {
        r.r1 = barrier.available(0);
        r.r2 = r.r1 >= 0 ? ring.get(0).version() : 0;
    }
}
