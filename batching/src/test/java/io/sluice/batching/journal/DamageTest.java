package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.batching.journal.JournalException.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bit flips and truncation at every byte, as a failing disk or a copy that stopped short would leave them. */
@Tag("once")
@Tag("any-jdk")
class DamageTest {
    private static final String SEGMENT = FileNames.segment(0);
    private static final JournalConfig CONFIG =
            JournalConfig.defaults().segmentSize(8 * Frame.BLOCK).bufferSize(JournalConfig.MIN_BUFFER);
    private static final int PAYLOAD = 500;

    @Test
    void aBitFlipInAClosedJournalIsNeverAShorterJournal() throws Exception {
        FaultyStorage storage = written(3, 4, true);
        byte[] good = storage.bytes(SEGMENT);
        int end = lastByte(good) + 1;
        int damaged = 0;
        for (int at = 0; at < end; at++) {
            byte[] bytes = good.clone();
            bytes[at] ^= (byte) (1 << (at & 7));
            FaultyStorage bad = storage.copyWith(SEGMENT, bytes);
            try {
                assertThat(readAll(bad)).as("flip at " + at).isEqualTo(12);
            } catch (JournalException e) {
                assertThat(e.kind()).as("flip at " + at).isEqualTo(Kind.DAMAGED);
                assertThat(e).hasMessageContaining(SEGMENT).hasMessageContaining("offset");
                damaged++;
                assertThatThrownBy(() -> Journal.open(bad, CONFIG)).isInstanceOf(JournalException.class);
                assertThat(bad.bytes(SEGMENT))
                        .as("a damaged journal is left alone")
                        .isEqualTo(bytes);
            }
        }
        // All bytes of headers and records; not the unused rest of the blocks, nor the closing mark itself.
        assertThat(damaged).isGreaterThan(12 * (PAYLOAD + Frame.HEADER));
    }

    @Test
    void aBitFlipInTheLastBatchOfACrashedJournalCostsNoEarlierBatch() throws Exception {
        FaultyStorage storage = written(3, 4, false);
        byte[] good = storage.bytes(SEGMENT);
        int end = lastByte(good) + 1;
        int lastBlock = (end - 1) & -Frame.BLOCK;
        for (int at = Frame.BLOCK; at < end; at++) {
            byte[] bytes = good.clone();
            bytes[at] ^= (byte) (1 << (at & 7));
            FaultyStorage bad = storage.copyWith(SEGMENT, bytes);
            if (at >= lastBlock) {
                assertThat(readAll(bad)).as("flip at " + at).isBetween(8L, 12L);
                try (Journal journal = Journal.open(bad, CONFIG)) {
                    assertThat(journal.nextSequence()).as("flip at " + at).isBetween(8L, 12L);
                }
                assertThat(readAll(bad)).isBetween(8L, 12L);
            } else {
                try {
                    assertThat(readAll(bad)).as("flip at " + at).isEqualTo(12);
                } catch (JournalException e) {
                    assertThat(e.kind()).as("flip at " + at).isEqualTo(Kind.DAMAGED);
                }
            }
        }
    }

    @Test
    void truncationAtAnyByteIsReportedAndThePrefixCanBeRead() throws Exception {
        FaultyStorage storage = written(3, 4, true);
        byte[] good = storage.bytes(SEGMENT);
        int end = lastByte(good) + 1;
        for (int length = 0; length < end; length += length < end - Frame.BLOCK ? 7 : 1) {
            FaultyStorage bad = storage.copyWith(SEGMENT, Arrays.copyOf(good, length));
            assertThatThrownBy(() -> Journal.open(bad, CONFIG))
                    .as("length " + length)
                    .isInstanceOfSatisfying(
                            JournalException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DAMAGED));
            if (length >= Frame.BLOCK) {
                long records = 0;
                try (JournalReader reader = JournalReader.replay(bad, 0)) {
                    while (reader.next()) {
                        assertThat(reader.sequence()).isEqualTo(records);
                        records++;
                    }
                    assertThat(length).as("no end without an error").isEqualTo(-1);
                } catch (JournalException e) {
                    assertThat(e.kind()).isEqualTo(Kind.DAMAGED);
                }
                int wholeBlocks = length / Frame.BLOCK - 1;
                assertThat(records).as("length " + length).isGreaterThanOrEqualTo(Math.min(3, wholeBlocks) * 4L);
            }
        }
    }

    /** What proves it lies further behind the damage than what is read at a time. */
    @Test
    void aWideHoleBeforeRecordsThatWerePromisedIsDamageAndNoTornTail() throws Exception {
        JournalConfig wide = CONFIG.segmentSize(128 * Frame.BLOCK);
        FaultyStorage storage = written(100, 1, false, wide);
        byte[] bytes = storage.bytes(SEGMENT);
        int hole = 90 * Frame.BLOCK;
        Arrays.fill(bytes, 3 * Frame.BLOCK, 3 * Frame.BLOCK + hole, (byte) 0);
        FaultyStorage bad = storage.copyWith(SEGMENT, bytes);
        assertThatThrownBy(() -> Journal.open(bad, wide))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DAMAGED));
        assertThat(bad.bytes(SEGMENT)).as("a damaged journal is left alone").isEqualTo(bytes);
    }

    @Test
    void aPayloadThatLooksLikeAFrameIsNotTakenForOne() throws Exception {
        FaultyStorage storage = written(3, 4, true);
        byte[] good = storage.bytes(SEGMENT);
        FaultyStorage other = new FaultyStorage();
        try (Journal journal = Journal.open(other, CONFIG.bufferSize(8 * Frame.BLOCK))) {
            byte[] copied = Arrays.copyOfRange(good, 2 * Frame.BLOCK, 3 * Frame.BLOCK);
            journal.append(ByteBuffer.wrap(copied), 0, copied.length);
            journal.append(ByteBuffer.wrap(copied), 0, copied.length);
            // The power goes now: the first block of the first record is lost, the rest of both has arrived.
            journal.endOfBatch();
        }
        byte[] bytes = other.bytes(SEGMENT).clone();
        Arrays.fill(bytes, Frame.BLOCK, 2 * Frame.BLOCK, (byte) 0);
        Arrays.fill(bytes, 3 * Frame.BLOCK + 100, bytes.length, (byte) 0);
        FaultyStorage torn = other.copyWith(SEGMENT, bytes);
        assertThat(readAll(torn)).isZero();
        try (Journal journal = Journal.open(torn, CONFIG)) {
            assertThat(journal.nextSequence()).isZero();
        }
    }

    @Test
    void damageInAnEarlierSegmentIsReported() throws Exception {
        FaultyStorage storage = written(20, 4, true);
        assertThat(storage.exists(FileNames.segment(2))).isTrue();
        byte[] bytes = storage.bytes(SEGMENT).clone();
        bytes[2 * Frame.BLOCK + 100] ^= 1;
        FaultyStorage bad = storage.copyWith(SEGMENT, bytes);
        assertThatThrownBy(() -> readAll(bad))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DAMAGED))
                .hasMessageContaining(SEGMENT);
        assertThatThrownBy(() -> Journal.verify(bad)).isInstanceOf(JournalException.class);
        assertThatThrownBy(() -> Journal.repair(bad)).isInstanceOf(JournalException.class);
    }

    /** The closing mark stands in a segment of its own: the last batch has filled the one before. */
    @Test
    void aBitFlipInTheLastBatchOfAClosedJournalIsNoTornTailWhereThatBatchHasFilledItsSegment() throws Exception {
        FaultyStorage storage = written(7, 4, true);
        assertThat(storage.exists(FileNames.segment(1))).isTrue();
        byte[] good = storage.bytes(SEGMENT);
        int frame = Frame.align(Frame.HEADER + PAYLOAD); // the last one is the mark that ends the segment
        for (int at = 7 * Frame.BLOCK; at <= lastByte(good); at += frame) {
            byte[] bytes = good.clone();
            bytes[at + 10] ^= 1;
            assertIsLeftAlone(storage.copyWith(SEGMENT, bytes), "flip at " + (at + 10));
        }
    }

    @Test
    void aDamagedJournalIsLeftAloneThoughItsLastSegmentIsEmpty() throws Exception {
        FaultyStorage storage = written(7, 4, false);
        byte[] good = storage.bytes(SEGMENT);
        assertThat(lastByte(storage.bytes(FileNames.segment(1)))).isLessThan(Frame.BLOCK);
        byte[] bytes = good.clone();
        bytes[3 * Frame.BLOCK + 100] ^= 1;
        assertIsLeftAlone(storage.copyWith(SEGMENT, bytes), "a flip");
        assertIsLeftAlone(storage.copyWith(SEGMENT, Arrays.copyOf(good, 3 * Frame.BLOCK)), "a truncation");
    }

    private static void assertIsLeftAlone(FaultyStorage bad, String what) throws Exception {
        byte[] bytes = bad.bytes(SEGMENT).clone();
        assertThatThrownBy(() -> Journal.open(bad, CONFIG), what)
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DAMAGED))
                .hasMessageContaining(SEGMENT);
        assertThat(bad.bytes(SEGMENT)).as(what).isEqualTo(bytes);
        assertThat(bad.exists(FileNames.segment(1))).as(what).isTrue();
    }

    @Test
    void damageOfTheFileThatNamesTheFirstSegmentIsReported() throws Exception {
        FaultyStorage storage = written(3, 4, true);
        byte[] good = storage.bytes(FileNames.FIRST);
        for (int at = 0; at < good.length; at++) {
            byte[] bytes = good.clone();
            bytes[at] ^= 1;
            FaultyStorage bad = storage.copyWith(FileNames.FIRST, bytes);
            assertThatThrownBy(() -> readAll(bad))
                    .as("flip at " + at)
                    .isInstanceOf(JournalException.class)
                    .hasMessageContaining(FileNames.FIRST);
        }
    }

    /** A length may be damaged into any other: the window must not grow for what is no frame. */
    @Test
    void aBitFlipInALengthTakesNoMemory() throws Exception {
        int size = 32 << 20;
        FaultyStorage storage = written(3, 4, true, CONFIG.segmentSize(size));
        byte[] good = storage.bytes(SEGMENT);
        int readable = 0;
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            byte[] bytes = good.clone();
            bytes[Frame.BLOCK + 4 + bit / 8] ^= (byte) (1 << (bit % 8));
            FaultyStorage bad = storage.copyWith(SEGMENT, bytes);
            try (SegmentCursor cursor = new SegmentCursor(bad, 0)) {
                int window = cursor.buffer().capacity();
                assertThat(cursor.next()).as("flip of bit %d", bit).isFalse();
                assertThat(cursor.evidenceOfDamage()).as("flip of bit %d", bit).isPositive();
                assertThat(cursor.buffer().capacity()).as("flip of bit %d", bit).isEqualTo(window);
                readable++;
            }
            assertThatThrownBy(() -> readAll(bad))
                    .as("flip of bit %d", bit)
                    .isInstanceOfSatisfying(
                            JournalException.class, e -> assertThat(e.kind()).isEqualTo(Kind.DAMAGED));
        }
        assertThat(readable).isEqualTo(Integer.SIZE);
    }

    /** What lies behind the first frame that cannot be read may look like a header, with any length. */
    @Test
    void aHeaderInTheTailTakesNoMemory() throws Exception {
        int size = 32 << 20;
        FaultyStorage storage = written(3, 4, false, CONFIG.segmentSize(size));
        byte[] bytes = storage.bytes(SEGMENT).clone();
        int end = Frame.blockEnd(lastByte(bytes)) + Frame.BLOCK;
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        System.arraycopy(bytes, Frame.BLOCK, bytes, end, Frame.HEADER);
        header.putInt(end + 4, 20 << 20);
        header.putLong(end + 8, 12);
        FaultyStorage bad = storage.copyWith(SEGMENT, bytes);
        try (SegmentCursor cursor = new SegmentCursor(bad, 0)) {
            int window = cursor.buffer().capacity();
            while (cursor.next()) {
                assertThat(cursor.payloadLength()).isLessThanOrEqualTo(Frame.BLOCK);
            }
            assertThat(cursor.evidenceOfDamage()).isEqualTo(-1);
            assertThat(cursor.buffer().capacity()).isEqualTo(window);
        }
        assertThat(readAll(bad)).isEqualTo(12);
    }

    /** Each frame of the tail looks like one, so that it may be the evidence. The last length is beyond what is read at once. */
    @ParameterizedTest
    @ValueSource(ints = {PAYLOAD, 20_000, 200_000})
    void aDamagedTailIsReadAFewTimesHoweverLongItIs(int length) throws Exception {
        for (int blocks : new int[] {512, 1024}) {
            int size = blocks * Frame.BLOCK;
            FaultyStorage storage = new FaultyStorage();
            Journal journal = Journal.open(storage, CONFIG.segmentSize(size).bufferSize(1 << 20));
            while (storage.list().stream().noneMatch(FileNames.segment(1)::equals)) {
                journal.append(ByteBuffer.allocate(length), 0, length);
                journal.endOfBatch();
            }
            byte[] bytes = storage.bytes(SEGMENT).clone();
            ByteBuffer frames = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            int damaged = 0;
            for (int at = Frame.BLOCK; at < size; at += Frame.align(Frame.length(frames, at))) {
                bytes[at] ^= 1; // of the checksum
                damaged++;
            }
            assertThat(damaged).isGreaterThan(size / (length + 2 * Frame.BLOCK));
            FaultyStorage bad = storage.copyWith(SEGMENT, bytes);
            try (SegmentCursor cursor = new SegmentCursor(bad, 0)) {
                assertThat(cursor.next()).isFalse();
                bad.bytesRead = 0;
                assertThat(cursor.evidenceOfDamage()).isEqualTo(-1);
            }
            assertThat(bad.bytesRead).isLessThan(3L * size);
        }
    }

    /** Batches of one block each. */
    private static FaultyStorage written(int batches, int perBatch, boolean closed) throws Exception {
        return written(batches, perBatch, closed, CONFIG);
    }

    private static FaultyStorage written(int batches, int perBatch, boolean closed, JournalConfig config)
            throws Exception {
        FaultyStorage storage = new FaultyStorage();
        Journal journal = Journal.open(storage, config);
        byte[] payload = new byte[PAYLOAD];
        for (int i = 0; i < batches * perBatch; i++) {
            Arrays.fill(payload, (byte) (i + 1));
            journal.append(ByteBuffer.wrap(payload), 0, payload.length);
            if (i % perBatch == perBatch - 1) {
                journal.endOfBatch();
            }
        }
        if (closed) {
            journal.close();
        }
        return storage.copyWith("", null);
    }

    private static int lastByte(byte[] bytes) {
        int at = bytes.length - 1;
        while (bytes[at] == 0) {
            at--;
        }
        return at;
    }

    private static long readAll(FaultyStorage storage) throws JournalException {
        long next = 0;
        try (JournalReader reader = JournalReader.replay(storage, 0)) {
            while (reader.next()) {
                assertThat(reader.sequence()).isEqualTo(next);
                if (reader.payloadLength() == PAYLOAD) {
                    assertThat(reader.buffer().get(reader.payloadOffset())).isEqualTo((byte) (next + 1));
                    assertThat(reader.buffer().get(reader.payloadOffset() + PAYLOAD - 1))
                            .isEqualTo((byte) (next + 1));
                }
                next++;
            }
        }
        return next;
    }
}
