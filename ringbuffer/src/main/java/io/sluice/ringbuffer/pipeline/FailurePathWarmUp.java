package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicies;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.util.List;

/**
 * Lets a ring fail once, before any other has a pipeline. That loads and links the code of a failure, which takes memory that may be
 * missing when a handler has used it up.
 */
final class FailurePathWarmUp {
    static {
        try {
            fail(true);
            fail(false);
        } catch (Throwable t) {
            // not warmed up: then a failure needs some memory
        }
    }

    private FailurePathWarmUp() {}

    /** The warm-up is over when this returns. */
    static void done() {}

    private static void fail(boolean single) {
        RingBufferBuilder<Object> builder =
                RingBufferBuilder.of(Object::new).capacity(1).consumersIdle(SignalledIdle::exact);
        FollowedRing<Object> ring =
                FollowedRing.of((single ? builder.singleProducer() : builder.multiProducer()).build());
        ConsumerNode<Object> node = onlyConsumer(ring);
        SignalledIdle waiting = SignalledIdle.exact(0);
        ring.wakeWithAll(waiting);
        waiting.idle(); // announces a park, which is not made
        Throwable cause = new IllegalStateException("warm-up");
        FailurePolicies.halt().onFailure(cause, null, 0, 1);
        node.counts.failure();
        node.enterBatch(node.sequence.getPlain()); // plain: this thread's own
        node.failStage();
        node.inHandler = false;
        node.failed(cause, 0, null);
        ring.fail(cause);
        node.end();
        new ConsumerFailedException(ring.name(), node.name()).by(cause, 0, null);
    }

    private static ConsumerNode<Object> onlyConsumer(FollowedRing<Object> ring) {
        PipelineSettings<Object> settings = new PipelineSettings<>();
        FailureReports reports = new FailureReports();
        ConsumerRegistry<Object> consumers = new ConsumerRegistry<>();
        SignalWiring<Object> signals = new SignalWiring<>(ring, consumers.all());
        PipelineThreads<Object> threads = new PipelineThreads<>(ring, settings, reports, consumers, signals);
        PipelineConsumers<Object> followers = new PipelineConsumers<>(ring, threads, reports);
        ConsumerMembership<Object> membership =
                new ConsumerMembership<>(ring, settings, reports, consumers, followers, signals);
        ring.follow(followers);
        new ConsumerDeclarations<>(ring, threads, membership, consumers, followers).declarePoller(List.of(), "warm-up");
        return consumers.all().get(0);
    }
}
