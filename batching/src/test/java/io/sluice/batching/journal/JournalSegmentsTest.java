package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** From one segment to the next: prepared ahead, used again, read across, closed without room. */
class JournalSegmentsTest {
    private static final int BLOCKS = 16;
    private static final AtomicLong NOW = new AtomicLong();

    /** At each look the time has come to try again to make a segment. */
    private static final JournalConfig CONFIG = JournalConfig.defaults()
            .segmentSize(BLOCKS * Frame.BLOCK)
            .bufferSize(JournalConfig.MIN_BUFFER)
            .nanoClock(() -> NOW.addAndGet(SegmentFiles.RETRY_NANOS));

    private final FaultyStorage storage = new FaultyStorage();

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void acrossAHundredRollsNoAppendFillsOrForcesANewSegment(JournalConfig.Method method) throws Exception {
        SplittableRandom random = new SplittableRandom(4);
        int rolls = 0;
        try (Journal journal = Journal.open(storage, CONFIG.method(method))) {
            long index = 0;
            while (rolls < 100) {
                for (int i = random.nextInt(4); i >= 0; i--) {
                    int created = storage.created;
                    long bytes = storage.bytesBesideSegments;
                    int forces = storage.forces;
                    append(journal, random.nextInt(3000));
                    long rolledTo = last(storage);
                    boolean rolled = rolledTo > index;
                    index = rolledTo;
                    rolls += rolled ? 1 : 0;
                    assertThat(storage.created - created).as("files made").isZero();
                    assertThat(storage.bytesBesideSegments - bytes)
                            .as("bytes of zeros, but for the header of a segment that begins")
                            .isLessThanOrEqualTo(rolled ? Frame.BLOCK : 0);
                    assertThat(storage.forces - forces)
                            .as("forces: of the header, and of the segment that ends")
                            .isLessThanOrEqualTo(rolled ? 2 : 0);
                }
                int created = storage.created;
                journal.endOfBatch();
                long rolledTo = last(storage);
                rolls += rolledTo > index ? 1 : 0;
                index = rolledTo;
                assertThat(storage.created - created).isLessThanOrEqualTo(1);
            }
        }
        assertThat(Journal.verify(storage).segments()).isGreaterThan(100);
    }

    /** Whatever is asked: the record that is asked for can still be read, also where it is the last one of its segment. */
    @Test
    void whatIsNotBeforeTheGivenSequenceIsNotRetired() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG.segmentSize(6 * Frame.BLOCK))) {
            for (int i = 0; i < 40; i++) {
                append(journal, 1500);
                journal.endOfBatch();
            }
            long starts = 0;
            for (long sequence = 0; sequence < 40; sequence++) {
                long before = journal.firstSequence();
                journal.retireBefore(sequence);
                assertThat(journal.firstSequence()).isLessThanOrEqualTo(sequence);
                starts += journal.firstSequence() > before ? 1 : 0;
                try (JournalReader reader = journal.reader(sequence)) {
                    assertThat(reader.next()).isTrue();
                    assertThat(reader.sequence()).isEqualTo(sequence);
                }
            }
            assertThat(starts).as("segments that went").isGreaterThan(3);
        }
    }

    /** What such an opening would drop is a file that the roll made; but it may change nothing. */
    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void anOpeningThatMayNotRepairLeavesAnUnfinishedRollAlone(JournalConfig.Method method) throws Exception {
        JournalConfig config =
                CONFIG.method(method).segmentSize(6 * Frame.BLOCK).bufferSize(8 * Frame.BLOCK);
        Journal journal = Journal.open(storage, config);
        append(journal, 10);
        journal.endOfBatch();
        storage.failNextFolderForce = new IOException("I/O error");
        assertKind(Kind.CANNOT_ALLOCATE, () -> append(journal, 4 * Frame.BLOCK));
        append(journal, 20);
        journal.endOfBatch();
        FaultyStorage killed = storage.copyWith("", null);
        journal.close();
        long segments = last(killed);
        assertThat(segments).as("the segment of the roll is there").isEqualTo(1);
        assertKind(Kind.TORN, () -> Journal.open(killed, config.repairOnOpen(false)));
        assertThat(last(killed)).isEqualTo(segments);
        try (Journal again = Journal.open(killed, config)) {
            assertThat(again.nextSequence()).isEqualTo(2);
        }
    }

    @Test
    void eachBatchPreparesInProportionToWhatItAppended() throws Exception {
        int segment = 8 << 20;
        try (Journal journal = Journal.open(storage, CONFIG.segmentSize(segment).bufferSize(1 << 20))) {
            long before = storage.bytesBesideSegments;
            for (int written = 0; written < segment / 2 - (1 << 16); written += 1 << 15) {
                append(journal, (1 << 15) - Frame.HEADER);
                journal.endOfBatch();
            }
            assertThat(storage.bytesBesideSegments - before)
                    .as("nothing is prepared for a journal that stays short")
                    .isZero();
            long most = 0;
            while (!storage.exists(FileNames.SPARE)) {
                before = storage.bytesBesideSegments;
                int forces = storage.forcesBesideSegments;
                append(journal, (1 << 15) - Frame.HEADER);
                journal.endOfBatch();
                most = Math.max(most, storage.bytesBesideSegments - before);
                assertThat(storage.forcesBesideSegments - forces).isLessThanOrEqualTo(1);
                assertThat(last(storage)).as("ready before it is needed").isZero();
            }
            assertThat(most).isBetween(1L, 5L << 15);
        }
    }

    @Test
    void aLullPreparesToo() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG)) {
            assertThat(journal.maintain()).isZero();
            while (!storage.exists(FileNames.PREPARING)) {
                append(journal, 2000);
                journal.endOfBatch();
            }
            assertThat(journal.maintain()).isEqualTo(1);
            assertThat(storage.exists(FileNames.SPARE)).isTrue();
            assertThat(journal.maintain()).isZero();
            assertThat(journal.preallocate()).isZero();
        }
    }

    @Test
    void whoDoesNotWantSegmentsPreparedHasNoneMade() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG.prepareAhead(false))) {
            while (last(storage) < 3) {
                append(journal, 2000);
                journal.endOfBatch();
                journal.maintain();
                assertThat(storage.exists(FileNames.SPARE)).isFalse();
                assertThat(storage.exists(FileNames.PREPARING)).isFalse();
            }
            assertThat(journal.retireBefore(Long.MAX_VALUE)).isEqualTo(3);
            assertThat(storage.exists(FileNames.PREPARING)).as("not used again").isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void aRetiredSegmentIsUsedAgainAndHoldsNothingOfBefore(JournalConfig.Method method) throws Exception {
        int made;
        try (Journal journal = Journal.open(storage, CONFIG.method(method))) {
            for (int i = 0; i < 1_000; i++) {
                append(journal, 1000 + i % 7);
                journal.endOfBatch();
                journal.retireBefore(Math.max(0, journal.nextSequence() - 20));
            }
            made = storage.created;
            assertThat(last(storage)).isGreaterThan(60);
            long next = journal.firstSequence();
            try (JournalReader reader = journal.reader(next)) {
                while (reader.next()) {
                    assertThat(reader.sequence()).isEqualTo(next);
                    assertThat(reader.payloadLength()).isEqualTo(1000 + (int) (next % 7));
                    next++;
                }
            }
            assertThat(next).isEqualTo(1_000);
        }
        int markers = (int) last(storage) + 1; // one journal.first for each retirement, and a segment now and then
        assertThat(made).isLessThan(markers + 10);
        assertThat(Journal.verify(storage).tornBytes()).isZero();
    }

    @Test
    void aReaderInASegmentThatIsUsedAgainIsToldSo() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG)) {
            append(journal, 1);
            journal.endOfBatch();
            JournalReader following = journal.reader(0);
            JournalReader replaying = JournalReader.replay(storage, 0);
            assertThat(following.next()).isTrue();
            assertThat(following.next()).isFalse();
            assertThat(replaying.next()).isTrue();
            while (last(storage) < 3) {
                append(journal, 3000);
                journal.endOfBatch();
                if (last(storage) == 1) {
                    journal.retireBefore(Long.MAX_VALUE);
                }
            }
            for (JournalReader reader : List.of(following, replaying)) {
                assertKind(Kind.NOT_HELD, () -> {
                    while (reader.next()) {
                        assertThat(reader.payloadLength()).isEqualTo(reader.sequence() == 0 ? 1 : 3000);
                    }
                });
                assertKind(Kind.NOT_HELD, reader::next);
                reader.close();
            }
        }
    }

    @Test
    void aDiskThatIsFullWhilePreparingHarmsNobodyBeforeTheRoll() throws Exception {
        storage.capacity = (BLOCKS + 3L) * Frame.BLOCK;
        try (Journal journal = Journal.open(storage, CONFIG)) {
            JournalException refused = null;
            long acknowledged = -1;
            while (refused == null) {
                try {
                    append(journal, 2000);
                    journal.endOfBatch();
                    acknowledged = journal.durableSequence();
                } catch (JournalException e) {
                    refused = e;
                }
            }
            assertThat(refused.kind()).isEqualTo(Kind.CANNOT_ALLOCATE);
            assertThat(acknowledged)
                    .as("the segment was filled first, a block a batch")
                    .isGreaterThan(10);
            assertThat(storage.exists(FileNames.PREPARING)).isFalse();
            storage.capacity = Long.MAX_VALUE;
            journal.endOfBatch();
            assertThat(journal.durableSequence()).isEqualTo(journal.nextSequence() - 1);
        }
    }

    @Test
    void aSpareOfAnotherSizeDoesNotKeepTheRightOneFromBeingMade() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG)) {
            assertThat(journal.preallocate()).isEqualTo(1);
        }
        assertThat(storage.bytes(FileNames.SPARE)).hasSize(BLOCKS * Frame.BLOCK);
        try (Journal journal = Journal.open(storage, CONFIG.segmentSize(5 * Frame.BLOCK))) {
            assertThat(journal.preallocate()).isEqualTo(1);
            assertThat(storage.bytes(FileNames.SPARE)).hasSize(5 * Frame.BLOCK);
            assertThat(journal.preallocate()).isZero();
        }
    }

    @Test
    void tooLongARecordIsRefusedWhereverItWouldStand() throws Exception {
        for (JournalConfig.Method method : JournalConfig.Method.values()) {
            FaultyStorage each = new FaultyStorage();
            JournalConfig config = CONFIG.method(method).segmentSize(4 * Frame.BLOCK);
            try (Journal journal = Journal.open(each, config)) {
                int max = journal.maxRecordLength();
                ByteBuffer source = ByteBuffer.allocate(max + 9);
                for (int i = 0; i < 40; i++) {
                    for (int length = max + 1; length <= max + 9; length++) {
                        int tooLong = length;
                        assertThatThrownBy(() -> journal.append(source, 0, tooLong))
                                .isInstanceOf(IllegalArgumentException.class)
                                .hasMessageContaining("but was " + tooLong)
                                .hasMessageContaining("0 to " + max);
                    }
                    assertThat(journal.append(source, 0, i % 3 == 0 ? max : 17 * i))
                            .isEqualTo(i);
                }
            }
            // A larger segment of before takes no more than the others.
            try (Journal journal = Journal.open(each, config.segmentSize(3 * Frame.BLOCK))) {
                int max = journal.maxRecordLength();
                assertThatThrownBy(() -> journal.append(ByteBuffer.allocate(max + 1), 0, max + 1))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void closingOnAFullDiskKeepsABatchThatFits(JournalConfig.Method method) throws Exception {
        for (int records = 1; records < 60; records++) {
            FaultyStorage full = new FaultyStorage();
            JournalConfig config = CONFIG.method(method).segmentSize(6 * Frame.BLOCK);
            Journal journal = Journal.open(full, config);
            full.capacity = 6 * Frame.BLOCK + 100; // the segment, and the file that names it
            int appended = 0;
            try {
                while (appended < records) {
                    append(journal, 600);
                    appended++;
                }
            } catch (JournalException e) {
                assertThat(e.kind()).isEqualTo(Kind.CANNOT_ALLOCATE);
            }
            journal.close();
            assertThat(journal.durableSequence()).as(records + " records").isEqualTo(appended - 1);
            journal.close();
            JournalReport report = Journal.verify(full);
            assertThat(report.nextSequence()).isEqualTo(appended);
            assertThat(report.tornBytes()).isZero();
            FaultyStorage cut = full.afterCut(new SplittableRandom(records));
            assertThat(Journal.verify(cut).nextSequence()).isEqualTo(appended);
            try (JournalReader follower = JournalReader.follow(cut, appended);
                    Journal again = Journal.open(cut, config.repairOnOpen(false))) {
                assertThat(follower.next()).isFalse();
                assertThat(again.nextSequence()).isEqualTo(appended);
                append(again, 600);
                again.endOfBatch();
                assertThat(follower.next())
                        .as("the follower goes on in the next segment")
                        .isTrue();
                assertThat(follower.sequence()).isEqualTo(appended);
            }
            assertThat(Journal.verify(cut).nextSequence()).isEqualTo(appended + 1);
        }
    }

    /** The segment of the roll has its name, but nobody is to go on in it: the writer stayed in the one before. */
    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void theSegmentOfARollThatFailedHidesNothingThatWasAppendedBeforeTheClose(JournalConfig.Method method)
            throws Exception {
        for (int blocks : new int[] {4, 6}) { // closed full, and with room left
            FaultyStorage each = new FaultyStorage();
            int segmentSize = blocks * Frame.BLOCK;
            JournalConfig config =
                    CONFIG.method(method).segmentSize(segmentSize).bufferSize(8 * Frame.BLOCK);
            try (Journal journal = Journal.open(each, config)) {
                append(journal, 10);
                journal.endOfBatch();
                each.failNextFolderForce = new IOException("I/O error");
                assertKind(Kind.CANNOT_ALLOCATE, () -> append(journal, segmentSize - 2 * Frame.BLOCK));
                append(journal, 20);
                journal.endOfBatch();
            }
            assertThat(last(each)).as("the segment of the roll is there").isEqualTo(1);
            JournalReport report = Journal.verify(each);
            assertThat(report.nextSequence()).isEqualTo(2);
            assertThat(report.tornBytes()).isZero();
            try (JournalReader follower = JournalReader.follow(each, 0)) {
                assertThat(follower.next()).isTrue();
                assertThat(follower.next()).isTrue();
                assertThat(follower.payloadLength()).isEqualTo(20);
                assertThat(follower.next()).isFalse();
                try (Journal again = Journal.open(each, config.repairOnOpen(false))) {
                    assertThat(again.nextSequence()).isEqualTo(2);
                    append(again, 30);
                    again.endOfBatch();
                    assertThat(follower.next()).isTrue();
                    assertThat(follower.sequence()).isEqualTo(2);
                    assertThat(follower.payloadLength()).isEqualTo(30);
                }
            }
            assertThat(Journal.verify(each).nextSequence()).isEqualTo(3);
        }
    }

    @Test
    void aMoveToTheNextSegmentThatFailedIsTriedAgain() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG)) {
            while (last(storage) < 2) {
                append(journal, 3000);
                journal.endOfBatch();
            }
            long count = journal.nextSequence();
            for (boolean following : new boolean[] {true, false}) {
                try (JournalReader reader =
                        following ? JournalReader.follow(storage, 0) : JournalReader.replay(storage, 0)) {
                    storage.failOpening = FileNames.segment(1);
                    long read = 0;
                    int failures = 0;
                    while (true) {
                        try {
                            if (!reader.next()) {
                                break;
                            }
                            read++;
                        } catch (JournalException e) {
                            failures++;
                            assertThat(e.kind()).isEqualTo(Kind.CANNOT_OPEN);
                        }
                    }
                    assertThat(failures).isEqualTo(1);
                    assertThat(read).as("following: " + following).isEqualTo(count);
                }
            }
        }
    }

    @Test
    void aSegmentThatIsMissingStaysMissingHoweverOftenTheReaderIsAsked() throws Exception {
        Journal journal = Journal.open(storage, CONFIG);
        while (last(storage) < 2) {
            append(journal, 3000);
            journal.endOfBatch();
        }
        journal.close();
        for (boolean following : new boolean[] {true, false}) {
            FaultyStorage copy = storage.copyWith("", null);
            try (JournalReader reader = following ? JournalReader.follow(copy, 0) : JournalReader.replay(copy, 0)) {
                assertThat(reader.next()).isTrue();
                copy.delete(FileNames.segment(1));
                for (int i = 0; i < 3; i++) {
                    assertKind(Kind.MISSING_SEGMENT, () -> {
                        while (reader.next()) {
                            // To the end of the segment that is there.
                        }
                    });
                }
            }
        }
    }

    @Test
    void theEndIsCheckedAgainAtTheSameOffsetOfTheNextSegmentAndWhenTheJournalHasGrown() throws Exception {
        for (boolean roll : new boolean[] {true, false}) {
            FaultyStorage each = new FaultyStorage();
            JournalConfig config = CONFIG.segmentSize(8 * Frame.BLOCK);
            try (Journal journal = Journal.open(each, config)) {
                append(journal, 1000);
                journal.endOfBatch();
                JournalReader reader = JournalReader.replay(each, 0);
                assertThat(reader.next()).isTrue();
                assertThat(reader.next()).as("the end, and it was checked").isFalse();
                long segment = 0;
                if (roll) {
                    segment = 1;
                    while (last(each) == 0) {
                        append(journal, 1000);
                        journal.endOfBatch();
                    }
                }
                for (int i = 0; i < 4; i++) {
                    append(journal, 1000);
                    journal.endOfBatch();
                }
                byte[] bytes = each.bytes(FileNames.segment(segment));
                bytes[2 * Frame.BLOCK + 100] ^= 1; // the second block of records, where the end was at first
                assertKind(Kind.DAMAGED, () -> {
                    while (reader.next()) {
                        // Up to the damage.
                    }
                });
                reader.close();
            }
        }
    }

    @Test
    void onARealFolderSegmentsAreUsedAgainToo(@TempDir Path folder) throws Exception {
        for (JournalConfig.Method method : JournalConfig.Method.values()) {
            Path each = folder.resolve(method.toString());
            try (Journal journal = Journal.open(each, CONFIG.method(method))) {
                List<Object> inodes = new ArrayList<>();
                for (int i = 0; i < 400; i++) {
                    append(journal, 1000);
                    journal.endOfBatch();
                    if (journal.retireBefore(Math.max(0, i - 5)) > 0) {
                        inodes.add(Files.readAttributes(
                                        each.resolve(FileNames.PREPARING),
                                        java.nio.file.attribute.BasicFileAttributes.class)
                                .size());
                    }
                }
                assertThat(inodes).hasSizeGreaterThan(20).containsOnly((long) BLOCKS * Frame.BLOCK);
            }
            assertThat(Journal.verify(each).nextSequence()).isEqualTo(400);
            assertThat(each.resolve(FileNames.PREPARING)).doesNotExist();
        }
    }

    @Test
    void aMappingThatFailsAtARollHarmsNothingThatWasAcknowledged() throws Exception {
        Journal journal = Journal.open(storage, CONFIG.method(JournalConfig.Method.MAPPED));
        for (int i = 0; i < 5; i++) {
            append(journal, 1000 + i);
            journal.endOfBatch();
        }
        storage.failNextMapping = new OutOfMemoryError("heap");
        assertThatThrownBy(() -> {
                    while (true) {
                        append(journal, 1000 + (int) journal.nextSequence());
                        journal.endOfBatch();
                    }
                })
                .isInstanceOf(OutOfMemoryError.class);
        long acknowledged = journal.durableSequence();
        assertKind(Kind.FAILED, () -> append(journal, 1));
        assertKind(Kind.FAILED, journal::endOfBatch);
        journal.close();
        assertThat(acknowledged).isGreaterThan(5);
        try (JournalReader reader = JournalReader.replay(storage, 0)) {
            while (reader.next()) {
                assertThat(reader.payloadLength()).isEqualTo(1000 + (int) reader.sequence());
            }
            assertThat(reader.nextSequence()).isGreaterThan(acknowledged);
        }
    }

    @Test
    void aReaderThatStartsWhileARollIsCutShortSeesWhatIsAppendedBeforeTheRoll() throws Exception {
        for (boolean following : new boolean[] {true, false}) {
            FaultyStorage each = new FaultyStorage();
            try (Journal journal = Journal.open(each, CONFIG.durability(Durability.NONE))) {
                each.failNextFolderForce = new IOException("I/O error");
                assertKind(Kind.CANNOT_ALLOCATE, () -> {
                    while (true) {
                        append(journal, 3000);
                        journal.endOfBatch();
                    }
                });
                long from = journal.nextSequence();
                try (JournalReader reader =
                        following ? JournalReader.follow(each, from) : JournalReader.replay(each, from)) {
                    append(journal, 5); // rolls now, or fits before the roll
                    journal.endOfBatch();
                    assertThat(reader.next()).as("following: " + following).isTrue();
                    assertThat(reader.sequence()).isEqualTo(from);
                    assertThat(reader.payloadLength()).isEqualTo(5);
                }
            }
        }
    }

    @Test
    void aReaderThatStartsInAnEmptySegmentFollowsTheWriterThatDropsIt() throws Exception {
        FaultyStorage cut = cutBeforeTheRollMark();
        long next;
        try (JournalReader all = JournalReader.replay(cut, 0)) {
            while (all.next()) {
                // To the end.
            }
            next = all.nextSequence();
        }
        try (JournalReader following = JournalReader.follow(cut, next);
                JournalReader replaying = JournalReader.replay(cut, next);
                Journal again = Journal.open(cut, CONFIG)) {
            assertThat(again.nextSequence()).isEqualTo(next);
            append(again, 7);
            again.endOfBatch();
            for (JournalReader reader : List.of(following, replaying)) {
                assertThat(reader.next()).isTrue();
                assertThat(reader.sequence()).isEqualTo(next);
                assertThat(reader.payloadLength()).isEqualTo(7);
            }
        }
    }

    /** A journal whose writer was killed when the next segment had its name, and before the full one had its mark. */
    private static FaultyStorage cutBeforeTheRollMark() throws Exception {
        for (long operations = 1; ; operations++) {
            FaultyStorage each = new FaultyStorage();
            each.operationsLeft = operations;
            try (Journal journal = Journal.open(each, CONFIG.durability(Durability.NONE))) {
                while (last(each) == 0) {
                    append(journal, 3000);
                    journal.endOfBatch();
                }
            } catch (FaultyStorage.PowerCut e) {
                if (last(each) == 1) {
                    each.operationsLeft = Long.MAX_VALUE;
                    return each.afterKill();
                }
            }
        }
    }

    @Test
    void aReaderAtTheEndOfASegmentThatIsRetiredMeanwhileIsToldSo() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG)) {
            append(journal, 1);
            journal.endOfBatch();
            JournalReader reader = JournalReader.replay(storage, 0);
            assertThat(reader.next()).isTrue();
            storage.lookedAt = FileNames.segment(1);
            storage.beforeNextLookAt = () -> { // the reader asks whether there is a next segment
                fillUpTo(journal, 1);
                storage.beforeNextLookAt = () -> { // the reader opens it
                    fillUpTo(journal, 2);
                    retireAll(journal);
                };
            };
            assertKind(Kind.NOT_HELD, () -> {
                while (reader.next()) {
                    // What is still there of the first segment.
                }
            });
            reader.close();
        }
    }

    /** It moves to a segment that was made meanwhile, finds no record there, and then that one was retired. */
    @Test
    void aReaderThatCannotBeOpenedLeavesNoFileOpen() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG)) {
            fillUpTo(journal, 1);
        }
        String second = FileNames.segment(1);
        FaultyStorage.MemoryFile made = Objects.requireNonNull(storage.names.remove(second));
        Arrays.fill(made.live, Frame.BLOCK, made.live.length, (byte) 0);
        Runnable retired = () -> Arrays.fill(made.live, 0, Frame.BLOCK, (byte) 0);
        int open = storage.open;
        storage.lookedAt = FileNames.segment(0);
        storage.beforeNextLookAt = () -> {
            storage.names.put(second, made);
            storage.lookedAt = second;
            storage.beforeNextLookAt = () -> storage.afterNextRead = () -> storage.afterNextRead = retired;
        };
        assertKind(Kind.NOT_HELD, () -> JournalReader.follow(storage, 1_000));
        assertThat(storage.afterNextRead).as("retired meanwhile").isNull();
        assertThat(storage.open).as("files that stay open").isEqualTo(open);
    }

    /** The last segment is empty, so the reader looks into the one before. That one is retired just then. */
    @Test
    void aReaderOfWhatIsHeldIsNotRefusedThoughTheSegmentBeforeIsRetiredMeanwhile() throws Exception {
        try (Journal journal = Journal.open(storage, CONFIG)) {
            fillUpTo(journal, 1);
            long from = journal.nextSequence();
            beforeTheFirstSegmentIsOpenedAfterTheListing(() -> retireAll(journal));
            try (JournalReader reader = journal.reader(from)) {
                assertThat(journal.firstSequence()).as("held").isEqualTo(from);
                append(journal, 7);
                journal.endOfBatch();
                assertNext(reader, from, 7);
            }
        }
        assertThat(storage.open).as("files that stay open").isZero();
    }

    /** The one segment is full, and what was asked for will begin the next one. */
    @Test
    void aReaderOfWhatComesNextIsNotRefusedThoughAllBeforeItIsRetiredMeanwhile() throws Exception {
        long fits = 0;
        try (Journal other = Journal.open(new FaultyStorage(), CONFIG.durability(Durability.NONE))) {
            for (long first = other.nextSequence(); other.firstSequence() == first; fits++) {
                append(other, 3000);
                other.endOfBatch();
                other.retireBefore(fits);
            }
            fits--; // the last one is in the second segment
        }
        try (Journal journal = Journal.open(storage, CONFIG.durability(Durability.NONE))) {
            for (long i = 0; i < fits; i++) {
                append(journal, 3000);
                journal.endOfBatch();
            }
            long from = journal.writtenSequence() + 1;
            beforeTheFirstSegmentIsOpenedAfterTheListing(() -> {
                fillUpTo(journal, 1);
                retireAll(journal);
            });
            try (JournalReader reader = journal.reader(from)) {
                assertThat(journal.firstSequence()).as("held").isEqualTo(from);
                assertNext(reader, from, 3000);
            }
        }
        assertThat(storage.open).as("files that stay open").isZero();
    }

    private void beforeTheFirstSegmentIsOpenedAfterTheListing(Runnable meanwhile) {
        storage.lookedAt = FileNames.segment(0);
        storage.beforeNextLookAt = () -> storage.beforeNextLookAt = meanwhile;
    }

    private static void assertNext(JournalReader reader, long sequence, int length) throws JournalException {
        assertThat(reader.next()).isTrue();
        assertThat(reader.sequence()).isEqualTo(sequence);
        assertThat(reader.payloadLength()).isEqualTo(length);
    }

    private void fillUpTo(Journal journal, long index) {
        try {
            while (last(storage) < index) {
                append(journal, 3000);
                journal.endOfBatch();
            }
        } catch (JournalException e) {
            throw new AssertionError(e);
        }
    }

    private static void retireAll(Journal journal) {
        try {
            journal.retireBefore(Long.MAX_VALUE);
        } catch (JournalException e) {
            throw new AssertionError(e);
        }
    }

    private static long last(FaultyStorage storage) {
        return storage.list().stream().mapToLong(FileNames::segmentIndex).max().orElse(-1);
    }

    @Test
    void aRepairMakesNoLargerSegmentThanTheJournalHas() throws Exception {
        int spares = 0;
        long segments = 0;
        for (int records = 1; records <= 2 * BLOCKS; records++) {
            FaultyStorage repaired = new FaultyStorage();
            try (Journal journal = Journal.open(repaired, CONFIG)) {
                for (int i = 0; i < records; i++) {
                    append(journal, 2_000);
                    journal.endOfBatch();
                }
            }
            boolean spare = repaired.exists(FileNames.SPARE);
            long last = last(repaired);
            assertThat(Journal.repair(repaired).nextSequence()).isEqualTo(records);
            for (String name : repaired.list()) {
                assertThat(repaired.bytes(name).length)
                        .as(name + " behind " + records + " records")
                        .isLessThanOrEqualTo(BLOCKS * Frame.BLOCK);
            }
            if (last(repaired) == last) { // else the spare is the last one now
                assertThat(repaired.exists(FileNames.SPARE))
                        .as("a spare behind " + records + " records")
                        .isEqualTo(spare);
            }
            spares += spare ? 1 : 0;
            segments += last(repaired) - last;
        }
        assertThat(spares).as("spares met").isPositive();
        assertThat(segments).as("segments made").isPositive();
    }

    private static void append(Journal journal, int length) throws JournalException {
        journal.append(ByteBuffer.allocate(Math.max(length, 1)), 0, length);
    }

    private static void assertKind(Kind kind, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        JournalException.class,
                        e -> assertThat(e.kind()).as(e.toString()).isEqualTo(kind));
    }
}
