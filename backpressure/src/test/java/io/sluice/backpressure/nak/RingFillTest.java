package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import io.sluice.backpressure.rate.PacedPublisher;
import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.core.State;
import io.sluice.ringbuffer.EventTranslatorOneArg;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** No publication waits for it, so no sender has to: not those that it has told to stop, and none later. */
    @Test
    void aConsumerThatHasLeftStopsNoSenderAnyMore() {
        RingBuffer<long[]> ring = small();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> books = pipeline.poller("books");
        EventPoller<long[]> audit = pipeline.poller("audit");
        pipeline.startProcessors();
        VirtualClock clock = new VirtualClock(0);
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, 2, 64);
        FillSource source = FillSource.of(ring, audit.consumer());
        FillMonitor monitor = new FillMonitor(source, ends.get(1), clock, STREAM, 1, 1_000_000);
        List<Integer> levels = new ArrayList<>();
        try (ring;
                Producer<long[]> producer = ring.producer()) {
            for (int i = 0; i < 100; i++) {
                if (i == 10) {
                    assertThat(source.fill()).isEqualTo(10);
                    assertThat(audit.consumer().remove(0)).isEqualTo(Removal.LEFT);
                }
                assertThat(producer.tryPublishEvent(FILL, 0L)).isNotNegative();
                books.poll((event, sequence, endOfBatch) -> {}, 1);
                clock.now += 1_000_000;
                monitor.poll();
            }
            ends.get(0).receive(nak -> levels.add(nak.level()), 64);
            assertThat(levels).as("while it was there").containsExactly(50, 50, 50);
            for (FillSource one : List.of(source, FillSource.of(ring, audit.consumer()))) {
                assertThat(one.fill()).isZero();
                assertThat(one.consumedPosition()).isEqualTo(100);
                assertThat(one.newestPosition()).isEqualTo(100);
            }
        }
    }

    /** Producers wait for one that has been halted, until it is removed. */
    @Test
    void aConsumerThatHasEndedAndNotLeftIsFullStill() {
        RingBuffer<long[]> ring = small();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        processor.onStart();
        processor.halt();
        processor.doWork();
        processor.onClose();
        ConsumerHandle consumer = pipeline.consumer(handler);
        assertThat(consumer.state()).isEqualTo(State.CLOSED);
        FillSource source = FillSource.of(ring, consumer);
        try (ring;
                Producer<long[]> producer = ring.producer()) {
            while (producer.tryPublishEvent(FILL, 0L) >= 0) {}
            assertThat(source.fill()).isEqualTo(16);
            assertThat(source.consumedPosition()).isZero();
            assertThat(consumer.remove(0)).isEqualTo(Removal.LEFT);
            assertThat(source.fill()).isZero();
            assertThat(producer.tryPublishEvent(FILL, 0L)).isNotNegative();
        }
    }

    /** Its colleagues go on from the progress that they share, and producers wait for that. */
    @Test
    void aWorkerThatHasLeftIsAsFullAsItsStage() {
        RingBuffer<long[]> ring = small();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWithWorkerPool((event, sequence, endOfBatch) -> {}, (event, sequence, endOfBatch) -> {});
        pipeline.startProcessors();
        List<? extends ConsumerHandle> workers = pipeline.consumers();
        FillSource source = FillSource.of(ring, workers.get(0));
        try (ring;
                Producer<long[]> producer = ring.producer()) {
            while (producer.tryPublishEvent(FILL, 0L) >= 0) {}
            assertThat(workers.get(0).remove(0)).isEqualTo(Removal.LEFT);
            assertThat(source.fill()).isEqualTo(16);
            assertThat(workers.get(1).remove(0)).isEqualTo(Removal.LEFT);
            assertThat(source.fill()).isZero();
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

    /** Each knows its own messages only, and the ring's positions count those of all. Together they want four times what is handled. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void naksKeepSeveralPublishersFromAFullRingThatTheyShare(int senders) {
        VirtualClock clock = new VirtualClock(0);
        List<RingNakTransport> ends = RingNakTransport.group(STREAM, senders + 1, 256);
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(CAPACITY)
                .multiProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        FillSource source = FillSource.of(ring, poller.consumer());
        FillMonitor monitor = new FillMonitor(source, ends.get(senders), clock, STREAM, 1, 1_000_000);
        monitor.senders(senders);
        List<Producer<long[]>> producers = new ArrayList<>();
        List<RateLimiter> limiters = new ArrayList<>();
        List<NakController> controllers = new ArrayList<>();
        long[] published = new long[senders];
        for (int i = 0; i < senders; i++) {
            int own = i;
            producers.add(ring.producer());
            limiters.add(RateLimiter.singleWriter(clock, 64));
            controllers.add(NakController.builder(ends.get(i), limiters.get(i), () -> published[own], clock)
                    .build());
        }
        long handled = 0;
        for (int tick = 0; tick < 20_000; tick++) { // a second, at 1,920,000 wanted and 480,000 handled
            clock.now += 5 * TICK;
            for (int i = 0; i < 96; i++) {
                int sender = i % senders;
                if (limiters.get(sender).tryAcquire(1)) {
                    assertThat(producers.get(sender).tryPublishEvent(FILL, (long) i))
                            .as("room in tick " + tick)
                            .isNotNegative();
                    published[sender]++;
                }
            }
            handled += poller.poll((event, sequence, endOfBatch) -> {}, 24);
            monitor.poll();
            controllers.forEach(NakController::doWork);
        }
        for (NakController controller : controllers) {
            assertThat(controller.impossibleNaks()).isZero();
            assertThat(controller.engagements()).isPositive();
        }
        assertThat(handled).as("the consumer was kept busy").isGreaterThan(450_000);
        ring.close();
    }

    /** It never gates the ring, so that the ring would count as empty for ever. */
    @Test
    void aConsumerOfAnotherRingIsRefused() {
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        RingBuffer<long[]> other = small();
        Pipeline<long[]> pipeline = Pipeline.on(other);
        pipeline.handleEventsWith(pipeline.consumer("books", handler));
        assertThatThrownBy(() -> FillSource.of(ring(), pipeline.consumer(handler)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("consumer must be one of ring ")
                .hasMessageEndingWith(", but books is of another ring");
        assertThat(FillSource.of(other, pipeline.consumer(handler)).fill()).isZero();
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void nullsAreRefused() {
        assertThatThrownBy(() -> FillSource.of(null, null)).hasMessage("ring must not be null");
        assertThatThrownBy(() -> FillSource.of(ring(), null)).hasMessage("consumer must not be null");
    }

    private static RingBuffer<long[]> small() {
        return RingBufferBuilder.of(() -> new long[1])
                .capacity(16)
                .singleProducer()
                .build();
    }

    private static RingBuffer<long[]> ring() {
        return RingBufferBuilder.of(() -> new long[1])
                .capacity(CAPACITY)
                .singleProducer()
                .build();
    }
}
