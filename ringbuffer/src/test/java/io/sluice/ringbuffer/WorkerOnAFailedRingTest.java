package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers and a ring that fails: who retries for ever ends with it, and nobody goes on behind who failed it. */
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
        List<EventProcessor> processors = new ArrayList<>();
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

    /** The cut is in one of the wake-ups of the failure: that of its stage, or that of its end. The worker's next call does the rest. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nobodyGoesOnBehindAWorkerWhoseHaltWasCutOff(int which) {
        FailingWakeUps<long[]> wakeUps = new FailingWakeUps<>(Rings.ring(true, 8));
        Pipeline<long[]> pipeline = Pipeline.on(wakeUps.ring());
        pipeline.errorHandler(failure -> {});
        List<Long> others = new ArrayList<>();
        pipeline.handleEventsWithWorkerPool(
                pipeline.consumer("fails", (long[] event, long sequence, boolean endOfBatch) -> {
                    throw new IllegalStateException("planned");
                }),
                pipeline.consumer("others", (long[] event, long sequence, boolean endOfBatch) -> others.add(sequence)));
        List<EventProcessor> workers = pipeline.startProcessors();
        Rings.publish(wakeUps.ring().producer(), 3);
        wakeUps.cutOff(which, false);
        assertThatThrownBy(workers.get(0)::doWork).isInstanceOf(StackOverflowError.class);
        assertThat(wakeUps.end()).isTrue();
        workers.get(0).doWork(); // does the rest
        Rings.exhaust(workers.get(1));
        assertThat(others).isEmpty();
        assertThat(workers.get(0).isDone()).isTrue();
        assertThat(workers.get(1).isDone()).isTrue();
    }
}
