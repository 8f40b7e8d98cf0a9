package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds of claims, exactly. */
class ClaimsTest {
    private static final int CAPACITY = 4;

    private static RingBuffer<long[]> ring(boolean single) {
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(CAPACITY);
        return (single ? builder.singleProducer() : builder.multiProducer()).build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFreshRingGivesItsWholeCapacityAtOnceAndNoMore(boolean single) {
        RingBuffer<long[]> ring = ring(single);
        Pipeline.on(ring).poller("poller");
        Producer<long[]> producer = ring.producer();
        assertThat(producer.tryNext(CAPACITY)).isEqualTo(CAPACITY - 1);
        producer.publish(0, CAPACITY - 1);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsFreedIsClaimedToTheLastSlot(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("poller");
        Producer<long[]> producer = ring.producer();
        long next = 0;
        for (int size = 1; size <= CAPACITY; size++) {
            for (int round = 0; round < 2 * CAPACITY; round++) {
                long hi = producer.tryNext(size);
                assertThat(hi).isEqualTo(next + size - 1);
                assertThat(producer.claimedFrom()).isEqualTo(next);
                producer.publish(next, hi);
                assertThat(poller.poll((event, sequence, endOfBatch) -> {}, size))
                        .isEqualTo(size);
                next = hi + 1;
            }
        }
    }
}
