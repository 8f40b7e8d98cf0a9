package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Progress within a batch is for those who follow: they do not sleep until its end. */
@Tag("concurrency")
@Timeout(60)
class ProgressWithinABatchTest {
    @ParameterizedTest(name = "one producer: {0}")
    @ValueSource(booleans = {true, false})
    void aFollowerThatSleepsIsWokenByProgressWithinABatch(boolean single) {
        RingBuffer<long[]> ring =
                Rings.ringBuilder(single, 8).consumersIdle(SignalledIdle::exact).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        SignalledIdle idle = SignalledIdle.exact();
        AtomicLong handled = new AtomicLong(-1);
        AtomicReference<@Nullable ConsumerHandle> self = new AtomicReference<>();
        NewConsumer<long[]> first = pipeline.batchConsumer("first", (events, lo, hi) -> {
            for (long sequence = lo; sequence <= hi; sequence++) {
                long finished = sequence;
                Rings.await("the follower sleeps", () -> idle.parkedSince() != SignalledIdle.NO_DEADLINE);
                Objects.requireNonNull(self.get()).progress(finished);
                Rings.await("the follower handles " + finished, () -> handled.get() == finished);
            }
            return hi;
        });
        pipeline.handleEventsWith(first)
                .then(pipeline.consumer("second", (event, sequence, endOfBatch) -> handled.set(sequence)));
        pipeline.idle("second", () -> idle);
        self.set(first.handle());
        ring.producer().publishEvents((event, sequence, index) -> event[0] = sequence, 4);
        pipeline.start();
        Rings.await("all is handled", () -> handled.get() == 3);
        assertThat(pipeline.drain(Rings.LONG).isNone()).isTrue();
    }

    /** Producers may have claimed these slots again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatProgressHasGivenAwayDoesNotComeAgainWhateverTheHandlerReturns(boolean single) {
        RingBuffer<long[]> ring = Rings.ring(single, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicReference<@Nullable ConsumerHandle> self = new AtomicReference<>();
        List<String> batches = new ArrayList<>();
        NewConsumer<long[]> consumer = pipeline.batchConsumer("first", (events, lo, hi) -> {
            batches.add(lo + " to " + hi);
            Objects.requireNonNull(self.get()).progress(lo);
            return lo - 1;
        });
        pipeline.handleEventsWith(consumer);
        self.set(consumer.handle());
        EventProcessor processor = pipeline.startProcessors().get(0);
        ring.producer().publishEvents((event, sequence, index) -> event[0] = sequence, 2);
        Rings.exhaust(processor);
        assertThat(batches).containsExactly("0 to 1", "1 to 1");
    }
}
