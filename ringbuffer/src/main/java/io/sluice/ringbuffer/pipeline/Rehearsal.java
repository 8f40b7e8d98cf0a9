package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicies;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.RingBuffer;

/**
 * Lets a ring fail once, before any other is started. What a failure calls is loaded and linked then, which takes memory that
 * may be missing when a handler has used it up.
 */
final class Rehearsal {
    static {
        try {
            fail(true);
            fail(false);
        } catch (Throwable t) {
            // not rehearsed: then a failure needs some memory
        }
    }

    private Rehearsal() {}

    /** Has been done when this returns. */
    static void done() {}

    private static void fail(boolean single) {
        RingBuffer.Builder<Object> builder =
                RingBuffer.builder(Object::new).capacity(1).consumersIdle(SignalledIdle::exact);
        FollowedRing<Object> ring =
                FollowedRing.of((single ? builder.singleProducer() : builder.multiProducer()).build());
        Pipeline<Object> pipeline = Pipeline.on(ring);
        pipeline.poller("rehearsal");
        ConsumerNode<Object> node = pipeline.nodes().get(0);
        SignalledIdle waiting = SignalledIdle.exact(0);
        ring.wakeWithAll(waiting);
        waiting.idle(); // announces a park, which is not made
        Throwable cause = new IllegalStateException("rehearsed");
        FailurePolicies.halt().onFailure(cause, null, 0, 1);
        node.counts.failure();
        node.enterBatch(node.sequence.getPlain()); // plain: this thread's own
        node.failStage();
        node.leaveBatch();
        node.failed(cause, 0);
        ring.fail(cause);
        node.end();
        new ConsumerFailedException(ring.name(), node.name()).by(cause, 0, null);
    }
}
