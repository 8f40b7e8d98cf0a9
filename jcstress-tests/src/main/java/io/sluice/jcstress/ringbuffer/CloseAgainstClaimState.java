package io.sluice.jcstress.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;

/** A ring that is closed while its producer publishes. */
abstract class CloseAgainstClaimState {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;
    private final Sequence closed = new Sequence(0);

    CloseAgainstClaimState(RingBuffer<Event> ring) {
        this.ring = ring;
        Pipeline.on(ring).errorHandler(told -> {}).poller("poller"); // no log line a sample
        producer = ring.producer();
    }

    private int publish() {
        boolean late = closed.getAcquire() == 1; // acquire: the close comes before
        boolean granted = Stand.publish(producer) >= 0;
        return !granted ? 0 : late ? -9 : 1;
    }

    /** Publishes two events, or fewer; how many, less than 0 if one was granted after the close. */
    final int publishTwo() {
        int granted = publish();
        return granted + publish();
    }

    /** Closes. */
    final void close() {
        ring.close();
        closed.setRelease(1); // release: the close comes before
    }

    /** How many events are left over. */
    final int left() {
        Ring.Leftover left = ring.leftover();
        return (int) left.unhandled() + left.openClaims();
    }
}
