package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Since when nothing has come, for a consumer that wants to be told of a lull. */
class IdleTimeTest {
    private static final long AFTER = TimeUnit.HOURS.toNanos(1);

    /** Else a pause would be taken for a lull, and its thread would come back for the time-out that passed meanwhile. */
    @Test
    void theTimeBeginsAgainBehindAPause() {
        RingBuffer<long[]> ring = Rings.ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("books", handler).timeout(AFTER));
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.doWork();
        assertThat(processor.deadline()).isNotEqualTo(SignalledIdle.NO_DEADLINE);
        ConsumerHandle consumer = pipeline.consumers().get(0);
        consumer.pause();
        processor.doWork();
        assertThat(processor.deadline()).as("while it rests").isEqualTo(SignalledIdle.NO_DEADLINE);
        consumer.resume();
        long resumed = System.nanoTime();
        processor.doWork();
        assertThat(processor.deadline() - AFTER - resumed)
                .as("since the resume")
                .isNotNegative();
        ring.close();
    }
}
