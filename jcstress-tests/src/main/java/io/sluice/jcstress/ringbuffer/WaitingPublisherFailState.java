package io.sluice.jcstress.ringbuffer;

import io.sluice.jcstress.Cause;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingException;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;

/** A publisher that waits for a consumer that fails. */
abstract class WaitingPublisherFailState extends WaitingPublisherState {
    private final Cause cause = new Cause();
    private final EventProcessor processor;

    WaitingPublisherFailState(RingBuffer.Builder<Event> builder) {
        super(builder);
        Pipeline<Event> pipeline = Pipeline.on(ring).errorHandler(told -> {}); // no log line a sample
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            patience.begun();
            throw cause;
        });
        processor = pipeline.startProcessors().get(0);
        producer = Stand.producerBehind(ring, 1);
    }

    /** Waits for room; what ended that. */
    final String claimUntilItFails() {
        try {
            return "claim " + waiting().next(1);
        } catch (RingFailedException e) {
            return e.getCause() == cause ? "cause" : "other cause";
        } catch (RingException | Patience.LeftWaitingException e) {
            return e.getClass().getSimpleName();
        }
    }

    /** Fails. */
    final void fail() {
        processor.doWork();
        patience.over();
    }
}
