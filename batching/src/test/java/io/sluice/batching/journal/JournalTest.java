package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTest {
    private static final JournalConfig SMALL =
            JournalConfig.defaults().segmentSize(6 * Frame.BLOCK).bufferSize(JournalConfig.MIN_BUFFER);

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void recordsComeBackWithSequenceTimestampAndBytes(JournalConfig.Method method) throws Exception {
        long[] now = {1_000};
        try (Journal journal =
                Journal.open(folder, SMALL.method(method).firstSequence(7).epochClock(() -> now[0]++))) {
            assertThat(journal.firstSequence()).isEqualTo(7);
            assertThat(journal.durableSequence()).isEqualTo(6);
            assertThat(append(journal, "a")).isEqualTo(7);
            assertThat(append(journal, "")).isEqualTo(8);
            assertThat(append(journal, "çedilla")).isEqualTo(9);
            assertThat(journal.durableSequence()).isEqualTo(6);
            journal.endOfBatch();
            assertThat(journal.durableSequence()).isEqualTo(9);
            assertThat(journal.writtenSequence()).isEqualTo(9);
            assertThat(journal.durable().get()).isEqualTo(9);
            assertThat(journal.written().get()).isEqualTo(9);
        }
        try (JournalReader reader = JournalReader.replay(folder, 7)) {
            assertThat(reader.sequence()).isEqualTo(-1);
            assertThat(reader.next()).isTrue();
            assertThat(reader.sequence()).isEqualTo(7);
            assertThat(reader.timestamp()).isBetween(1_000L, 1_010L);
            assertThat(text(reader)).isEqualTo("a");
            assertThat(reader.next()).isTrue();
            assertThat(text(reader)).isEmpty();
            assertThat(reader.next()).isTrue();
            assertThat(text(reader)).isEqualTo("çedilla");
            assertThat(reader.next()).isFalse();
            assertThat(reader.nextSequence()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void theClockIsReadForEachBatchAndAgainWithinALongOne(JournalConfig.Method method) throws Exception {
        long[] now = {0};
        int records = 3 * (64 << 10) / 1024;
        try (Journal journal = Journal.open(
                folder,
                JournalConfig.defaults().segmentSize(1 << 20).method(method).epochClock(() -> ++now[0]))) {
            ByteBuffer record = ByteBuffer.allocate(1024 - Frame.HEADER);
            for (int i = 0; i < 5; i++) {
                append(journal, "a");
                append(journal, "b");
                journal.endOfBatch();
            }
            for (int i = 0; i < records; i++) {
                journal.append(record, 0, record.capacity());
            }
        }
        Map<Long, Integer> times = new TreeMap<>();
        try (JournalReader reader = JournalReader.replay(folder, 0)) {
            while (reader.next()) {
                times.merge(reader.timestamp(), 1, Integer::sum);
            }
        }
        assertThat(times.values()).containsExactly(2, 2, 2, 2, 2, records / 3, records / 3, records / 3);
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void segmentsRollAndCanBeReadFromAnySequenceAndRetired(JournalConfig.Method method) throws Exception {
        JournalConfig config = SMALL.method(method);
        int count = 200;
        try (Journal journal = Journal.open(folder, config)) {
            for (int i = 0; i < count; i++) {
                append(journal, text(i));
                if (i % 7 == 6) {
                    journal.endOfBatch();
                }
            }
        }
        assertThat(segmentFiles().size()).isGreaterThan(5);
        for (int from = 0; from <= count; from++) {
            try (JournalReader reader = JournalReader.replay(folder, from)) {
                for (int i = from; i < count; i++) {
                    assertThat(reader.next()).isTrue();
                    assertThat(reader.sequence()).isEqualTo(i);
                    assertThat(text(reader)).isEqualTo(text(i));
                }
                assertThat(reader.next()).isFalse();
            }
        }
        assertThatThrownBy(() -> JournalReader.replay(folder, count + 1))
                .hasMessageContaining("sequence " + (count + 1));
        try (Journal journal = Journal.open(folder, config)) {
            assertThat(journal.nextSequence()).isEqualTo(count);
            int before = segmentFiles().size();
            assertThat(journal.retireBefore(0)).isZero();
            int retired = journal.retireBefore(100);
            assertThat(retired).isPositive();
            assertThat(segmentFiles()).hasSize(before - retired);
            assertThat(journal.firstSequence()).isBetween(60L, 100L);
            assertKind(Kind.NOT_HELD, () -> journal.reader(journal.firstSequence() - 1));
            journal.reader(100).close();
            assertThat(journal.retireBefore(Long.MAX_VALUE)).isPositive();
            assertThat(segmentFiles()).hasSize(1);
            append(journal, text(count));
        }
        JournalReport report = Journal.verify(folder);
        assertThat(report.nextSequence()).isEqualTo(count + 1);
        assertThat(report.segments()).isEqualTo(1);
        assertThat(report.tornBytes()).isZero();
        assertThat(report.toString()).contains("whole tail");
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void oneForceServesAllRecordsOfABatch(JournalConfig.Method method) throws Exception {
        try (Journal journal =
                Journal.open(folder, JournalConfig.defaults().method(method).segmentSize(1 << 20))) {
            long before = journal.forceCount();
            for (int batch = 0; batch < 10; batch++) {
                for (int i = 0; i < 50; i++) {
                    append(journal, text(i));
                }
                journal.endOfBatch();
                assertThat(journal.durableSequence()).isEqualTo(50L * batch + 49);
            }
            assertThat(journal.forceCount() - before).isEqualTo(10);
            journal.endOfBatch();
            journal.force();
            assertThat(journal.forceCount() - before)
                    .as("nothing new, no force")
                    .isEqualTo(10);
        }
    }

    @Test
    void timedDurabilityForcesWhenTheIntervalIsOver() throws Exception {
        long[] nanos = {Long.MAX_VALUE - 1_000_000}; // wraps within the test
        JournalConfig config =
                SMALL.durability(Durability.every(Duration.ofMillis(5))).nanoClock(() -> nanos[0]);
        try (Journal journal = Journal.open(folder, config)) {
            append(journal, "a");
            journal.endOfBatch();
            assertThat(journal.writtenSequence()).isZero();
            assertThat(journal.durableSequence()).isEqualTo(-1);
            nanos[0] += 4_999_999;
            assertThat(journal.maintain()).isZero();
            append(journal, "b");
            nanos[0] += 1;
            journal.endOfBatch();
            assertThat(journal.durableSequence()).isEqualTo(1);
            append(journal, "b2");
            nanos[0] += 4_999_999;
            journal.endOfBatch();
            assertThat(journal.maintain()).as("the interval began again").isZero();
            assertThat(journal.nanosToForce()).isEqualTo(1);
            assertThat(journal.durableSequence()).isEqualTo(1);
            nanos[0] += 1;
            assertThat(journal.maintain()).isEqualTo(1);
            assertThat(journal.durableSequence()).isEqualTo(2);
            assertThat(journal.nanosToForce()).isEqualTo(Long.MAX_VALUE);
            nanos[0] += 10_000_000;
            assertThat(journal.maintain()).as("nothing to force").isZero();
            append(journal, "c");
            assertThat(journal.maintain()).isEqualTo(1);
            assertThat(journal.durableSequence()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void withoutDurabilityNothingIsForcedAndAllIsReadable(JournalConfig.Method method) throws Exception {
        try (Journal journal =
                Journal.open(folder, SMALL.method(method).segmentSize(1 << 20).durability(Durability.NONE))) {
            long before = journal.forceCount();
            JournalReader reader = journal.reader(0);
            for (int i = 0; i < 100; i++) {
                append(journal, text(i));
                journal.endOfBatch();
                assertThat(reader.next()).as("record " + i).isTrue();
                assertThat(text(reader)).isEqualTo(text(i));
                assertThat(reader.next()).isFalse();
            }
            reader.close();
            assertThat(journal.forceCount()).isEqualTo(before);
            assertThat(journal.durableSequence()).isEqualTo(-1);
            journal.force();
            assertThat(journal.durableSequence()).isEqualTo(99);
        }
        assertThat(Journal.verify(folder).nextSequence()).isEqualTo(100);
    }

    @Test
    void aReaderDoesNotRunAheadOfItsLimit() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL.durability(Durability.NONE));
                JournalReader reader = journal.reader(0).upTo(journal.durable())) {
            append(journal, "a");
            journal.endOfBatch();
            assertThat(reader.next()).isFalse();
            journal.force();
            assertThat(reader.next()).isTrue();
            assertThat(reader.next()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    @Tag("concurrency")
    @Timeout(60)
    void aReaderFollowsALiveWriterOverManySegments(JournalConfig.Method method) throws Exception {
        int count = 20_000;
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (Journal journal =
                Journal.open(folder, SMALL.method(method).segmentSize(64 << 10).durability(Durability.NONE))) {
            JournalReader reader = journal.reader(0);
            Future<Long> read = executor.submit(() -> {
                long next = 0;
                while (next < count) {
                    if (reader.next()) {
                        if (reader.sequence() != next || !text(reader).equals(text((int) next))) {
                            throw new AssertionError("at " + next + ": " + reader.sequence() + " " + text(reader));
                        }
                        next++;
                    } else {
                        Thread.onSpinWait();
                    }
                }
                return next;
            });
            for (int i = 0; i < count && !read.isDone(); i++) {
                append(journal, text(i));
                if (i % 13 == 0) {
                    journal.endOfBatch();
                }
            }
            journal.endOfBatch();
            assertThat(read.get(50, TimeUnit.SECONDS)).isEqualTo(count);
            reader.close();
        } catch (ExecutionException e) {
            throw new AssertionError(method.toString(), e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    @Tag("concurrency")
    @Timeout(60)
    void aReplayOfALiveJournalNeverTakesItForDamaged(JournalConfig.Method method) throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (Journal journal =
                Journal.open(folder, SMALL.method(method).segmentSize(64 << 10).durability(Durability.NONE))) {
            Future<Long> read = executor.submit(() -> {
                long found = 0;
                while (found < 3_000) {
                    try (JournalReader reader = JournalReader.replay(folder, 0)) {
                        while (reader.next()) {
                            found = reader.sequence();
                        }
                    }
                }
                return found;
            });
            for (int i = 0; !read.isDone(); i++) {
                append(journal, text(i));
                if (i % 5 == 0) {
                    journal.endOfBatch();
                }
                if (i % 50 == 0) {
                    journal.force();
                }
            }
            assertThat(read.get(50, TimeUnit.SECONDS)).isGreaterThanOrEqualTo(3_000L);
        } finally {
            executor.shutdownNow();
        }
    }

    @Test
    void evidenceOfDamageThatIsYoungerThanTheLookAtTheFrameIsNotBelieved() throws Exception {
        FaultyStorage storage = new FaultyStorage();
        int count = 25; // more than the reader has in its window
        try (Journal journal = Journal.open(storage, SMALL.segmentSize(64 * Frame.BLOCK));
                JournalReader reader = JournalReader.replay(storage, 0)) {
            storage.afterNextRead = () -> {
                try {
                    for (int i = 0; i < count; i++) {
                        append(journal, text(i));
                        journal.endOfBatch();
                    }
                } catch (JournalException e) {
                    throw new AssertionError(e);
                }
            };
            for (int i = 0; i < count; i++) {
                assertThat(reader.next()).isTrue();
                assertThat(text(reader)).isEqualTo(text(i));
            }
            assertThat(reader.next()).isFalse();
        }
    }

    @Test
    @Tag("concurrency")
    @Timeout(60)
    void whatIsReportedAsWrittenCanBeRead() throws Exception {
        int count = 20_000;
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try (Journal journal = Journal.open(folder, SMALL.segmentSize(4 << 20).durability(Durability.NONE));
                JournalReader reader = journal.reader(0)) {
            Future<Long> read = executor.submit(() -> {
                long next = 0;
                while (next < count) {
                    if (journal.writtenSequence() >= next) {
                        if (!reader.next()) {
                            throw new AssertionError("record " + next + " was reported, and is not there");
                        }
                        next++;
                    } else {
                        Thread.onSpinWait();
                    }
                }
                return next;
            });
            for (int i = 0; i < count && !read.isDone(); i++) {
                append(journal, text(i));
                journal.endOfBatch();
            }
            assertThat(read.get(50, TimeUnit.SECONDS)).isEqualTo(count);
        } finally {
            executor.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void recordsOfEveryLengthFit(JournalConfig.Method method) throws Exception {
        int max;
        try (Journal journal = Journal.open(folder, SMALL.method(method))) {
            max = journal.maxRecordLength();
            ByteBuffer bytes = ByteBuffer.allocate(max + 1);
            for (int length = 0; length <= max; length += length < 100 || length > max - 100 ? 1 : 97) {
                bytes.putInt(0, length);
                journal.append(bytes, 0, length);
                if (length % 3 == 0) {
                    journal.endOfBatch();
                }
            }
            long next = journal.nextSequence();
            assertThatThrownBy(() -> journal.append(bytes, 0, max + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("but was " + (max + 1))
                    .hasMessageContaining("0 to " + max);
            assertThat(journal.nextSequence()).isEqualTo(next);
        }
        try (JournalReader reader = JournalReader.replay(folder, 0)) {
            for (int length = 0; length <= max; length += length < 100 || length > max - 100 ? 1 : 97) {
                assertThat(reader.next()).as("length " + length).isTrue();
                assertThat(reader.payloadLength()).isEqualTo(length);
                if (length >= 4) {
                    assertThat(Integer.reverseBytes(reader.buffer().getInt(reader.payloadOffset())))
                            .isEqualTo(length);
                }
            }
            assertThat(reader.next()).isFalse();
        }
    }

    @Test
    void aSpareSegmentIsMadeAheadAndUsed() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL)) {
            assertThat(journal.preallocate()).isEqualTo(1);
            assertThat(journal.preallocate()).isZero();
            assertThat(folder.resolve(FileNames.SPARE)).exists();
            while (segmentFiles().size() < 2) {
                append(journal, text(1));
                journal.endOfBatch();
            }
            assertThat(folder.resolve(FileNames.SPARE)).doesNotExist();
            assertThat(journal.preallocate()).isEqualTo(1);
        }
        // A spare of another size is not used.
        try (Journal journal = Journal.open(folder, SMALL.segmentSize(9 * Frame.BLOCK))) {
            while (segmentFiles().size() < 3) {
                append(journal, text(1));
                journal.endOfBatch();
            }
            append(journal, text(2));
        }
        assertThat(Files.size(folder.resolve(FileNames.segment(2)))).isEqualTo(9 * Frame.BLOCK);
        assertThat(Journal.verify(folder).segments()).isEqualTo(3);
    }

    @Test
    void aSecondWriterIsRefused() throws Exception {
        try (Journal first = Journal.open(folder, SMALL)) {
            append(first, "a");
            assertKind(Kind.LOCKED, () -> Journal.open(folder, SMALL));
            assertKind(Kind.LOCKED, () -> Journal.repair(folder));
            append(first, "b");
        }
        try (Journal second = Journal.open(folder, SMALL)) {
            assertThat(second.nextSequence()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void aMissingSegmentIsNamed(int which) throws Exception {
        try (Journal journal = Journal.open(folder, SMALL)) {
            while (segmentFiles().size() < 3) {
                append(journal, text(1));
                journal.endOfBatch();
            }
            append(journal, text(1));
        }
        Path removed = folder.resolve(FileNames.segment(which));
        Files.delete(removed);
        List<Path> before = segmentFiles();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> Journal.open(folder, SMALL), () -> Journal.verify(folder), () -> Journal.repair(folder))) {
            assertKind(Kind.MISSING_SEGMENT, call).hasMessageContaining(removed.toString());
        }
        assertThat(segmentFiles()).isEqualTo(before);
    }

    @Test
    void aJournalWhoseOnlySegmentIsGoneIsNotTakenForANewOne() throws Exception {
        Journal.open(folder, SMALL).close();
        Files.delete(folder.resolve(FileNames.segment(0)));
        assertKind(Kind.MISSING_SEGMENT, () -> Journal.open(folder, SMALL));
    }

    @Test
    void aSegmentOfAnotherJournalIsRefused(@TempDir Path other) throws Exception {
        for (Path each : List.of(folder, other)) {
            try (Journal journal = Journal.open(each, SMALL)) {
                for (int i = 0; i < 10; i++) {
                    append(journal, text(1).repeat(8));
                    journal.endOfBatch();
                }
            }
        }
        Files.copy(
                other.resolve(FileNames.segment(1)),
                folder.resolve(FileNames.segment(1)),
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertKind(Kind.DAMAGED, () -> Journal.verify(folder));
    }

    @Test
    void aLastSegmentOfAnotherJournalIsNotAppendedTo(@TempDir Path other) throws Exception {
        for (Path each : List.of(folder, other)) {
            try (Journal journal = Journal.open(each, SMALL)) {
                while (journal.nextSequence() < 10) {
                    append(journal, text(1).repeat(8));
                    journal.endOfBatch();
                }
            }
        }
        Path last = folder.resolve(FileNames.segment(segmentFiles().size() - 1));
        Files.copy(other.resolve(last.getFileName()), last, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertKind(Kind.DAMAGED, () -> Journal.open(folder, SMALL)).hasMessageContaining(last.toString());
        assertKind(Kind.DAMAGED, () -> Journal.repair(folder)).hasMessageContaining(last.toString());
        Files.delete(folder.resolve(FileNames.FIRST)); // as a writer leaves it that is cut just after the creation
        assertKind(Kind.DAMAGED, () -> Journal.open(folder, SMALL)).hasMessageContaining(last.toString());
    }

    @Test
    void aFileThatCannotBeLookedAtIsNotTakenForMissing() throws Exception {
        Journal.open(folder, SMALL).close();
        Path first = folder.resolve(FileNames.FIRST);
        Files.delete(first);
        Files.createSymbolicLink(first, first.getFileName()); // a link to itself: the system refuses to look
        assertKind(Kind.CANNOT_OPEN, () -> Journal.open(folder, SMALL)).hasMessageContaining(first.toString());
        assertKind(Kind.CANNOT_OPEN, () -> JournalReader.replay(folder, 0)).hasMessageContaining(first.toString());
        assertThat(Files.isSymbolicLink(first)).isTrue();
    }

    @Test
    void aFileInPlaceOfTheFolderIsAClearError() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        assertKind(Kind.CANNOT_OPEN, () -> Journal.open(file, SMALL)).hasMessageContaining(file.toString());
        assertKind(Kind.CANNOT_OPEN, () -> Journal.open(file.resolve("below"), SMALL))
                .hasMessageContaining(file.toString());
        assertKind(Kind.CANNOT_OPEN, () -> JournalReader.replay(file, 0)).hasMessageContaining(file.toString());
        assertKind(Kind.CANNOT_OPEN, () -> JournalReader.replay(folder.resolve("none"), 0));
        assertKind(Kind.CANNOT_OPEN, () -> JournalReader.replay(folder, 0))
                .hasMessageContaining("must hold a journal, but holds none");
    }

    @Test
    void aLockThatCannotBeTakenIsAClearError() throws Exception {
        // A folder in its place fails as a read-only folder does, also for a superuser.
        Files.createDirectory(folder.resolve(FileNames.LOCK));
        assertKind(Kind.CANNOT_OPEN, () -> Journal.open(folder, SMALL)).hasMessageContaining(FileNames.LOCK);
    }

    @Test
    void aReadOnlyFolderIsAClearErrorAndCanBeRead() throws Exception {
        try (Journal journal = Journal.open(folder, SMALL)) {
            append(journal, "kept");
        }
        assumeThat(Files.getFileStore(folder).supportsFileAttributeView(PosixFileAttributeView.class))
                .isTrue();
        permit("r-xr-xr-x");
        try {
            // A superuser may write there all the same, but not into the kernel's own folder.
            Path readOnly = Files.isWritable(folder) ? Path.of("/sys") : folder;
            assumeThat(readOnly).isDirectory();
            assertKind(Kind.CANNOT_OPEN, () -> Journal.open(readOnly, SMALL))
                    .hasMessageContaining(readOnly.resolve(FileNames.LOCK).toString());
            assertKind(Kind.CANNOT_OPEN, () -> Journal.repair(readOnly)).hasMessageContaining(readOnly.toString());
            try (JournalReader reader = JournalReader.replay(folder, 0)) {
                assertThat(reader.next()).isTrue();
                assertThat(text(reader)).isEqualTo("kept");
                assertThat(reader.next()).isFalse();
            }
        } finally {
            permit("rwxr-xr-x");
        }
        try (Journal journal = Journal.open(folder, SMALL)) {
            assertThat(journal.nextSequence()).isEqualTo(1);
        }
    }

    private void permit(String permissions) throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(permissions));
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
            }
        }
    }

    @Test
    void aFullDiskLosesNothingAndTheJournalGoesOnWhenThereIsRoom() throws Exception {
        FaultyStorage storage = new FaultyStorage();
        AtomicLong now = new AtomicLong();
        storage.capacity = 2 * 6 * Frame.BLOCK + 1000;
        List<Long> acknowledged = new ArrayList<>();
        try (Journal journal = Journal.open(storage, SMALL.nanoClock(now::get))) {
            JournalException refused = null;
            while (refused == null) {
                try {
                    long sequence = append(journal, text((int) journal.nextSequence()));
                    journal.endOfBatch();
                    acknowledged.add(sequence);
                } catch (JournalException e) {
                    refused = e;
                }
            }
            assertThat(refused.kind()).isEqualTo(Kind.CANNOT_ALLOCATE);
            assertThat(refused).hasMessageContaining("No space left").hasMessageContaining("24576 bytes");
            assertThat(journal.durableSequence()).isEqualTo(acknowledged.size() - 1);
            assertKind(Kind.CANNOT_ALLOCATE, journal::preallocate);
            assertThat(storage.exists(FileNames.NEW))
                    .as("nothing half made is left")
                    .isFalse();
            assertThat(Journal.verify(storage.copyWith("", null)).nextSequence())
                    .isGreaterThanOrEqualTo(acknowledged.size());

            storage.capacity = Long.MAX_VALUE;
            now.addAndGet(SegmentFiles.RETRY_NANOS);
            journal.endOfBatch();
            assertThat(journal.durableSequence()).isEqualTo(journal.nextSequence() - 1);
            append(journal, "more");
        }
        assertThat(Journal.verify(storage).tornBytes()).isZero();
        FaultyStorage none = new FaultyStorage();
        none.capacity = 100;
        assertKind(Kind.CANNOT_ALLOCATE, () -> Journal.open(none, SMALL));
        none.capacity = Long.MAX_VALUE;
        Journal.open(none, SMALL).close();
    }

    @ParameterizedTest
    @EnumSource(JournalConfig.Method.class)
    void afterAFailedWriteOrForceNothingIsAcknowledgedAnyMore(JournalConfig.Method method) throws Exception {
        FaultyStorage storage = new FaultyStorage();
        Journal journal = Journal.open(storage, SMALL.method(method));
        append(journal, text(0));
        journal.endOfBatch();
        append(journal, text(1));
        storage.failNext = new IOException("I/O error");
        assertKind(Kind.FAILED, journal::endOfBatch).hasMessageContaining("I/O error");
        assertThat(journal.durableSequence()).isZero();
        assertKind(Kind.FAILED, journal::endOfBatch);
        assertKind(Kind.FAILED, () -> append(journal, text(2)));
        assertKind(Kind.FAILED, journal::force);
        assertKind(Kind.FAILED, journal::maintain);
        assertKind(Kind.FAILED, journal::preallocate);
        assertKind(Kind.FAILED, () -> journal.retireBefore(0));
        assertThat(journal.durableSequence()).isZero();
        journal.close();
        try (Journal again = Journal.open(storage, SMALL.method(method))) {
            assertThat(again.nextSequence()).isBetween(1L, 2L);
        }
    }

    /** Some tails reach further than the closing mark that a repair writes. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 40}) // the last one is further than what is read, or blanked, at a time
    void aTornTailIsReportedOrRepairedAsAsked(int blocksFurther) throws Exception {
        JournalConfig config = SMALL.segmentSize(64 * Frame.BLOCK);
        try (Journal journal = Journal.open(folder, config)) {
            append(journal, "kept");
            journal.endOfBatch();
        }
        Path segment = folder.resolve(FileNames.segment(0));
        long end;
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            end = 3 * Frame.BLOCK; // header, record, closing mark
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}), end + (long) blocksFurther * Frame.BLOCK);
        }
        int torn = blocksFurther * Frame.BLOCK + 3;
        JournalReport found = Journal.verify(folder);
        assertThat(found.tornBytes()).isEqualTo(torn);
        assertThat(found.tornAt()).contains(segment.toString()).contains("offset " + end);
        assertThat(found.toString()).contains(torn + " torn bytes");
        assertKind(Kind.TORN, () -> Journal.open(folder, config.repairOnOpen(false)))
                .hasMessageContaining("offset " + end);
        assertThat(Journal.repair(folder).tornBytes()).isEqualTo(torn);
        assertThat(Journal.verify(folder).tornBytes()).isZero();
        assertThat(Journal.verify(folder).nextSequence()).isEqualTo(1);
        Journal.open(folder, config.repairOnOpen(false)).close();
    }

    @Test
    void aClosedJournalAndReaderSaySo() throws Exception {
        Journal journal = Journal.open(folder, SMALL);
        JournalReader reader = journal.reader(0);
        reader.close();
        reader.close();
        assertKind(Kind.CLOSED, reader::next);
        journal.close();
        journal.close();
        assertKind(Kind.CLOSED, () -> append(journal, "a"));
        assertKind(Kind.CLOSED, journal::endOfBatch);
        assertKind(Kind.CLOSED, journal::force);
        assertKind(Kind.CLOSED, journal::maintain);
        assertKind(Kind.CLOSED, journal::preallocate);
        assertKind(Kind.CLOSED, () -> journal.retireBefore(1));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 100, Long.MAX_VALUE / 2})
    void aNewJournalIsWrittenAndDurableUpToTheSequenceBeforeItsFirst(long first) throws Exception {
        JournalConfig config = SMALL.firstSequence(first);
        try (Journal journal = Journal.open(folder, config)) {
            assertThat(journal.writtenSequence()).isEqualTo(first - 1);
            assertThat(journal.durableSequence()).isEqualTo(first - 1);
            assertThat(append(journal, "a")).isEqualTo(first);
            assertThat(append(journal, "b")).isEqualTo(first + 1);
        }
        assertThat(Journal.verify(folder).nextSequence()).isEqualTo(first + 2);
    }

    @Test
    void aFirstSequenceThatLeavesNoRoomForOthersIsRefused() {
        for (long tooHigh : new long[] {Long.MAX_VALUE / 2 + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> SMALL.firstSequence(tooHigh))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("firstSequence must be from 0 to 4611686018427387903, but was " + tooHigh);
        }
    }

    @Test
    void badInputIsNamedAtTheCall() throws Exception {
        JournalConfig config = JournalConfig.defaults();
        assertThatThrownBy(() -> config.segmentSize(0))
                .hasMessage("segmentSize must be a multiple of 4096 from 12288 to 1073741824, but was 0");
        assertThatThrownBy(() -> config.segmentSize(5 * 4096 + 1)).hasMessageContaining("multiple of 4096");
        assertThatThrownBy(() -> config.segmentSize(8192)).hasMessageContaining("12288");
        assertThatThrownBy(() -> config.bufferSize(0))
                .hasMessage("bufferSize must be a multiple of 4096 from 16384 to 1073741824, but was 0");
        assertThatThrownBy(() -> config.bufferSize(20_000)).hasMessageContaining("multiple of 4096");
        assertThatThrownBy(() -> config.bufferSize(-4096)).hasMessageContaining("-4096");
        assertThatThrownBy(() -> config.firstSequence(-1))
                .hasMessage("firstSequence must be from 0 to 4611686018427387903, but was -1");
        assertThatThrownBy(() -> Durability.every(Duration.ofNanos(999_999)))
                .hasMessage("interval must be from PT0.001S to PT1H, but was PT0.000999999S");
        assertThatThrownBy(() -> Durability.every(Duration.ofHours(2))).hasMessageContaining("PT1H");
        assertThat(Durability.every(Duration.ofMillis(2))).hasToString("every PT0.002S");
        assertThat(Durability.NONE).hasToString("none");
        assertThat(Durability.EACH_BATCH).hasToString("each batch");
        assertThatThrownBy(() -> JournalReader.replay(folder, -1))
                .hasMessage("fromSequence must be 0 or more, but was -1");
        try (Journal journal = Journal.open(folder, config.segmentSize(12_288))) {
            assertThatThrownBy(() -> journal.retireBefore(-1)).hasMessage("sequence must be 0 or more, but was -1");
            ByteBuffer source = ByteBuffer.allocate(10);
            assertThatThrownBy(() -> journal.append(source, 5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> journal.append(source, -1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> journal.append(source, 0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(journal.nextSequence()).isZero();
        }
    }

    private List<Path> segmentFiles() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> FileNames.segmentIndex(String.valueOf(file.getFileName())) >= 0)
                    .sorted()
                    .toList();
        }
    }

    private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertKind(
            Kind kind, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        JournalException.class,
                        e -> assertThat(e.kind()).as(e.toString()).isEqualTo(kind));
    }

    private static long append(Journal journal, String text) throws JournalException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return journal.append(ByteBuffer.wrap(bytes), 0, bytes.length);
    }

    private static String text(int i) {
        return "record " + i + " " + "x".repeat(i * 31 % 300);
    }

    private static String text(JournalReader reader) {
        byte[] bytes = new byte[reader.payloadLength()];
        reader.buffer().get(reader.payloadOffset(), bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
