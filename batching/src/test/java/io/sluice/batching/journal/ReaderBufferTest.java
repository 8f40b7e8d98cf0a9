package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a program sets at the reader's buffer concerns the program alone, and the present record alone. */
class ReaderBufferTest {
    private static final List<Long> VALUES = LongStream.range(0, 9_000).boxed().toList();
    private static final int LONG_RECORD = 100_000; // longer than the reader's window is at first

    @TempDir
    Path folder;

    /** Several segments, several windows in each, and a window that grows. */
    @BeforeEach
    void write() throws Exception {
        JournalConfig config =
                JournalConfig.defaults().segmentSize(64 * Frame.BLOCK).durability(Durability.NONE);
        try (Journal journal = Journal.open(folder, config)) {
            ByteBuffer record = ByteBuffer.allocate(LONG_RECORD); // Java's default order
            for (long value : VALUES) {
                journal.append(record.putLong(0, value), 0, value % 3_000 == 2_999 ? LONG_RECORD : Long.BYTES);
            }
            journal.endOfBatch();
        }
    }

    private JournalReader reader(boolean follows) throws JournalException {
        return follows ? JournalReader.follow(folder, 0) : JournalReader.replay(folder, 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProgramThatSetsTheByteOrderGetsEachRecord(boolean follows) throws Exception {
        List<Long> values = new ArrayList<>();
        try (JournalReader reader = reader(follows)) {
            while (reader.next()) {
                values.add(reader.buffer().order(ByteOrder.BIG_ENDIAN).getLong(reader.payloadOffset()));
            }
            assertThat(reader.nextSequence()).isEqualTo(VALUES.size());
        }
        assertThat(values).isEqualTo(VALUES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aProgramThatSetsPositionAndLimitGetsEachRecord(boolean follows) throws Exception {
        List<Long> values = new ArrayList<>();
        try (JournalReader reader = reader(follows)) {
            while (reader.next()) {
                ByteBuffer buffer = reader.buffer();
                int end = reader.payloadOffset() + reader.payloadLength();
                buffer.limit(end).position(reader.payloadOffset());
                values.add(Long.reverseBytes(buffer.getLong()));
            }
        }
        assertThat(values).isEqualTo(VALUES);
    }

    @Test
    void eachRecordComesInLittleEndianAndWhole() throws Exception {
        try (JournalReader reader = reader(false)) {
            while (reader.next()) {
                ByteBuffer buffer = reader.buffer();
                assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
                assertThat(buffer.position()).isZero();
                assertThat(buffer.limit()).isEqualTo(buffer.capacity());
                assertThat(reader.buffer()).isSameAs(buffer);
                buffer.order(ByteOrder.BIG_ENDIAN).limit(reader.payloadOffset()).position(1);
            }
        }
    }
}
