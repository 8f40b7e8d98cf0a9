package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How much a consumer takes on at once, whatever waits: that bounds how long its loop may keep the JVM from a safepoint, how long
 * others on its thread wait, and how long a join does.
 */
@Timeout(60)
class BatchBoundTest {
    private static final int CAPACITY = 65_536;
    private static final int LIMIT = 100;

    /** Each kind of loop. */
    private enum Loop {
        EVENTS,
        BATCHES,
        WORKER,
        PARTITION,
        SHEDDING_EVENTS,
        SHEDDING_BATCHES,
        CLEARER
    }

    @ParameterizedTest
    @EnumSource(Loop.class)
    void aFullRingIsTakenInQuartersAtMost(Loop loop) throws Exception {
        check(loop, 0, CAPACITY / 4);
    }

    @ParameterizedTest
    @EnumSource(Loop.class)
    void aLimitBoundsEachBatch(Loop loop) throws Exception {
        check(loop, LIMIT, LIMIT);
    }

    private static void check(Loop loop, int limit, int most) throws Exception {
        RingBufferBuilder<long[]> builder = Rings.ringBuilder(true, CAPACITY);
        boolean sheds = loop == Loop.SHEDDING_EVENTS || loop == Loop.SHEDDING_BATCHES;
        RingBuffer<long[]> ring = (sheds ? builder.shedding((consumer, event, sequence) -> {}) : builder).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> ahead = loop == Loop.CLEARER ? pipeline.poller("ahead") : null;
        declare(pipeline, loop, limit);
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        producer.publish(0, producer.next(CAPACITY));
        while (ahead != null && ahead.poll((event, sequence, endOfBatch) -> {}, Integer.MAX_VALUE) > 0) {
            // the clearing consumer follows it
        }
        int cycles = 0;
        long before = -1;
        for (int work = processor.doWork(); work > 0; work = processor.doWork()) {
            long after = processor.sequence().get();
            assertThat(work).isLessThanOrEqualTo(most);
            assertThat(after - before).isEqualTo(work);
            before = after;
            cycles++;
        }
        assertThat(before).as("all of it, in the end").isEqualTo(CAPACITY - 1);
        assertThat(cycles).isGreaterThanOrEqualTo(CAPACITY / most);
        ring.close();
    }

    private static void declare(Pipeline<long[]> pipeline, Loop loop, int limit) {
        NewConsumer<long[]> consumer = switch (loop) {
            case EVENTS, SHEDDING_EVENTS, WORKER, PARTITION ->
                pipeline.consumer("bounded", (event, sequence, endOfBatch) -> {});
            case BATCHES, SHEDDING_BATCHES -> pipeline.batchConsumer("bounded", (ring, lo, hi) -> hi);
            case CLEARER -> pipeline.clearer("bounded", event -> {});
        };
        if (limit > 0) {
            consumer.batchLimit(limit);
        }
        switch (loop) {
            case EVENTS, SHEDDING_EVENTS, BATCHES, SHEDDING_BATCHES -> pipeline.handleEventsWith(consumer);
            case WORKER -> pipeline.handleEventsWithWorkerPool(consumer);
            case PARTITION -> pipeline.handleEventsPartitionedBy(event -> 0, consumer);
            case CLEARER -> pipeline.clearEventsWith(consumer);
        }
    }
}
