package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A publisher that needs the slot of an event which a consumer has just handled does not wait for the rest of its batch. */
class RoomWithinABatchTest {
    private static final int CAPACITY = 32;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 5})
    void aBatchEndsWhereSomebodyAsksForASlotThatItHasHandled(int askedAt) {
        List<Long> handled = new ArrayList<>();
        List<Long> shed = new ArrayList<>();
        List<Long> progress = new ArrayList<>();
        RingBuffer<long[]> ring = Rings.ringBuilder(false, CAPACITY)
                .shedding((consumer, event, sequence) -> shed.add(sequence))
                .build();
        DroppingProducer<long[]> urgent = DroppingProducer.dropOldest(ring.producer(), 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventProcessor[] processor = {null};
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            handled.add(sequence);
            progress.add(processor[0].sequence().get());
            if (sequence == askedAt) { // only asks: needs the slot of event 0, which this batch has begun with
                assertThat(urgent.publishEvent((slot, at) -> slot[0] = at)).isEqualTo(Producer.TIMED_OUT);
            }
        });
        processor[0] = pipeline.startProcessors().get(0);
        Rings.publish(ring.producer(), CAPACITY);
        processor[0].doWork();
        processor[0].doWork();
        assertThat(shed).isEmpty(); // what is asked for was handled
        assertThat(handled).startsWith(0L, 1L, 2L, 3L, 4L, 5L, 6L).isSorted();
        assertThat(progress.get(askedAt + 1)).as("before the next event").isEqualTo(askedAt);
        assertThat(urgent.publishEvent((slot, at) -> slot[0] = at)).isEqualTo(CAPACITY);
    }
}
