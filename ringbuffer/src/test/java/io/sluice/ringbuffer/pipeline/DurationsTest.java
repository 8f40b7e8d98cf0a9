package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A time may be given as a duration too, and means the same then. */
@Timeout(60)
class DurationsTest {
    @Test
    void joinsTakeADurationHoweverTheyEnd() throws Exception {
        RingBuffer<long[]> ring =
                RingBufferBuilder.of(() -> new long[1]).capacity(8).build();
        List<String> seen = new ArrayList<>();
        try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> seen.add("first " + sequence));
            EventProcessor first = pipeline.startProcessors().get(0);
            first.doWork();
            EventHandler<long[]> joiner = (event, sequence, endOfBatch) -> seen.add("joined " + sequence);
            EventProcessor joined =
                    pipeline.join(pipeline.consumer("joined", joiner)).processor(Duration.ZERO);
            joined.doWork();
            EventPoller<long[]> poller = pipeline.joinPoller("polled").poller(Duration.ZERO);
            assertThatThrownBy(() -> pipeline.joinPoller("other").poller((Duration) null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("limit");
            try (Producer<long[]> producer = ring.producer()) {
                producer.publishEvent((event, sequence) -> event[0] = sequence);
            }
            first.doWork();
            joined.doWork();
            poller.poll((event, sequence, endOfBatch) -> seen.add("polled " + sequence), 8);
        }
        assertThat(seen).containsExactly("first 0", "joined 0", "polled 0");
    }

    @Test
    void theTimeOfAnAbandonedClaimIsTakenAsNanoseconds() {
        RingBufferBuilder<long[]> builder = RingBufferBuilder.of(() -> new long[1]);
        assertThatThrownBy(() -> builder.onAbandonedClaim(Duration.ZERO, claim -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("afterNanos must be 1 or more, but was 0");
        assertThatThrownBy(() -> builder.onAbandonedClaim((Duration) null, claim -> {}))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("after");
        assertThat(builder.onAbandonedClaim(Duration.ofMillis(1), claim -> {})).isSameAs(builder);
    }

    @Test
    void theTimeOfDropOldestIsTakenAsNanoseconds() {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(1)
                .shedding((consumer, event, sequence) -> {})
                .build();
        Pipeline.on(ring).poller("nobody looks");
        Producer<long[]> producer = ring.producer();
        assertThatThrownBy(() -> DroppingProducer.dropOldest(producer, Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeoutNanos must be 0 or more, but was -1");
        assertThatThrownBy(() -> DroppingProducer.dropOldest(producer, (Duration) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("timeout");
        DroppingProducer<long[]> patient = DroppingProducer.dropOldest(producer, Duration.ofMillis(20));
        assertThat(patient.publishEvent((event, sequence) -> {})).isZero();
        long began = System.nanoTime();
        assertThat(patient.publishEvent((event, sequence) -> {})).isEqualTo(Producer.TIMED_OUT);
        assertThat(System.nanoTime() - began).isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void aDetectorTakesTheTimeAsNanoseconds() {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        ring.producer().next();
        StalledClaimDetector detector = StalledClaimDetector.of(ring);
        AbandonedClaim claim = detector.look(Duration.ofMillis(20));
        while (claim == null) {
            claim = detector.look(Duration.ofMillis(20));
        }
        assertThat(claim.stoodNanos()).isGreaterThanOrEqualTo(20_000_000);
        assertThat(detector.look(Duration.ZERO)).isNotNull();
        assertThat(detector.look(Duration.ofSeconds(Long.MAX_VALUE))).isNull();
        assertThat(detector.look(Duration.ofSeconds(Long.MIN_VALUE))).isNotNull();
        assertThatThrownBy(() -> detector.look((Duration) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("standsFor");
    }

    @Test
    @Tag("concurrency")
    void aCloseOfAHugelyNegativeTimeDoesNotWait() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(left -> {});
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        });
        pipeline.start();
        Rings.publish(ring.producer(), 1);
        inside.await();
        AtomicReference<Ring.Leftover> left = new AtomicReference<>();
        Rings.Caller closer = new Rings.Caller(() -> left.set(ring.close(Duration.ofSeconds(Long.MIN_VALUE))));
        try {
            assertThat(closer.result()).isNull();
            assertThat(left.get().running()).hasSize(1);
        } finally {
            goOn.countDown();
            ring.close();
        }
    }
}
