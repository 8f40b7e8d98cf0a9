package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rings that track claims, shed or clear allocate nothing an event either. */
@Tag("once")
@Timeout(60)
class RecoveryAllocationTest {
    private static final int EVENTS = 20_000;

    private long passed;

    private final EventHandler<long[]> handler = (event, sequence, endOfBatch) -> passed++;
    private final PollHandler<long[], RuntimeException> polled = (event, sequence, endOfBatch) -> passed++;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void trackedClaimsAllocateNothing(boolean single) {
        RingBuffer<long[]> ring = Rings.ringBuilder(single, 64).trackClaims().build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        assertThat(Allocated.least(() -> {
                    for (int i = 0; i < EVENTS; i++) {
                        producer.publishEvent((event, sequence, value) -> event[0] = value, i);
                        long hi = producer.next(3);
                        producer.get(hi)[0] = i;
                        producer.abort(hi - 2, hi - 2);
                        producer.publish(hi - 1, hi);
                        poller.poll(polled, 8);
                    }
                }))
                .isZero();
        assertThat(passed).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sheddingAndClearingAllocateNothing(boolean single) {
        long[] shed = new long[1];
        RingBuffer<long[]> ring = Rings.ringBuilder(single, 64)
                .shedding((consumer, event, sequence) -> shed[0]++)
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> poller = pipeline.poller("books");
        pipeline.handleEventsWith(handler);
        pipeline.clearEventsWith(event -> event[0] = 0);
        List<EventProcessor> processors = pipeline.startProcessors();
        EventProcessor books = processors.get(0);
        EventProcessor clearing = processors.get(1);
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(ring.producer(), 0);
        assertThat(Allocated.least(() -> {
                    for (int i = 0; i < EVENTS; i++) {
                        while (producer.publishEvent((event, sequence, value) -> event[0] = value, i) >= 0) {}
                        poller.poll(polled, 8);
                        books.doWork();
                        clearing.doWork();
                    }
                }))
                .isZero();
        assertThat(shed[0]).isPositive();
    }
}
