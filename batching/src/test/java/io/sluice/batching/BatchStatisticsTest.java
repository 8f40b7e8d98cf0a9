package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BatchStatisticsTest {
    @Test
    void batchesMessagesAndBytesAreCounted() throws Exception {
        BatchStatistics statistics = new BatchStatistics();
        assertThat(statistics.snapshot().fullShare()).isZero();
        RecordingSink sink = new RecordingSink();
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode,
                sink,
                BatchingConfig.defaults()
                        .bufferSize(10)
                        .header(2, batch -> batch.buffer().putShort(0, (short) 0))
                        .statistics(statistics));
        handler.onEvent("01234567", 0, false); // full by bytes
        handler.onEvent("abcd", 1, false);
        handler.onEvent("efghi", 2, false); // sends the one before for lack of room
        handler.onEvent("j", 3, true);
        BatchStatistics.Snapshot snapshot = statistics.snapshot();
        assertThat(snapshot).isEqualTo(new BatchStatistics.Snapshot(3, 4, 10 + 6 + 8, 2, 1, 2, 2, 8, 10, 10));
        assertThat(snapshot.fullShare()).isEqualTo(2.0 / 3);
        Map<Long, Long> messages = new TreeMap<>();
        statistics.forEachMessageCount(messages::put);
        assertThat(messages).isEqualTo(Map.of(1L, 2L, 2L, 1L));
        Map<Long, Long> bytes = new TreeMap<>();
        statistics.forEachByteCount(bytes::put);
        assertThat(bytes).isEqualTo(Map.of(6L, 1L, 8L, 1L, 10L, 1L));
        assertThat(statistics.snapshot()).as("looking changes nothing").isEqualTo(snapshot);
    }

    @Test
    @Tag("concurrency")
    @Timeout(30)
    void snapshotsWhileCountingLoseNothing() throws Exception {
        BatchStatistics statistics = new BatchStatistics();
        int count = 200_000;
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<?> writer = executor.submit(() -> {
                for (int i = 0; i < count; i++) {
                    statistics.onBatch(1 + i % 3, 10, i % 2 == 0);
                }
            });
            long before = 0;
            while (!writer.isDone()) {
                long batches = statistics.snapshot().batches();
                assertThat(batches).isGreaterThanOrEqualTo(before);
                before = batches;
            }
            writer.get(20, TimeUnit.SECONDS);
        } finally {
            executor.shutdownNow();
        }
        assertThat(statistics.snapshot().batches()).isEqualTo(count);
        assertThat(statistics.snapshot().fullBatches()).isEqualTo(count / 2);
        long[] total = {0};
        statistics.forEachMessageCount((size, times) -> total[0] += times);
        assertThat(total[0]).isEqualTo(count);
    }
}
