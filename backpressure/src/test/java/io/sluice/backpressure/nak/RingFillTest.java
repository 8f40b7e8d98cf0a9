package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import io.sluice.backpressure.rate.PacedPublisher;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.ringbuffer.EventTranslatorOneArg;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;

/** A ring watched as it is, and with it the whole loop in one process and virtual time. */
class RingFillTest {
    private static final long STREAM = 1;
    private static final long TICK = 10_000;
    private static final int CAPACITY = 4096;
    private static final EventTranslatorOneArg<long[], Long> FILL = (event, sequence, value) -> event[0] = value;

    @Test
    void aRingTellsItsFillAndItsPositions() {
        RingBuffer<long[]> ring = ring();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            processor.onStart();
            FillSource source = FillSource.of(ring, pipeline.consumer(handler));
            assertThat(source.capacity()).isEqualTo(CAPACITY);
            assertThat(source.fill()).isZero();
            assertThat(source.consumedPosition()).isZero();
            assertThat(source.newestPosition()).isZero();
            try (Producer<long[]> producer = ring.producer()) {
                for (long i = 0; i < CAPACITY; i++) {
                    producer.publishEvent(FILL, i);
                    assertThat(source.fill()).isEqualTo(i + 1);
                    assertThat(source.newestPosition()).isEqualTo(i + 1);
                    assertThat(source.consumedPosition()).isZero();
                }
                assertThat(producer.tryPublishEvent(FILL, 0L)).isEqualTo(Producer.FULL);
                int handled = processor.doWork();
                assertThat(handled).isPositive();
                assertThat(source.consumedPosition()).isEqualTo(handled);
                assertThat(source.fill()).isEqualTo(CAPACITY - handled);
            }
            processor.onClose();
        }
    }

    /** Where producers find no room, the fill is 100 percent, and a monitor says so. */
    @Test
    void aRingThatRetainsEventsIsFullWhereProducersWait() throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(16)
                .retain(6)
                .singleProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        FillSource source = FillSource.of(ring, poller.consumer());
        assertThat(source.capacity()).isEqualTo(10);
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 64);
        FillMonitor monitor = new FillMonitor(source, ends.get(1), new VirtualClock(0), STREAM, 1, 1_000_000);
        List<Integer> levels = new ArrayList<>();
        try (ring;
                Producer<long[]> producer = ring.producer()) {
            while (producer.tryPublishEvent(FILL, 0L) >= 0) {
                monitor.poll();
            }
            ends.get(0).receive(nak -> levels.add(nak.level()), 64);
            assertThat(levels).containsExactly(50, 75, 87, 100);
            poller.poll((event, sequence, endOfBatch) -> {}, 4);
            assertThat(source.fill()).isEqualTo(6);
        }
    }

    /** The publisher wants four times what the consumer handles: its NAKs alone find the rate, and the ring is never full. */
    @Test
    void naksKeepThePublisherFromAFullRing() {
        VirtualClock clock = new VirtualClock(0);
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 64);
        RateLimiter limiter = RateLimiter.singleWriter(clock, 64);
        RingBuffer<long[]> ring = ring();
        List<Long> handled = new ArrayList<>();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> handled.add(event[0]);
        try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(pipeline.consumer("slow", handler).batchLimit(5));
            EventProcessor processor = pipeline.startProcessors().get(0);
            processor.onStart();
            ConsumerHandle consumer = pipeline.consumer(handler);
            FillMonitor monitor =
                    new FillMonitor(FillSource.of(ring, consumer), ends.get(1), clock, STREAM, 1, 1_000_000);
            long[] published = {0};
            NakController controller = NakController.builder(ends.get(0), limiter, () -> published[0], clock)
                    .build();
            try (Producer<long[]> producer = ring.producer()) {
                PacedPublisher<Long> publisher = new PacedPublisher<>(limiter, 16, NoOpIdleStrategy.INSTANCE, batch -> {
                    for (int i = 0; i < batch.size(); i++) {
                        assertThat(producer.tryPublishEvent(FILL, batch.get(i)))
                                .as("room for message " + batch.get(i))
                                .isNotNegative();
                        published[0]++;
                    }
                });
                long wanted = 0;
                long refused = 0;
                for (int tick = 0; tick < 100_000; tick++) { // a second, at 2,000,000 wanted and 500,000 handled
                    clock.now += TICK;
                    for (int i = 0; i < 20; i++) {
                        if (publisher.tryPublish(wanted)) {
                            wanted++;
                        } else {
                            refused++;
                        }
                        monitor.poll();
                    }
                    controller.doWork();
                    processor.doWork();
                }
                assertThat(controller.engagements()).isPositive();
                assertThat(refused).as("the publisher was held back").isGreaterThan(1_000_000);
                assertThat(handled.size()).as("the consumer was kept busy").isGreaterThan(490_000);
                for (int i = 0; i < handled.size(); i++) {
                    assertThat((long) handled.get(i)).isEqualTo(i);
                }
            }
            processor.onClose();
        }
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void nullsAreRefused() {
        assertThatThrownBy(() -> FillSource.of(null, null)).hasMessage("ring must not be null");
        assertThatThrownBy(() -> FillSource.of(ring(), null)).hasMessage("consumer must not be null");
    }

    private static RingBuffer<long[]> ring() {
        return RingBufferBuilder.of(() -> new long[1])
                .capacity(CAPACITY)
                .singleProducer()
                .build();
    }
}
