package io.sluice.jcstress.ringbuffer;

import io.sluice.core.SequenceBarrier;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Wiring;
import java.util.function.BiConsumer;

/** One event, published, for a consumer whose progress wakes the runner. */
abstract class ProgressParkState extends ParkState {
    final EventProcessor processor;
    private final SequenceBarrier barrier;

    /** For subclasses, which say what kind of stage the consumer is. */
    ProgressParkState(BiConsumer<Pipeline<Event>, EventHandler<Event>> stage) {
        RingBuffer<Event> ring = RingFixtures.single(4);
        Pipeline<Event> pipeline = Pipeline.on(ring);
        EventHandler<Event> handler = (event, sequence, endOfBatch) -> meeting.other();
        stage.accept(pipeline, handler);
        Wiring.wakeOnProgress(pipeline.consumer(handler), idle);
        processor = pipeline.startProcessors().get(0);
        barrier = ring.newBarrier(processor.sequence());
        RingFixtures.publish(ring.producer());
    }

    @Override
    final long look() {
        return barrier.available(0);
    }
}
