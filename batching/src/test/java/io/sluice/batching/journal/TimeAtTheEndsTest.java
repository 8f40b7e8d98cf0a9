package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The time that a reader tells is that of its current record, as the sequence is. */
class TimeAtTheEndsTest {
    private static final long TIME = 1_700_000_000_000L;
    private static final JournalConfig SMALL =
            JournalConfig.defaults().segmentSize(16 * Frame.BLOCK).bufferSize(JournalConfig.MIN_BUFFER);

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void behindTheLastRecordItsTimeStays(JournalConfig.Method method) throws Exception {
        JournalConfig config = SMALL.method(method);
        try (Journal journal = Journal.open(folder, config.epochClock(() -> TIME))) {
            append(journal, 3);
            try (JournalReader reader = JournalReader.follow(folder, 0)) {
                readAll(reader, 3, TIME);
            }
        }
        try (JournalReader reader = JournalReader.replay(folder, 0)) {
            readAll(reader, 3, TIME);
        }
        try (Journal journal = Journal.open(folder, config.epochClock(() -> TIME + 1))) {
            append(journal, 1);
        }
        try (JournalReader reader = JournalReader.replay(folder, 3)) {
            readAll(reader, 4, TIME + 1);
        }
    }

    @Test
    void beforeTheFirstRecordThereIsNoTime() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL.epochClock(() -> TIME))) {
            append(journal, 3);
            for (int from = 0; from <= 3; from++) {
                try (JournalReader reader = JournalReader.follow(folder, from)) {
                    assertThat(reader.sequence()).isEqualTo(-1);
                    assertThat(reader.timestamp()).as("from %s on", from).isEqualTo(-1);
                    while (reader.next()) {
                        assertThat(reader.timestamp()).isEqualTo(TIME);
                    }
                    assertThat(reader.timestamp()).isEqualTo(from == 3 ? -1 : TIME);
                }
            }
        }
    }

    private static void append(Journal journal, int count) throws JournalException {
        ByteBuffer record = ByteBuffer.allocate(100);
        for (int i = 0; i < count; i++) {
            journal.append(record, 0, 100);
        }
        journal.endOfBatch();
    }

    private static void readAll(JournalReader reader, int next, long time) throws JournalException {
        while (reader.next()) {
            assertThat(reader.timestamp()).isEqualTo(time);
        }
        for (int i = 0; i < 3; i++) {
            assertThat(reader.sequence()).isEqualTo(next - 1);
            assertThat(reader.timestamp()).isEqualTo(time);
            assertThat(reader.next()).isFalse();
        }
    }
}
