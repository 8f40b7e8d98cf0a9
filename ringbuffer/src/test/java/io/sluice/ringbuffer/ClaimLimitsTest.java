package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.fill;
import static io.sluice.ringbuffer.Rings.ring;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.Rings.Caller;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A claim that waits for room can be limited in time and interrupted. */
@Timeout(60)
class ClaimLimitsTest {
    private static RingBuffer<long[]> parkingProducers(boolean single, int capacity) {
        return ringBuilder(single, capacity)
                .producersIdle(() -> new BackoffIdleStrategy(1, 1, 1_000_000, 1_000_000))
                .build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClaimHasATimeLimit(boolean single) {
        RingBuffer<long[]> ring = ring(single, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("poller");
        Producer<long[]> producer = ring.producer();
        fill(producer);
        assertThat(producer.next(1, TimeUnit.MILLISECONDS.toNanos(2))).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.next(4, 0)).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.next(1, -1)).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.next(1, Long.MIN_VALUE)).isEqualTo(Producer.TIMED_OUT);
        assertThat(ring.leftover()).isEqualTo(new Ring.Leftover(4, 0, 1, "poller", List.of()));
        assertThat(poller.consumer().lag()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aWaitingClaimCanBeInterruptedAndKeepsTheFlag(boolean single) throws Exception {
        for (boolean timed : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = parkingProducers(single, 4);
            Pipeline.on(ring).poller("nobody polls");
            AtomicReference<Boolean> flag = new AtomicReference<>();
            Caller publisher = new Caller(() -> {
                Producer<long[]> producer = ring.producer();
                fill(producer);
                try {
                    if (timed) {
                        assertThat(producer.next(1, TimeUnit.HOURS.toNanos(1))).isEqualTo(Producer.INTERRUPTED);
                    } else {
                        assertThatThrownBy(() -> producer.next(1)).isInstanceOf(ClaimInterruptedException.class);
                    }
                } finally {
                    flag.set(Thread.currentThread().isInterrupted());
                    producer.close();
                }
            });
            publisher.awaitWaiting();
            publisher.thread.interrupt();
            assertThat(publisher.result()).isNull();
            assertThat(flag).hasValue(true);
            assertThat(ring.leftover()).isEqualTo(new Ring.Leftover(4, 0, 0, "nobody polls", List.of()));
        }
    }
}
