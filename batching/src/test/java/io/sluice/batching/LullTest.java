package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalSink;
import io.sluice.core.Runner;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.NewConsumer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link Durability#every} promises when nothing more arrives: the last batch becomes durable all the same. */
@Tag("concurrency")
@Timeout(60)
class LullTest {
    private static final Duration INTERVAL = Duration.ofMillis(20);

    static final class Event {
        long value;
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "exact, 0",
        "exact, 1",
        "exact, 3600000",
        "timed, 0",
        "timed, 1",
        "yielding, 0",
        "yielding, 1",
        "yielding, 3600000"
    })
    void theLastBatchOfALullBecomesDurableWithAndWithoutATimeOut(String idle, long timeoutMillis) throws Exception {
        Journal journal = open();
        BatchingHandler<Event> handler = handler(new JournalSink(journal));
        RingBuffer<Event> ring = ring(idle);
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            NewConsumer<Event> consumer = pipeline.consumer("journal", handler);
            if (timeoutMillis > 0) {
                consumer.timeout(Duration.ofMillis(timeoutMillis));
            }
            pipeline.handleEventsWith(consumer);
            pipeline.start();
            for (long lull = 0; lull < 3; lull++) { // waited, went on, waited again
                publish(ring, lull);
                awaitDurable(journal, lull);
            }
        }
        handler.close();
    }

    @Test
    void ofTwoSinksTheOneThatOwesAForceIsCalled() throws Exception {
        Journal journal = open();
        BatchSink other = batch -> batch.buffer().position(batch.buffer().limit());
        BatchingHandler<Event> handler = handler(new CompositeSink(List.of(other, new JournalSink(journal), other)));
        RingBuffer<Event> ring = ring("exact");
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(handler);
            pipeline.start();
            for (long lull = 0; lull < 3; lull++) {
                publish(ring, lull);
                awaitDurable(journal, lull);
            }
        }
        handler.close();
    }

    @Test
    void aConsumerThatIsPausedOrRemovedLeavesNothingUnforced() throws Exception {
        for (boolean removed : new boolean[] {false, true}) {
            Journal journal = Journal.open(
                    folder.resolve("removed-" + removed),
                    JournalConfig.defaults()
                            .segmentSize(1 << 20)
                            .durability(Durability.every(removed ? Duration.ofHours(1) : INTERVAL)));
            BatchingHandler<Event> handler = handler(new JournalSink(journal));
            RingBuffer<Event> ring = ring("exact");
            try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith(handler);
                pipeline.start();
                ConsumerHandle consumer = pipeline.consumer(handler);
                publish(ring, 0);
                assertThat(pipeline.awaitHandled(0, TimeUnit.SECONDS.toNanos(30)))
                        .isTrue();
                if (removed) {
                    assertThat(consumer.remove(TimeUnit.SECONDS.toNanos(30))).isEqualTo(Removal.LEFT);
                } else {
                    consumer.pause();
                }
                awaitDurable(journal, 0);
            }
            handler.close();
        }
    }

    @Test
    void aRingThatIsClosedLeavesNothingUnforcedThoughTheJournalStaysOpen() throws Exception {
        Journal journal = Journal.open(
                folder,
                JournalConfig.defaults().segmentSize(1 << 20).durability(Durability.every(Duration.ofHours(1))));
        RingBuffer<Event> ring = ring("exact");
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(handler(new JournalSink(journal)));
            pipeline.start();
            publish(ring, 0);
            assertThat(pipeline.awaitHandled(0, TimeUnit.SECONDS.toNanos(30))).isTrue();
            assertThat(journal.durableSequence()).isEqualTo(-1);
        }
        assertThat(journal.durableSequence()).isZero();
        journal.close();
    }

    /** A ring that always has a further event has no time-out, so the handler has to look by itself. */
    @Test
    void theLastMessageBecomesDurableInTimeThoughEventsWithoutAMessageKeepComing() throws Exception {
        long[] now = {0};
        Journal journal = open(now);
        BatchingHandler<Event> handler =
                new BatchingHandler<>(LullTest::encodePositive, new JournalSink(journal), BatchingConfig.defaults());
        for (long sequence = 0; sequence < 10; sequence++) {
            Event event = new Event();
            event.value = sequence == 0 ? 1 : -1;
            handler.onEvent(event, sequence, true);
            handler.onBatchEnd(sequence);
            assertThat(journal.durableSequence())
                    .as("after %d ns", now[0])
                    .isEqualTo(now[0] < INTERVAL.toNanos() ? -1 : 0);
            now[0] += INTERVAL.toNanos() / 4;
        }
        assertThat(journal.forceCount()).isEqualTo(1);
        handler.close();
    }

    /** A queue that always has a further element. */
    @Test
    void aBatcherForcesInTimeThoughElementsWithoutAMessageKeepComing() throws Exception {
        long[] now = {0};
        Journal journal = open(now);
        ArrayDeque<Event> queue = new ArrayDeque<>();
        Batcher<Event> batcher = new Batcher<>(
                queue,
                LullTest::encodePositive,
                new JournalSink(journal),
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> io.sluice.core.FailurePolicy.Action.HALT);
        for (int round = 0; round < 10; round++) {
            Event event = new Event();
            event.value = round == 0 ? 1 : -1;
            queue.add(event);
            assertThat(batcher.doWork()).isEqualTo(1);
            assertThat(journal.durableSequence())
                    .as("after %d ns", now[0])
                    .isEqualTo(now[0] < INTERVAL.toNanos() ? -1 : 0);
            now[0] += INTERVAL.toNanos() / 4;
        }
        assertThat(journal.forceCount()).isEqualTo(1);
        batcher.onClose();
    }

    /** What was written before is durable in time, though the sink beside the journal takes nothing more, or fails. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "refuses behind",
                "refuses before",
                "throws behind",
                "throws before",
                "part behind",
                "part before",
                "waits behind",
                "waits before",
                "ends never behind",
                "ends never before",
                "throws before nested"
            })
    void aJournalForcesInTimeThoughTheSinkBesideItIsTriedAgainAndAgain(String kind) throws Exception {
        long[] now = {0};
        Journal journal = open(now);
        Reluctant other = new Reluctant(kind);
        BatchSink own = new JournalSink(journal);
        if (kind.contains("nested")) {
            own = new CompositeSink(List.of(own));
        }
        ArrayDeque<Event> queue = new ArrayDeque<>(List.of(new Event()));
        Batcher<Event> batcher = new Batcher<>(
                queue,
                LullTest::encode,
                new CompositeSink(kind.contains("behind") ? List.of(own, other) : List.of(other, own)),
                BatchingConfig.defaults()
                        .sinkIdle(
                                new Passing(now, other, journal),
                                kind.contains("waits") ? Duration.ofHours(1) : Duration.ZERO),
                (cause, event, sequence, attempt) -> io.sluice.core.FailurePolicy.Action.RETRY_EVENT);
        batcher.doWork();
        assertThat(journal.writtenSequence()).isZero();
        assertThat(journal.durableSequence()).isEqualTo(-1);
        other.isReluctant = true;
        queue.add(new Event());
        for (int round = 0; round < 10; round++) {
            batcher.doWork();
            if (!kind.contains("waits")) {
                assertThat(journal.durableSequence() >= 0)
                        .as("durable after %d ns", now[0])
                        .isEqualTo(now[0] >= INTERVAL.toNanos());
                now[0] += INTERVAL.toNanos() / 4;
            }
        }
        assertThat(journal.forceCount()).isPositive();
        assertThat(other.waits >= 10 && !other.sawForce)
                .as("waited for more than the interval without a force")
                .isFalse();
        assertThat(other.idles).as("calls in the midst of a batch").isZero();
        other.isReluctant = false;
        batcher.doWork();
        batcher.onClose();
        assertThat(journal.durableSequence()).isEqualTo(1);
    }

    /** Lets time go by. */
    private static final class Passing implements IdleStrategy {
        private final long[] now;
        private final Reluctant other;
        private final Journal journal;

        Passing(long[] now, Reluctant other, Journal journal) {
            this.now = now;
            this.other = other;
            this.journal = journal;
        }

        @Override
        public void idle(int work) {}

        @Override
        public void idle() {
            now[0] += INTERVAL.toNanos() / 4;
            other.waits++;
            other.sawForce |= journal.forceCount() > 0;
        }

        @Override
        public void reset() {}
    }

    /** Takes a batch once it is no longer reluctant, or has let ten waits go by. It wants to be called when idle, all the time. */
    private static final class Reluctant implements BatchSink {
        final String kind;
        boolean isReluctant;
        int waits;
        boolean sawForce;
        int idles;
        private boolean hasPart;

        Reluctant(String kind) {
            this.kind = kind;
        }

        @Override
        public void send(Batch batch) throws IOException {
            if (isReluctant && waits < 10 && !kind.contains("ends never")) {
                if (kind.contains("throws")) {
                    throw new IOException("it is reluctant");
                }
                if (kind.contains("part") && !hasPart) {
                    batch.buffer().position(1);
                    hasPart = true;
                }
                return;
            }
            hasPart = false;
            batch.buffer().position(batch.buffer().limit());
        }

        @Override
        public void endOfBatch() throws IOException {
            if (isReluctant && kind.contains("ends never")) {
                throw new IOException("it does not end");
            }
        }

        @Override
        public long idleAfterNanos() {
            return hasPart ? 0 : Long.MAX_VALUE;
        }

        @Override
        public void onIdle() {
            idles += hasPart ? 1 : 0;
        }
    }

    @Test
    void aForceThatFailsInALullGoesToTheFailurePolicy() throws Exception {
        BatchSink failing = new BatchSink() {
            private boolean failed;

            @Override
            public void send(Batch batch) {
                batch.buffer().position(batch.buffer().limit());
            }

            @Override
            public long idleAfterNanos() {
                return failed ? Long.MAX_VALUE : 1_000_000;
            }

            @Override
            public void onIdle() throws IOException {
                failed = true;
                throw new IOException("I/O error");
            }
        };
        AtomicInteger failures = new AtomicInteger();
        RingBuffer<Event> ring = ring("exact");
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.onFailure((cause, event, sequence, attempt) -> {
                failures.incrementAndGet();
                return io.sluice.core.FailurePolicy.Action.SKIP;
            });
            pipeline.handleEventsWith(handler(failing));
            pipeline.start();
            publish(ring, 0);
            while (failures.get() == 0) {
                Thread.onSpinWait();
            }
            publish(ring, 1);
            assertThat(pipeline.awaitHandled(1, TimeUnit.SECONDS.toNanos(30))).isTrue();
        }
        assertThat(failures).hasValue(1);
    }

    @Test
    void aBatcherThatParksForcesInALull() throws Exception {
        Journal journal = open();
        ConcurrentLinkedQueue<Event> queue = new ConcurrentLinkedQueue<>();
        Batcher<Event> batcher = new Batcher<>(
                queue,
                LullTest::encode,
                new JournalSink(journal),
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> io.sluice.core.FailurePolicy.Action.HALT);
        queue.add(new Event());
        SignalledIdle idle = SignalledIdle.exact(0);
        Thread own = new Thread(() -> batcher.run(idle), "batcher");
        own.start();
        awaitDurable(journal, 0);
        own.interrupt();
        own.join();
        Thread.interrupted();
        SignalledIdle second = SignalledIdle.exact(0);
        Runner runner = new Runner("batcher", second, error -> {}, List.of(batcher));
        Thread thread = new Thread(runner, "runner");
        thread.start();
        for (long lull = 1; lull < 3; lull++) {
            queue.add(new Event());
            second.signal();
            awaitDurable(journal, lull);
        }
        runner.stop();
        thread.join();
    }

    private Journal open() throws IOException {
        return Journal.open(
                folder, JournalConfig.defaults().segmentSize(1 << 20).durability(Durability.every(INTERVAL)));
    }

    private Journal open(long[] now) throws IOException {
        return Journal.open(
                folder,
                JournalConfig.defaults()
                        .segmentSize(1 << 20)
                        .durability(Durability.every(INTERVAL))
                        .nanoClock(() -> now[0]));
    }

    private static RingBuffer<Event> ring(String idle) {
        return RingBufferBuilder.of(Event::new)
                .capacity(64)
                .consumersIdle(() -> idle(idle))
                .build();
    }

    private static IdleStrategy idle(String name) {
        return switch (name) {
            case "exact" -> SignalledIdle.exact(0);
            case "timed" -> SignalledIdle.timed();
            default -> new YieldingIdleStrategy();
        };
    }

    private static BatchingHandler<Event> handler(BatchSink sink) {
        return new BatchingHandler<>(LullTest::encode, sink, BatchingConfig.defaults());
    }

    /** Ends by the class's time-out if it never happens. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on the yields
    private static void awaitDurable(Journal journal, long sequence) {
        while (journal.durableSequence() < sequence) {
            Thread.yield();
        }
    }

    private static void publish(RingBuffer<Event> ring, long value) {
        try (Producer<Event> producer = ring.producer()) {
            producer.publishEvent((event, sequence, each) -> event.value = each, value);
        }
    }

    private static int encode(Event event, java.nio.ByteBuffer buffer, int offset) {
        buffer.putLong(offset, event.value);
        return Long.BYTES;
    }

    private static int encodePositive(Event event, java.nio.ByteBuffer buffer, int offset) {
        return event.value < 0 ? 0 : encode(event, buffer, offset);
    }
}
