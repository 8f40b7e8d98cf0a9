package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import org.openjdk.jcstress.infra.results.II_Result;

/** One event, published, for two consumers and one behind both. */
abstract class BarrierTwoState {
    final EventProcessor one;
    final EventProcessor other;
    private final EventPoller<Event> dependent;
    private long doneByOne;
    private long doneByOther;
    private long seen;

    BarrierTwoState() {
        RingBuffer<Event> ring = RingFixtures.single(4);
        Pipeline<Event> pipeline = Pipeline.on(ring);
        dependent = pipeline.handleEventsWith(
                        (event, sequence, endOfBatch) -> doneByOne = 1,
                        (event, sequence, endOfBatch) -> doneByOther = 1)
                .thenPoller("dependent");
        List<EventProcessor> upstream = pipeline.startProcessors();
        one = upstream.get(0);
        other = upstream.get(1);
        RingFixtures.publish(ring.producer());
    }

    private void look(Event event, long sequence, boolean endOfBatch) {
        seen = doneByOne + doneByOther;
    }

    /** Polls the one behind twice; how many events each time, -9 if one was unfinished. */
    final void pollTwice(II_Result r) {
        r.r1 = RingFixtures.poll(dependent, this::look, 4);
        r.r2 = RingFixtures.poll(dependent, this::look, 4);
        if (r.r1 + r.r2 > 0 && seen != 2) {
            r.r2 = -9;
        }
    }
}
