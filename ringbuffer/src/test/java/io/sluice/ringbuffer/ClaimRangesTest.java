package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A range over several claims, and the record of claims that are open. */
@Timeout(30)
class ClaimRangesTest {
    private static RingBuffer<long[]> multi(int capacity) {
        return RingBufferBuilder.of(() -> new long[1]).capacity(capacity).build();
    }

    private static RingBuffer<long[]> single(int capacity) {
        return RingBufferBuilder.of(() -> new long[1])
                .capacity(capacity)
                .singleProducer()
                .build();
    }

    @Test
    void aRangeOverTwoAdjacentClaimsIsPublishedByBothKinds() {
        for (RingBuffer<long[]> ring : List.of(single(8), multi(8))) {
            Producer<long[]> producer = ring.producer();
            producer.next(1);
            producer.next(2);
            producer.next(1);
            producer.publish(0, 2);
            producer.publish(3, 3);
            assertThat(ring.cursor().get()).isEqualTo(3);
            assertThatThrownBy(() -> producer.publish(0, 3)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aRangeOverAnothersClaimIsRefused() {
        RingBuffer<long[]> ring = multi(8);
        Producer<long[]> one = ring.producer();
        Producer<long[]> other = ring.producer();
        one.next(1);
        other.next(1);
        one.next(1);
        assertThatThrownBy(() -> one.publish(0, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("publish(0, 2)")
                .hasMessageContaining("0 to 0, 2 to 2");
        assertThat(ring.leftover().openClaims()).isEqualTo(3);
    }

    /** A producer that always has a claim in flight while others claim too must not collect its old claims. */
    @Test
    void claimsAlwaysInFlightKeepABoundedRecord() {
        RingBuffer<long[]> ring = multi(16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor agent = pipeline.startProcessors().get(0);
        Producer<long[]> one = ring.producer();
        Producer<long[]> other = ring.producer();
        long open = one.next(1);
        for (int i = 0; i < 10_000; i++) {
            long mine = other.next(1);
            long next = one.next(1);
            other.publish(mine, mine);
            one.publish(open, open);
            open = next;
            while (agent.doWork() > 0) {}
        }
        assertThat(((MultiProducer<long[]>) one).openClaimRecords()).isLessThanOrEqualTo(16);
        one.close();
        assertThat(ring.leftover().openClaims()).isZero();
    }
}
