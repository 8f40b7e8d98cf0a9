package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;

/** A producer that aborts one of its claims, and publishes the next. */
abstract class AbortState {
    private final Producer<Event> producer;
    private final EventPoller<Event> poller;
    private long sum;

    AbortState(RingBuffer<Event> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(Event event, long sequence, boolean endOfBatch) {
        sum += event.version();
    }

    /** Claims two slots, aborts the first, publishes the second. */
    final void abortAndPublish() {
        long hi = producer.tryNext(2);
        producer.get(hi - 1).fill(77);
        producer.get(hi).fill(2);
        producer.abort(hi - 1, hi - 1);
        producer.publish(hi, hi);
    }

    /** Polls; how far. */
    final int pollSoon() {
        return Stand.pollSoon(poller, this::handle, 4);
    }

    /** Polls the rest; the sum of the versions. */
    final long delivered() {
        while (Stand.poll(poller, this::handle, 4) > 0) {
            // the handler sums up
        }
        return sum;
    }
}
