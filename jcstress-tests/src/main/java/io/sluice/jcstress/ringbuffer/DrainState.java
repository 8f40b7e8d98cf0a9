package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;

/** A ring that is drained, without waiting, while its producer publishes. */
abstract class DrainState {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;

    DrainState(RingBuffer<Event> ring) {
        this.ring = ring;
        Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    /** Publishes two events, or fewer; how many. */
    final int publishTwo() {
        int granted = Stand.publish(producer) >= 0 ? 1 : 0;
        return granted + (Stand.publish(producer) >= 0 ? 1 : 0);
    }

    /** Drains; what it told of, -1 if a producer may still publish. */
    final int drain() {
        Ring.Leftover left = ring.drain(0);
        return left.openProducers() == 0 ? (int) left.unhandled() + left.openClaims() : -1;
    }
}
