package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.LONG;
import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program sees of its consumers: the batches that it limited, who parks, and who is behind. */
@Timeout(60)
class ConsumersInSightTest {
    @Test
    void aBatchCanBeLimited() {
        RingBuffer<long[]> ring = ring(true, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder handler = new Rings.Recorder();
        pipeline.handleEventsWith(pipeline.consumer("handler", handler).batchLimit(3));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 7);
        assertThat(processor.doWork()).isEqualTo(3);
        assertThat(processor.sequence().get()).isEqualTo(2);
        assertThat(processor.doWork()).isEqualTo(3);
        assertThat(processor.doWork()).isEqualTo(1);
        assertThat(handler.calls)
                .containsExactly(
                        "onStart",
                        "start 3/7",
                        "0",
                        "1",
                        "2!",
                        "end 2",
                        "start 3/4",
                        "3",
                        "4",
                        "5!",
                        "end 5",
                        "start 1/1",
                        "6!",
                        "end 6");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void dependentsParkAndAreWokenByTheirUpstream(boolean single) {
        RingBuffer<long[]> ring = ringBuilder(single, 8)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> second = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("first", first)).then(pipeline.consumer("second", second));
        SignalledIdle firstIdle = SignalledIdle.exact(0);
        SignalledIdle secondIdle = SignalledIdle.exact(0);
        List<Thread> threads = new ArrayList<>();
        pipeline.idle("first", () -> firstIdle).idle("second", () -> secondIdle).threads(body -> {
            Thread thread = new Thread(body);
            threads.add(thread);
            return thread;
        });
        pipeline.start();
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 200; i++) {
            Rings.await("both park", () -> threads.stream().allMatch(t -> t.getState() == Thread.State.WAITING));
            long parks = secondIdle.parks();
            assertThat(parks).isPositive();
            publish(producer, 1);
            assertThat(pipeline.awaitHandled(i, LONG)).as("event " + i).isTrue();
            Rings.await("the dependent parks again", () -> secondIdle.parks() > parks);
        }
        ring.close();
        assertThat(threads).noneMatch(Thread::isAlive);
    }

    @Test
    void aSlowConsumerIsNamedWithItsLag() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 16);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventPoller<long[]> fast = pipeline.poller("fast");
            EventPoller<long[]> slow = pipeline.poller("slow");
            publish(ring.producer(), 10);
            poll(fast, 10);
            poll(slow, 4);
            assertThat(ring.leftover().slowest()).isEqualTo("slow");
            assertThat(ring.leftover().unhandled()).isEqualTo(6);
            assertThat(fast.consumer().lag()).isZero();
            assertThat(slow.consumer().lag()).isEqualTo(6);
            poll(slow, 6);
            assertThat(ring.leftover().slowest()).isEmpty();
            assertThat(slow.consumer().lag()).isZero();
        }
    }

    private static void poll(EventPoller<long[]> poller, int limit) {
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, limit)).isEqualTo(limit);
    }
}
