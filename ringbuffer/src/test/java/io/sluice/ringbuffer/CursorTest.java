package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cursor stops before an open claim and never goes back. */
@Timeout(30)
class CursorTest {
    private static List<RingBuffer<Object>> all(int capacity) {
        return Stream.of(false, true)
                .flatMap(bytes -> Stream.of(
                        Words.ring(bytes, 1).capacity(capacity).singleProducer().build(),
                        Words.ring(bytes, 1).capacity(capacity).build()))
                .toList();
    }

    @Test
    void theCursorOfARingWithoutConsumersStopsBeforeAnOpenClaim() {
        for (RingBuffer<Object> ring : all(4)) {
            Producer<Object> producer = ring.producer();
            producer.next(1);
            assertThat(ring.cursor().get()).isEqualTo(-1);
            producer.publish(0, 0);
            assertThat(ring.cursor().get()).isEqualTo(0);
            for (int i = 1; i < 20; i++) {
                producer.next(1);
                assertThat(ring.cursor().get()).isEqualTo(i - 1);
                producer.publish(i, i);
                assertThat(ring.cursor().get()).isEqualTo(i);
            }
        }
    }

    /** Also while consumers and producers go on between the reads that the cursor of a ring with many producers needs. */
    @Test
    @Tag("concurrency")
    void theCursorNeverGoesBack() throws InterruptedException {
        for (RingBuffer<Object> ring : all(4)) {
            Pipeline<Object> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
            EventProcessor agent = pipeline.startProcessors().get(0);
            int events = 200_000;
            Thread both = new Thread(() -> {
                Producer<Object> producer = ring.producer();
                for (int i = 0; i < events; i++) {
                    producer.publishEvent((event, sequence, value) -> Words.set(event, sequence, 0, value), i);
                    agent.doWork();
                }
            });
            both.start();
            long last = -1;
            while (last < events - 1) {
                long now = ring.cursor().get();
                assertThat(now).isGreaterThanOrEqualTo(last);
                last = now;
            }
            both.join();
        }
    }
}
