package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalSink;
import io.sluice.core.FailurePolicy;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counts the bytes that this thread allocates on an event's way; a control that allocates on purpose must be seen. */
@Tag("once")
class AllocationTest {
    private static final int EVENTS = 50_000;

    /** Less than a byte in a hundred events; anything that an event allocates is at least 16 bytes. */
    private static final long NOISE = EVENTS / 100;

    private static final BatchSink DISCARD =
            batch -> batch.buffer().position(batch.buffer().limit());

    @Test
    void theHandlersPathAllocatesNothing() throws Exception {
        BatchingConfig config = BatchingConfig.defaults()
                .header(8, batch -> batch.buffer().putLong(0, batch.id()))
                .statistics(new BatchStatistics())
                .adaptiveLimit(new AdaptiveLimit(1_000_000, 512, 4096));
        BatchSink sink = new CompositeSink(List.of(DISCARD, DISCARD));
        assertThat(allocated(new BatchingHandler<>(AllocationTest::encode, sink, config)))
                .isLessThan(NOISE);
    }

    @Test
    void theControlThatAllocatesIsSeen() throws Exception {
        byte[][] kept = new byte[1][];
        BatchingHandler<long[]> handler = new BatchingHandler<>(
                (event, buffer, offset) -> {
                    kept[0] = new byte[1]; // one small object an event
                    return encode(event, buffer, offset);
                },
                DISCARD,
                BatchingConfig.defaults());
        assertThat(allocated(handler)).isGreaterThanOrEqualTo(16L * EVENTS);
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void journallingAllocatesNothing(JournalConfig.Method method, @TempDir Path folder) throws Exception {
        Journal journal = Journal.open(
                folder,
                JournalConfig.defaults().method(method).segmentSize(64 << 20).durability(Durability.NONE));
        try (BatchingHandler<long[]> handler =
                new BatchingHandler<>(AllocationTest::encode, new JournalSink(journal), BatchingConfig.defaults())) {
            assertThat(allocated(handler)).isLessThan(NOISE);
        }
    }

    @Test
    void sendingDatagramsAllocatesNothing() throws Exception {
        try (DatagramChannel receiver =
                        DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                DatagramChannel channel = DatagramChannel.open().connect(receiver.getLocalAddress())) {
            BatchingHandler<long[]> handler =
                    new BatchingHandler<>(AllocationTest::encode, new DatagramSink(channel), BatchingConfig.defaults());
            assertThat(allocated(handler)).isLessThan(NOISE);
        }
    }

    @Test
    void theBatchersRoundAllocatesNothing() {
        ArrayBlockingQueue<long[]> queue = new ArrayBlockingQueue<>(64);
        Batcher<long[]> batcher = new Batcher<>(
                queue,
                AllocationTest::encode,
                DISCARD,
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
        long[] event = {1, 2, 3};
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 4; round++) {
            long before = allocatedBytes();
            for (int i = 0; i < EVENTS; i++) {
                queue.offer(event);
                if (i % 10 == 9) {
                    batcher.doWork();
                }
            }
            least = Math.min(least, allocatedBytes() - before);
        }
        assertThat(least).isLessThan(NOISE);
    }

    private static long allocated(BatchingHandler<long[]> handler) throws Exception {
        long[] event = {1, 2, 3};
        long least = Long.MAX_VALUE;
        long sequence = 0;
        for (int round = 0; round < 4; round++) { // the first ones load classes and warm up
            long before = allocatedBytes();
            for (int i = 0; i < EVENTS; i++) {
                handler.onEvent(event, sequence++, i % 10 == 9);
            }
            least = Math.min(least, allocatedBytes() - before);
        }
        return least;
    }

    /** Reflection, since the module that this test is compiled into does not read the management modules. */
    private static long allocatedBytes() {
        try {
            return (long) COUNTER.invoke(THREADS, Thread.currentThread().getId());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static final Object THREADS;
    private static final Method COUNTER;

    static {
        try {
            THREADS = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            COUNTER = Class.forName("com.sun.management.ThreadMXBean").getMethod("getThreadAllocatedBytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static int encode(long[] event, java.nio.ByteBuffer buffer, int offset) {
        for (int i = 0; i < event.length; i++) {
            buffer.putLong(offset + i * Long.BYTES, event[i]);
        }
        return event.length * Long.BYTES;
    }
}
