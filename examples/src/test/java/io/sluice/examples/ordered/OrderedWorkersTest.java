package io.sluice.examples.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ordered.SchedulerSnapshot;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class OrderedWorkersTest {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(50);

    /** Plain fields on purpose: the ring and the scheduler are to make what is in them visible. */
    private static final class Event {
        private long value;
        private long handedOut;
    }

    private static RingBuffer<Event> ring(int capacity) {
        return RingBufferBuilder.of(Event::new)
                .capacity(capacity)
                .singleProducer()
                .build();
    }

    private static void publish(RingBuffer<Event> ring, Pipeline<Event> pipeline, int events) {
        try (Producer<Event> producer = ring.producer()) {
            long last = -1;
            for (int i = 0; i < events; i++) {
                last = producer.publishEvent((event, sequence) -> {
                    event.value = sequence * 3;
                    event.handedOut = -1;
                });
            }
            assertThat(pipeline.awaitHandled(last, PATIENCE)).isTrue();
        }
    }

    private static void spin(long value) {
        long rounds = new SplittableRandom(value).nextInt(30);
        for (long i = 0; i < rounds; i++) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @Tag("concurrency")
    @CsvSource({"1,1", "1,8", "2,1", "2,2", "2,1024", "3,4", "5,4", "7,64"})
    void handsOutEveryResultOnceAndInOrderBeforeThoseBehind(int workers, int capacity) {
        int events = 20_000;
        List<Long> results = new ArrayList<>();
        long[] behind = new long[2];
        EventHandler<Event> last = (event, sequence, endOfBatch) -> {
            behind[0]++;
            behind[1] += event.handedOut == sequence ? 0 : 1;
        };
        RingBuffer<Event> ring = ring(capacity);
        try (OrderedWorkers<Event, Long> ordered = new OrderedWorkers<>(
                        ring,
                        workers,
                        event -> {
                            spin(event.value);
                            return event.value / 3;
                        },
                        (event, result) -> {
                            results.add(event.value == 3 * result ? result : -1);
                            event.handedOut = result;
                        });
                Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleBatchesWith(ordered.handlers()).then(last);
            pipeline.start();
            publish(ring, pipeline, events);
            SchedulerSnapshot metrics = ordered.snapshot();
            assertThat(metrics.inOrder() + metrics.deferred()).isEqualTo(events);
            if (workers == 1) {
                assertThat(metrics.deferred()).isZero();
            }
        }
        assertThat(behind[0]).isEqualTo(events);
        assertThat(behind[1]).as("events that were handled before their output").isZero();
        assertThat(results).hasSize(events);
        for (int i = 0; i < events; i++) {
            assertThat(results.get(i)).isEqualTo(i);
        }
    }

    /** The second worker cannot go on to its second event before the output of its first, if it waits for anybody. */
    @Test
    @Tag("concurrency")
    void aWorkerLeavesItsResultAndGoesOn() {
        int events = 8;
        List<Long> results = new ArrayList<>();
        CountDownLatch othersDone = new CountDownLatch(events / 2);
        RingBuffer<Event> ring = ring(events);
        try (OrderedWorkers<Event, Long> ordered = new OrderedWorkers<>(
                        ring,
                        2,
                        event -> {
                            if (event.value == 0) {
                                othersDone.await(); // all of the other worker's, which are behind this one
                            } else if (event.value % 2 == 1) {
                                othersDone.countDown();
                            }
                            return event.value / 3;
                        },
                        (event, result) -> results.add(result));
                Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleBatchesWith(ordered.handlers());
            pipeline.start();
            publish(ring, pipeline, events);
            assertThat(ordered.snapshot().deferred()).isPositive();
        }
        assertThat(results).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @ParameterizedTest
    @Tag("concurrency")
    @ValueSource(booleans = {true, false})
    void aFailureEndsTheRingInItsTurn(boolean inWork) {
        int fails = 37;
        List<Long> results = new ArrayList<>();
        RingBuffer<Event> ring = ring(8);
        OrderedWorkers<Event, Long> ordered = new OrderedWorkers<>(
                ring,
                2,
                event -> {
                    if (inWork && event.value == 3L * fails) {
                        throw new IOException("on purpose");
                    }
                    return event.value / 3;
                },
                (event, result) -> {
                    if (result == fails) {
                        throw new IOException("on purpose");
                    }
                    results.add(result);
                });
        try (ordered;
                Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleBatchesWith(ordered.handlers());
            pipeline.start();
            assertThatThrownBy(() -> publish(ring, pipeline, 1_000))
                    .isInstanceOf(RingFailedException.class)
                    .hasRootCauseInstanceOf(IOException.class)
                    .hasRootCauseMessage("on purpose");
        }
        assertThat(results).hasSize(fails);
        for (int i = 0; i < fails; i++) {
            assertThat(results.get(i)).isEqualTo(i);
        }
    }

    /** A claim that its producer gave up has no event: nobody gets it, and nobody waits for it. */
    @RepeatedTest(5)
    @Tag("concurrency")
    void abortedClaimsDoNotHoldUpTheOthers() {
        SplittableRandom random = new SplittableRandom(5);
        int claims = 1_000;
        List<Long> expected = new ArrayList<>();
        List<Long> results = new ArrayList<>();
        RingBuffer<Event> ring = ring(8);
        long[] early = new long[1];
        EventHandler<Event> behind = (event, sequence, endOfBatch) -> early[0] += event.handedOut == sequence ? 0 : 1;
        OrderedWorkers<Event, Long> ordered = new OrderedWorkers<>(ring, 3, event -> event.value, (event, result) -> {
            results.add(result);
            event.handedOut = result;
        });
        try (ordered;
                Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleBatchesWith(ordered.handlers()).then(behind);
            pipeline.start();
            try (Producer<Event> producer = ring.producer()) {
                for (long i = 0; i < claims; i++) {
                    long sequence = producer.next(1);
                    if (i < claims - 1 && random.nextBoolean()) { // in runs, some longer than the ring
                        producer.abort(sequence, sequence);
                        continue;
                    }
                    Event event = ring.get(sequence);
                    event.value = sequence;
                    event.handedOut = -1;
                    producer.publish(sequence, sequence);
                    expected.add(sequence);
                }
                assertThat(pipeline.awaitHandled(claims - 1, PATIENCE)).isTrue();
            }
        }
        assertThat(results).isEqualTo(expected);
        assertThat(early[0]).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 65, Integer.MIN_VALUE})
    void refusesOtherNumbersOfWorkers(int workers) {
        assertThatThrownBy(() ->
                        new OrderedWorkers<Event, Long>(ring(8), workers, event -> event.value, (event, result) -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("workers must be from 1 to 64, but was " + workers);
    }
}
