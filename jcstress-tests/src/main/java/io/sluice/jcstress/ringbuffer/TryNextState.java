package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A full ring of two slots, of which a consumer frees one. */
abstract class TryNextState {
    private final Producer<Event> producer;
    private final EventPoller<Event> poller;

    TryNextState(RingBuffer<Event> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = Stand.producerBehind(ring, 2);
    }

    /** Claims twice, and tells what that gave. */
    final void claimTwice(JJ_Result r) {
        r.r1 = producer.tryNext(1);
        r.r2 = producer.tryNext(1);
    }

    /** Frees one slot. */
    final void freeOne() {
        Stand.poll(poller, (event, sequence, endOfBatch) -> {}, 1);
    }
}
