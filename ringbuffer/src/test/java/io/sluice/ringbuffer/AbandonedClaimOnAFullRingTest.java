package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A consumer has parked, then a thread claims the whole ring and ends. Nobody can publish behind that claim, so no publication
 * wakes the consumer.
 */
@Timeout(60)
class AbandonedClaimOnAFullRingTest {
    private static final int CAPACITY = 4;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aParkedConsumerIsToldOfAClaimThatLeavesNobodyRoom(boolean waits) throws Exception {
        SignalledIdle idle = SignalledIdle.exact(0); // parks at once, without a deadline while nothing is in the way
        RingBuffer<long[]> ring = Rings.ringBuilder(false, CAPACITY)
                .onAbandonedClaim(TimeUnit.MILLISECONDS.toNanos(2), claim -> {
                    if (claim.lowest() < CAPACITY) { // what the other claims later may look abandoned on a slow machine
                        claim.abort();
                    }
                })
                .consumersIdle(() -> idle)
                .build();
        AtomicReference<Long> handled = new AtomicReference<>();
        try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.set(sequence));
            pipeline.start();
            Rings.await("the consumer to park", () -> idle.parkedSince() != SignalledIdle.NO_DEADLINE);
            Thread feed = new Thread(() -> ring.producer().next(CAPACITY), "feed");
            feed.start();
            feed.join();

            Producer<long[]> other = ring.producer();
            if (waits) {
                assertThat(other.next(1, Rings.LONG)).isEqualTo(CAPACITY);
            } else {
                Rings.await("room", () -> other.tryNext(1) >= 0);
            }
            other.publish(CAPACITY, CAPACITY);
            Rings.await("the event behind the abandoned claim", () -> handled.get() != null);
            assertThat(handled.get()).isEqualTo(CAPACITY);
        }
    }
}
