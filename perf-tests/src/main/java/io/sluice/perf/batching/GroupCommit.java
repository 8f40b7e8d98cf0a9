package io.sluice.perf.batching;

import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalSink;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Durable events a second: one {@code force} for each event, and group commit under the load of many producers, behind a ring
 * with {@code handleEventsWith(journal).then(count)}, so that an event counts when it is durable.
 */
final class GroupCommit {
    static final int PRODUCERS = 8;
    static final int EVENT = 64;

    private static final int CAPACITY = 1 << 14;
    private static final int SEGMENT = 16 << 20;
    private static final int SAMPLES = 50;

    private GroupCommit() {}

    /**
     * The figures of one round.
     *
     * @param forceNanos what a {@code force} of one 4 KiB block costs here, the median
     * @param oneEach events a second with one {@code force} each
     * @param group events a second with group commit
     * @param eventsAForce events that shared a {@code force}, the mean
     */
    record Result(double forceNanos, double oneEach, double group, double eventsAForce) {
        double ratio() {
            return group / oneEach;
        }
    }

    private static final class Slot {
        private long value;
    }

    /** Measures all three, for so long each. */
    static Result measure(Path folder, long nanos) throws Exception {
        double force = forceNanos(folder.resolve("force"));
        double oneEach = oneEach(folder.resolve("one-each"), nanos);
        double[] group = group(folder.resolve("group"), nanos);
        return new Result(force, oneEach, group[0], group[1]);
    }

    private static double forceNanos(Path file) throws IOException {
        SequentialIo.allocate(file, (long) SAMPLES * SequentialIo.PAGE);
        long[] nanos = new long[SAMPLES];
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer page = ByteBuffer.allocateDirect(SequentialIo.PAGE);
            for (int i = 0; i < SAMPLES; i++) {
                page.clear().putInt(0, i + 1);
                channel.write(page, (long) i * SequentialIo.PAGE);
                long start = System.nanoTime();
                channel.force(true);
                nanos[i] = System.nanoTime() - start;
            }
        } finally {
            Files.deleteIfExists(file);
        }
        Arrays.sort(nanos);
        return nanos[SAMPLES / 2];
    }

    private static double oneEach(Path folder, long nanos) throws IOException {
        try (Journal journal = open(folder)) {
            ByteBuffer event = ByteBuffer.allocateDirect(EVENT);
            long start = System.nanoTime();
            long now = start;
            long events = 0;
            while (now - start < nanos) {
                journal.append(event.putLong(0, events), 0, EVENT);
                journal.endOfBatch();
                events++;
                now = System.nanoTime();
            }
            return events * 1e9 / (now - start);
        } finally {
            Folders.removeJournal(folder);
        }
    }

    private static double[] group(Path folder, long nanos) throws Exception {
        byte[] rest = new byte[EVENT - Long.BYTES];
        try (Journal journal = open(folder)) {
            BatchingHandler<Slot> journalling = new BatchingHandler<>(
                    (slot, buffer, offset) -> {
                        buffer.putLong(offset, slot.value);
                        buffer.put(offset + Long.BYTES, rest, 0, rest.length);
                        return EVENT;
                    },
                    new JournalSink(journal),
                    BatchingConfig.defaults().bufferSize(1 << 16));
            long[] early = {0};
            EventHandler<Slot> durable = (slot, sequence, endOfBatch) -> {
                if (journal.durableSequence() < sequence) {
                    early[0]++;
                }
            };
            RingBuffer<Slot> ring = RingBufferBuilder.of(Slot::new)
                    .capacity(CAPACITY)
                    .multiProducer()
                    .consumersIdle(SignalledIdle::exact)
                    .build();
            try (Pipeline<Slot> pipeline = Pipeline.on(ring)) {
                pipeline.handleEventsWith(
                                pipeline.consumer("journal", journalling).batchLimit(CAPACITY))
                        .then(durable);
                pipeline.start();
                long start = System.nanoTime();
                AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
                List<Thread> producers = new ArrayList<>();
                for (int i = 0; i < PRODUCERS; i++) {
                    Thread thread = new Thread(() -> publish(ring, start, nanos, failure), "producer-" + i);
                    thread.setDaemon(true);
                    producers.add(thread);
                    thread.start();
                }
                for (Thread thread : producers) {
                    thread.join();
                }
                if (failure.get() != null) {
                    throw new IllegalStateException("a producer failed", failure.get());
                }
                long last = ring.cursor().get();
                pipeline.awaitHandled(last, Long.MAX_VALUE);
                long end = System.nanoTime();
                if (early[0] > 0) {
                    throw new IllegalStateException(early[0] + " events were handed on before they were durable");
                }
                return new double[] {(last + 1) * 1e9 / (end - start), (last + 1.0) / Math.max(1, journal.forceCount())
                };
            }
        } finally {
            Folders.removeJournal(folder);
        }
    }

    private static void publish(
            RingBuffer<Slot> ring, long start, long nanos, AtomicReference<@Nullable Throwable> failure) {
        try (Producer<Slot> producer = ring.producer()) {
            for (long i = 0; i == 0 || (i & 63) != 0 || System.nanoTime() - start < nanos; i++) { // one at least
                producer.publishEvent((slot, sequence, value) -> slot.value = value, i);
            }
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private static Journal open(Path folder) throws IOException {
        return Journal.open(
                folder, JournalConfig.defaults().segmentSize(SEGMENT).durability(Durability.EACH_BATCH));
    }
}
