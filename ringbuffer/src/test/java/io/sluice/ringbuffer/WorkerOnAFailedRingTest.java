package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A worker whose policy retries for ever ends with the ring, however that ended. */
class WorkerOnAFailedRingTest {
    private static final int MOST = 1_000;

    @Test
    @Timeout(20)
    void aWorkerThatIsHaltedOnARingThatAnotherHasFailedTriesNoMore() {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        int[] attempts = {0};
        EventHandler<long[]> fails = (event, sequence, endOfBatch) -> {
            throw new IllegalStateException("mine");
        };
        EventHandler<long[]> tries = (event, sequence, endOfBatch) -> {
            attempts[0]++;
            throw new IllegalStateException("again");
        };
        List<EventProcessor> processors = new java.util.ArrayList<>();
        pipeline.handleEventsWith(fails);
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("tries", tries)
                .onFailure((cause, event, sequence, attempt) -> {
                    if (attempt == 3) { // meanwhile another one fails the ring, which then is closed
                        processors.get(0).doWork();
                        processors.get(1).halt();
                    }
                    return attempt < MOST ? Action.RETRY_EVENT : Action.SKIP;
                }));
        pipeline.errorHandler(failure -> {});
        processors.addAll(pipeline.startProcessors());
        Rings.publish(ring.producer(), 1);
        processors.get(1).doWork();
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(attempts[0]).isEqualTo(3);
        assertThat(processors.get(1).isDone()).isTrue();
    }
}
