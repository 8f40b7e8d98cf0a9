package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A partition of a large ring that has a backlog of its own events when somebody joins behind it. */
class LongPartitionBatchTest {
    private static final int CAPACITY = 16_384;
    private static final int BACKLOG = 4_000;

    @Test
    @Timeout(60)
    void aBacklogIsHandledInBatchesOfBoundedLengthAlsoAfterAJoin() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, CAPACITY);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Long> handled = new ArrayList<>();
        EventHandler<long[]> own = (event, sequence, endOfBatch) -> handled.add(sequence);
        pipeline.handleEventsPartitionedBy(
                event -> 0,
                pipeline.consumer("own", own).batchLimit(CAPACITY),
                pipeline.consumer("other", (event, sequence, endOfBatch) -> handled.add(sequence)));
        List<EventProcessor> processors = pipeline.startProcessors();
        processors.forEach(EventProcessor::doWork); // this thread's from now on
        for (ConsumerHandle consumer : List.copyOf(pipeline.consumers())) {
            pipeline.joinPoller("behind " + consumer.name()).after(consumer).poller(Rings.LONG);
        }
        Rings.publish(ring.producer(), BACKLOG);
        processors.forEach(Rings::exhaust);
        assertThat(ring.failure()).isNull();
        assertThat(ring.state()).isEqualTo(State.RUNNING);
        assertThat(handled).hasSize(BACKLOG).isSorted();
    }
}
