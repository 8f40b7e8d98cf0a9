package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers on threads of their own, while others publish, join, leave, pause and die. */
@Tag("concurrency")
@Timeout(120)
class WorkerPoolThreadsTest {
    private static final int EVENTS = 20_000;

    private static final List<Supplier<IdleStrategy>> IDLES = List.of(
            SignalledIdle::exact,
            () -> SignalledIdle.exact(0),
            SignalledIdle::timed,
            BackoffIdleStrategy::new,
            YieldingIdleStrategy::new);

    /** What has been handled how often, and whether it was in time for those who follow. */
    private static final class Log {
        final AtomicIntegerArray handled = new AtomicIntegerArray(EVENTS + 1);
        final long[] sums = new long[EVENTS + 1]; // plain: handed on by progress
        long followed = -1;

        @Nullable
        String wrong;

        EventHandler<long[]> worker(long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            return (event, sequence, endOfBatch) -> {
                handled.incrementAndGet((int) sequence);
                sums[(int) sequence] = event[0] + 1;
                if (random.nextInt(200) == 0) { // uneven work
                    LockSupport.parkNanos(1_000);
                }
            };
        }

        /** Sees each event once, in order, done. */
        EventHandler<long[]> follower() {
            return (event, sequence, endOfBatch) -> {
                if (wrong == null
                        && (sequence != followed + 1
                                || handled.get((int) sequence) != 1
                                || sums[(int) sequence] != sequence + 1)) {
                    wrong = sequence + " after " + followed + ", handled " + handled.get((int) sequence)
                            + " times, sum " + sums[(int) sequence];
                }
                followed = sequence;
            };
        }

        void checkUpTo(long last) {
            assertThat(wrong).isNull();
            for (int i = 0; i <= last; i++) {
                assertThat(handled.get(i)).as("times that %d was handled", i).isEqualTo(1);
            }
        }
    }

    private static void publish(Producer<long[]> producer, int n) {
        for (int i = 0; i < n; i++) {
            producer.publishEvent((event, sequence) -> event[0] = sequence);
        }
    }

    /** A step is an event that is published. */
    @Test
    void workersComeAndGoWhileProducersPublish() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, EVENTS), program -> {
                    workersComeAndGo(program.random(), program.size());
                    return program.size();
                })
                .budget("io.sluice.model.events", 6L * EVENTS)
                .run();
    }

    private static void workersComeAndGo(SplittableRandom random, int events) throws Exception {
        int producers = 1 + random.nextInt(2);
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(1 << random.nextInt(1, 8))
                .multiProducer()
                .consumersIdle(IDLES.get(random.nextInt(IDLES.size())))
                .build();
        Log record = new Log();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> stays = record.worker(random.nextLong());
        EventHandler<long[]> leaves = record.worker(random.nextLong());
        EventHandler<long[]> follower = record.follower();
        boolean first = random.nextBoolean();
        (first
                        ? pipeline.handleEventsWith((EventHandler<long[]>) (event, sequence, endOfBatch) -> {})
                                .thenWorkerPool(stays, leaves)
                        : pipeline.handleEventsWithWorkerPool(stays, leaves))
                .then(follower);
        pipeline.start();
        List<Rings.Caller> callers = new ArrayList<>();
        AtomicLong open = new AtomicLong(producers);
        for (int i = 0; i < producers; i++) {
            Producer<long[]> producer = ring.producer();
            callers.add(new Rings.Caller(() -> {
                publish(producer, events / producers);
                open.decrementAndGet();
            }));
        }
        List<ConsumerHandle> present = new ArrayList<>(List.of(pipeline.consumer(leaves)));
        ConsumerHandle anchor = pipeline.consumer(stays);
        int joined = 0;
        while (open.get() > 0) {
            switch (random.nextInt(4)) {
                case 0 -> {
                    if (present.size() < 4) {
                        present.add(
                                pipeline.join(pipeline.consumer("joined" + joined++, record.worker(random.nextLong())))
                                        .sharingWith(anchor)
                                        .start(LONG));
                    }
                }
                case 1 -> {
                    if (!present.isEmpty()) {
                        assertThat(present.remove(random.nextInt(present.size()))
                                        .remove(LONG))
                                .isEqualTo(Removal.LEFT);
                    }
                }
                case 2 -> {
                    if (!present.isEmpty()) {
                        ConsumerHandle one = present.get(random.nextInt(present.size()));
                        one.pause();
                        LockSupport.parkNanos(50_000);
                        one.resume();
                    }
                }
                default -> { // one whose thread ends without a word, between two events
                    EventHandler<long[]> handler = record.worker(random.nextLong());
                    EventProcessor processor = pipeline.join(pipeline.consumer("dies" + joined++, handler))
                            .sharingWith(anchor)
                            .processor(LONG);
                    int cycles = random.nextInt(20);
                    Rings.Caller caller = new Rings.Caller(() -> {
                        for (int i = 0; i <= cycles; i++) {
                            processor.doWork();
                        }
                    });
                    ConsumerHandle dead = pipeline.consumer(handler);
                    assertThat(caller.result()).isNull();
                    assertThat(dead.remove(LONG)).isEqualTo(Removal.LEFT);
                }
            }
        }
        for (Rings.Caller caller : callers) {
            assertThat(caller.result()).isNull();
        }
        long last = (long) events / producers * producers - 1;
        assertThat(pipeline.awaitHandled(last, LONG))
                .as(() -> RingMonitor.of(ring).dump())
                .isTrue();
        assertThat(ring.drain(LONG).isNone()).isTrue();
        ring.close();
        record.checkUpTo(last);
        assertThat(record.followed).isEqualTo(last);
    }

    /** The colleague rests, so that nobody else wakes whoever sleeps behind the stage. */
    @Test
    void whoSleepsBehindTheWorkersIsWokenByOneThatJoinedLater() throws Exception {
        SignalledIdle sleeper = SignalledIdle.exact(0);
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Log record = new Log();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> first = record.worker(1);
        pipeline.handleEventsWithWorkerPool(first).then(pipeline.consumer("behind", record.follower()));
        pipeline.idle("behind", () -> sleeper);
        pipeline.start();
        pipeline.join(record.worker(2)).sharingWith(pipeline.consumer(first)).start(LONG);
        pipeline.consumer(first).pause();
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 3; i++) {
            Rings.await("it sleeps", () -> sleeper.parkedSince() != SignalledIdle.NO_DEADLINE);
            publish(producer, 1);
            assertThat(pipeline.awaitHandled(i, LONG))
                    .as(() -> RingMonitor.of(ring).dump())
                    .isTrue();
        }
        ring.close();
        record.checkUpTo(2);
    }

    /** One event at a time to workers that park at once: a single lost wake-up leaves the publisher waiting. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noWakeUpIsLost(boolean single) {
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(8).consumersIdle(() -> SignalledIdle.exact(0));
        RingBuffer<long[]> ring = (single ? builder.singleProducer() : builder.multiProducer()).build();
        Log record = new Log();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWithWorkerPool(record.worker(1), record.worker(2), record.worker(3))
                .then(record.follower());
        pipeline.start();
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 1_000; i++) {
            int burst = 1 + i % 3;
            publish(producer, burst);
            long last = ring.cursor().get();
            if (i % 2 == 0) {
                assertThat(pipeline.awaitHandled(last, LONG))
                        .as(() -> RingMonitor.of(ring).dump())
                        .isTrue();
            }
        }
        long last = ring.cursor().get();
        assertThat(pipeline.awaitHandled(last, LONG)).isTrue();
        ring.close();
        record.checkUpTo(last);
    }

    /** Whatever is under way when one fails: what is handed on is a run without gaps that ends before the failing event. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 50, 500, 5_000})
    void aFailureEndsTheStageBeforeTheFailingEvent(int failing) throws Exception {
        for (boolean error : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(64)
                    .consumersIdle(SignalledIdle::exact)
                    .build();
            Log record = new Log();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            List<EventHandler<long[]>> workers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                EventHandler<long[]> worker = record.worker(i);
                workers.add((event, sequence, endOfBatch) -> {
                    if (sequence == failing) {
                        if (error) {
                            throw new AssertionError("planned");
                        }
                        throw new IllegalStateException("planned");
                    }
                    worker.onEvent(event, sequence, endOfBatch);
                });
            }
            pipeline.onFailure((cause, event, sequence, attempt) -> Action.HALT);
            pipeline.handleEventsWithWorkerPool(workers.get(0), workers.get(1), workers.get(2))
                    .then(record.follower());
            pipeline.start();
            Producer<long[]> producer = ring.producer();
            Rings.Caller caller = new Rings.Caller(() -> publish(producer, EVENTS));
            assertThat(caller.result()).isInstanceOf(RingFailedException.class);
            assertThat(ring.state()).isEqualTo(State.FAILED);
            Rings.await(
                    "the ends",
                    () -> pipeline.consumers().stream()
                            .allMatch(one -> one instanceof ConsumerNode<?> node && node.isEnded()));
            ring.close();
            record.checkUpTo(failing - 1);
            assertThat(record.followed).isEqualTo(failing - 1);
            assertThat(pipeline.consumers().stream()
                            .filter(one -> one.failure() != null)
                            .count())
                    .isEqualTo(1);
        }
    }

    /** Somebody else joins and leaves behind and before the workers: whoever is held is all of them. */
    @Test
    void othersJoinAndLeaveAroundTheWorkers() throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(64)
                .consumersIdle(SignalledIdle::exact)
                .build();
        Log record = new Log();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> a = record.worker(1);
        EventHandler<long[]> b = record.worker(2);
        EventHandler<long[]> follower = record.follower();
        pipeline.handleEventsWithWorkerPool(a, b).then(follower);
        pipeline.start();
        Producer<long[]> producer = ring.producer();
        Rings.Caller caller = new Rings.Caller(() -> publish(producer, EVENTS));
        while (caller.thread.isAlive()) {
            AtomicLong seen = new AtomicLong(-1);
            AtomicLong gaps = new AtomicLong();
            EventHandler<long[]> inOrder = (event, sequence, endOfBatch) -> {
                if ((seen.get() >= 0 && sequence != seen.get() + 1) || event[0] != sequence) {
                    gaps.incrementAndGet();
                }
                seen.set(sequence);
            };
            ConsumerHandle before =
                    pipeline.join(inOrder).before(pipeline.consumer(a)).start(LONG);
            ConsumerHandle last = pipeline.join((EventHandler<long[]>) (event, sequence, endOfBatch) -> {
                        if (record.handled.get((int) sequence) != 1) {
                            gaps.incrementAndGet();
                        }
                    })
                    .after(pipeline.consumer(b))
                    .start(LONG);
            LockSupport.parkNanos(200_000);
            assertThat(before.remove(LONG)).isEqualTo(Removal.LEFT);
            assertThat(last.remove(LONG)).isEqualTo(Removal.LEFT);
            assertThat(gaps.get()).isZero();
        }
        assertThat(caller.result()).isNull();
        assertThat(pipeline.awaitHandled(EVENTS - 1, LONG)).isTrue();
        ring.close();
        record.checkUpTo(EVENTS - 1);
    }
}
