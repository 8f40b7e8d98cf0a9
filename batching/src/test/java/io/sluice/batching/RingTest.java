package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalReader;
import io.sluice.batching.journal.JournalSink;
import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The handler on a real ring, with its threads. */
@Tag("concurrency")
@Timeout(60)
class RingTest {
    private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int EVENTS = 5_000;

    static final class Event {
        long value;
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void whatFollowsTheJournalSeesDurableEventsOnly(JournalConfig.Method method) throws Exception {
        assertThat(earlyEvents(method, Durability.EACH_BATCH)).isZero();
        long next = 0;
        try (JournalReader reader = JournalReader.replay(folder, 0)) {
            while (reader.next()) {
                assertThat(reader.buffer().getLong(reader.payloadOffset())).isEqualTo(next++ * 3);
            }
        }
        assertThat(next).isEqualTo(EVENTS);
    }

    @Test
    void theTwinThatDoesNotForceIsCaught() throws Exception {
        assertThat(earlyEvents(JournalConfig.Method.BLOCKS, Durability.NONE)).isPositive();
    }

    /** How many events the business handler saw before they were durable. */
    private long earlyEvents(JournalConfig.Method method, Durability durability) throws Exception {
        Journal journal = Journal.open(
                folder,
                JournalConfig.defaults().method(method).durability(durability).segmentSize(1 << 20));
        BatchingHandler<Event> journalling = new BatchingHandler<>(
                RingTest::encode,
                new JournalSink(journal),
                BatchingConfig.defaults().bufferSize(512));
        AtomicLong early = new AtomicLong();
        AtomicLong seen = new AtomicLong();
        EventHandler<Event> business = (event, sequence, endOfBatch) -> {
            seen.incrementAndGet();
            if (journal.durableSequence() < sequence) {
                early.incrementAndGet();
            }
        };
        RingBuffer<Event> ring = RingBufferBuilder.of(Event::new).capacity(256).build();
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(journalling).then(business);
            pipeline.start();
            publish(ring, EVENTS);
            assertThat(pipeline.drain(DRAIN_NANOS).unhandled()).isZero();
        }
        assertThat(seen.get()).isEqualTo(EVENTS);
        assertThat(journal.nextSequence()).isEqualTo(EVENTS);
        if (durability == Durability.EACH_BATCH) {
            assertThat(journal.forceCount()).as("one force serves many events").isLessThan(EVENTS);
        }
        journalling.close();
        return early.get();
    }

    @ParameterizedTest
    @EnumSource(names = {"RETRY_EVENT", "REWIND_BATCH"})
    void aFailingSinkGetsEveryMessageOnce(FailurePolicy.Action action) throws Exception {
        List<Long> got = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(5);
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) throws IOException {
                for (int i = 0; i < batch.messages(); i++) {
                    if (batch.offset(i) < batch.buffer().position()) {
                        continue;
                    }
                    if (random.nextInt(20) == 0) {
                        throw new IOException("send");
                    }
                    got.add(batch.buffer().getLong(batch.offset(i)));
                    batch.buffer().position(batch.offset(i) + batch.length(i));
                }
            }

            @Override
            public void endOfBatch() throws IOException {
                if (random.nextInt(5) == 0) {
                    throw new IOException("end");
                }
            }
        };
        BatchingHandler<Event> handler = new BatchingHandler<>(
                RingTest::encode, failing, BatchingConfig.defaults().bufferSize(100));
        AtomicLong failures = new AtomicLong();
        FailurePolicies.Report report = (cause, sequence, attempt) -> failures.incrementAndGet();
        RingBuffer<Event> ring = RingBufferBuilder.of(Event::new).capacity(64).build();
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.onFailure(
                    action == FailurePolicy.Action.RETRY_EVENT
                            ? FailurePolicies.retryEvent(1_000, report, FailurePolicy.Action.HALT)
                            : FailurePolicies.rewindBatch(1_000, report, FailurePolicy.Action.HALT));
            pipeline.handleEventsWith(handler);
            pipeline.start();
            publish(ring, EVENTS);
            assertThat(pipeline.drain(DRAIN_NANOS).unhandled()).isZero();
        }
        assertThat(failures.get()).isPositive();
        assertThat(got).hasSize(EVENTS);
        for (int i = 0; i < EVENTS; i++) {
            assertThat(got.get(i)).isEqualTo(i * 3L);
        }
    }

    @Test
    void nothingIsHeldBackWhenTheLastSlotsAreAbortedOrSkipped() throws Exception {
        List<Long> got = new ArrayList<>();
        BatchSink sink = batch -> {
            for (int i = 0; i < batch.messages(); i++) {
                got.add(batch.buffer().getLong(batch.offset(i)));
            }
            batch.buffer().position(batch.buffer().limit());
        };
        MessageEncoder<Event> encoder = (event, buffer, offset) -> {
            if (event.value < 0) {
                throw new IOException("cannot be encoded");
            }
            return encode(event, buffer, offset);
        };
        BatchingHandler<Event> handler = new BatchingHandler<>(encoder, sink, BatchingConfig.defaults());
        RingBuffer<Event> ring = RingBufferBuilder.of(Event::new).capacity(64).build();
        try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
            pipeline.onFailure(FailurePolicies.skip((cause, sequence, attempt) -> {}));
            pipeline.handleEventsWith(handler);
            try (Producer<Event> producer = ring.producer()) {
                long highest = producer.next(4);
                for (long sequence = highest - 3; sequence <= highest; sequence++) {
                    producer.get(sequence).value = sequence == highest - 2 ? -1 : sequence;
                }
                producer.publish(highest - 3, highest - 2); // the last of them fails
                producer.abort(highest - 1, highest);
                pipeline.start();
            }
            assertThat(pipeline.drain(DRAIN_NANOS).unhandled()).isZero();
        }
        assertThat(got).containsExactly(0L);
        assertThat(handler.pendingMessages()).isZero();
    }

    @Test
    void aHandlerOnASecondRingSendsAllEventsOfThatRingToo() throws Exception {
        Journal journal = Journal.open(folder, JournalConfig.defaults().segmentSize(1 << 20));
        BatchingHandler<Event> journalling =
                new BatchingHandler<>(RingTest::encode, new JournalSink(journal), BatchingConfig.defaults());
        for (int life = 1; life <= 3; life++) {
            RingBuffer<Event> ring =
                    RingBufferBuilder.of(Event::new).capacity(64).build();
            try (Pipeline<Event> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith(journalling);
                pipeline.start();
                publish(ring, 100);
                assertThat(pipeline.drain(DRAIN_NANOS).unhandled()).isZero();
            }
            assertThat(journal.durableSequence()).isEqualTo(life * 100L - 1);
        }
        journalling.close();
        try (JournalReader reader = JournalReader.replay(folder, 0)) {
            for (int i = 0; i < 300; i++) {
                assertThat(reader.next()).isTrue();
                assertThat(reader.buffer().getLong(reader.payloadOffset())).isEqualTo(i % 100 * 3L);
            }
            assertThat(reader.next()).isFalse();
        }
    }

    private static void publish(RingBuffer<Event> ring, int count) {
        try (Producer<Event> producer = ring.producer()) {
            for (long i = 0; i < count; i++) {
                producer.publishEvent((event, sequence, value) -> event.value = value, i * 3);
            }
        }
    }

    private static int encode(Event event, java.nio.ByteBuffer buffer, int offset) {
        buffer.putLong(offset, event.value);
        return Long.BYTES;
    }
}
