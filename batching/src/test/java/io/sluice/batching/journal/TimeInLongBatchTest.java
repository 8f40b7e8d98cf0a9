package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The time of a record is never older than 64 KiB of its batch, also where the batch goes on in another segment. */
class TimeInLongBatchTest {
    private static final int RECORD = 4 << 10;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void theClockIsReadAgainInEachSegmentThatABatchRollsInto(JournalConfig.Method method) throws Exception {
        long[] now = {0};
        int records = 250;
        JournalConfig config =
                JournalConfig.defaults().segmentSize(256 << 10).method(method).epochClock(() -> ++now[0]);
        try (Journal journal = Journal.open(folder, config)) {
            ByteBuffer record = ByteBuffer.allocate(RECORD - Frame.HEADER);
            for (int i = 0; i < records; i++) {
                journal.append(record, 0, record.capacity());
            }
            journal.endOfBatch();
        }
        Map<Long, Integer> bytes = new HashMap<>();
        int read = 0;
        try (JournalReader reader = JournalReader.replay(folder, 0)) {
            for (; reader.next(); read++) {
                bytes.merge(reader.timestamp(), RECORD, Integer::sum);
            }
        }
        assertThat(read).isEqualTo(records);
        assertThat(bytes.values()).allMatch(sameTime -> sameTime <= 64 << 10);
    }
}
