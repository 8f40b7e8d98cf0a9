package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sluice.batching.Batch;
import io.sluice.batching.BatchSink;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.examples.feed.ByteSource;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.itch.ItchReader;
import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.ItchBytes;
import io.sluice.ringbuffer.RingFailedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DemoPartsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private static Progress silent() {
        return new Progress(System.err, false, System::nanoTime);
    }

    @Test
    void scheduleIsEvenAndDoesNotOverflow() {
        Schedule schedule = new Schedule(3, 1_000);
        assertThat(schedule.dueNanos(0)).isEqualTo(1_000);
        assertThat(schedule.dueNanos(1)).isEqualTo(333_334_333L);
        assertThat(schedule.dueNanos(3)).isEqualTo(1_000_001_000L);
        assertThat(new Schedule(7, 0).dueNanos(6)).isEqualTo(857_142_857L);
        schedule = new Schedule(DemoOptions.MAX_RATE, 0);
        assertThat(schedule.dueNanos(9_999_999)).isEqualTo(999_999_900L);
        assertThat(new Schedule(1, 0).dueNanos(SessionGenerator.MAX_MESSAGES))
                .isEqualTo(SessionGenerator.MAX_MESSAGES * 1_000_000_000L);
    }

    @Test
    void scheduleWaitsForItsTimeOrForTheEnd() {
        try (Interruption interruption = new Interruption("sluice demo")) {
            Schedule schedule = new Schedule(1_000, System.nanoTime());
            long due = System.nanoTime() + 3_000_000;
            assertThat(schedule.await(due, interruption)).isTrue();
            assertThat(System.nanoTime() - due).isNotNegative();
            interruption.request();
            assertThat(schedule.await(System.nanoTime() - 1, interruption)).isTrue();
            assertThat(schedule.await(System.nanoTime() + 3_600_000_000_000L, interruption))
                    .isFalse();
            assertThat(new Schedule(0, 0).await(Long.MAX_VALUE, interruption)).isTrue();
        }
    }

    @Test
    void progressIsOneLineFiveTimesASecond() {
        AtomicLong clock = new AtomicLong(-5);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Progress progress = new Progress(new PrintStream(bytes, true, StandardCharsets.UTF_8), true, clock::get);
        progress.handled(1);
        assertThat(bytes.size()).isZero();
        clock.addAndGet(500_000_000);
        progress.handled(1_000);
        progress.handled(1_001);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("\r1,000 messages, 2,000 a second");
        bytes.reset();
        progress.clear();
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualTo("\r" + " ".repeat(30) + "\r");
        bytes.reset();
        progress.clear();
        assertThat(bytes.size()).isZero();
        Progress hidden = new Progress(new PrintStream(bytes, true, StandardCharsets.UTF_8), false, clock::get);
        clock.addAndGet(500_000_000);
        hidden.handled(1_000);
        hidden.clear();
        assertThat(bytes.size()).isZero();
    }

    @Test
    void ringFillKeepsMeanAndHighest() {
        RingFill fill = new RingFill(8, 1, "slots");
        assertThat(fill.mean()).isZero();
        fill.sample(1);
        fill.sample(6);
        fill.sample(2);
        assertThat(fill.mean()).isEqualTo(3);
        assertThat(fill.highest()).isEqualTo(6);
        assertThat(fill.samples()).isEqualTo(3);
        assertThat(fill.capacity()).isEqualTo(8);
    }

    @Test
    void aTemporaryFolderIsRemoved() throws Exception {
        try (ItchReader reader = new ItchReader("f", Inputs.source(new byte[0], 1))) {
            Path made;
            try (JournalFolder temporary = JournalFolder.open(null, null, reader)) {
                assertThat(temporary.keptFile()).isNull();
                temporary.journal().close();
                made = temporary.folder();
                assertThat(made.resolve(JournalFolder.SEGMENTS)).isNotEmptyDirectory();
                assertThat(temporary.readBack(new JournalRecords(), 0).same()).isTrue();
            }
            assertThat(made).doesNotExist();
            Path other = Files.createDirectories(folder.resolve(JournalFolder.SEGMENTS))
                    .resolve("of another program");
            Files.createFile(other);
            for (int run = 0; run < 2; run++) { // the second time in place of the first
                try (JournalFolder kept = JournalFolder.open(folder, null, reader)) {
                    JournalRecords records = new JournalRecords();
                    try (io.sluice.batching.journal.Journal journal = kept.journal()) {
                        byte[] record = {1, 2, 3};
                        records.count(record, 3);
                        journal.append(java.nio.ByteBuffer.wrap(record), 0, 3);
                        journal.endOfBatch();
                    }
                    assertThat(kept.keptFile())
                            .isEqualTo(folder.resolve("journal.itch").toString());
                    assertThat(kept.readBack(records, 1)).isEqualTo(new JournalCheck(1, 3, 1, true));
                    records.count(new byte[] {1}, 1);
                    assertThat(kept.readBack(records, 1).same()).isFalse();
                }
                assertThat(folder.resolve("journal.itch")).hasBinaryContent(new byte[] {1, 2, 3});
            }
            assertThat(other).exists();
            Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
            try (JournalFolder linked = JournalFolder.open(link, null, reader)) {
                assertThat(linked.folder()).isEqualTo(link);
            }
        }
    }

    @Test
    void aJournalThatSomebodyWritesIsNotReplaced() throws Exception {
        Path segments = folder.resolve(JournalFolder.SEGMENTS);
        try (ItchReader reader = new ItchReader("f", Inputs.source(new byte[0], 1));
                Journal held = Journal.open(segments, JournalConfig.defaults().segmentSize(1 << 16))) {
            held.append(ByteBuffer.allocate(100), 0, 100);
            held.endOfBatch();
            try (JournalFolder kept = JournalFolder.open(folder, null, reader)) {
                assertThatThrownBy(kept::journal)
                        .isInstanceOf(UsageException.class)
                        .hasMessageEndingWith(
                                "the journal in '" + segments + "' must be free, but another run or program writes it");
            }
            held.append(ByteBuffer.allocate(100), 0, 100);
        }
        assertThat(Journal.verify(segments).nextSequence()).isEqualTo(2);
        for (String left : List.of("journal.preparing", "journal.torn", "journal.new", "journal.spare")) {
            Files.createFile(segments.resolve(left)); // as a kill leaves them
        }
        try (ItchReader reader = new ItchReader("f", Inputs.source(new byte[0], 1));
                JournalFolder kept = JournalFolder.open(folder, null, reader)) {
            kept.journal().close();
        }
        assertThat(segments.resolve("journal.torn")).doesNotExist();
        assertThat(Journal.verify(segments).nextSequence()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJournalThatFailsEndsTheRunWithItsCause(boolean bytes) throws Exception {
        BatchSink full = new BatchSink() {
            private int left = 10_000;

            @Override
            public void send(Batch batch) throws IOException {
                left -= batch.length();
                if (left < 0) {
                    throw new IOException("No space left on device");
                }
                batch.buffer().position(batch.buffer().limit());
            }
        };
        ItchBytes session = new ItchBytes();
        for (int i = 0; i < 20_000; i++) {
            session.delete(i);
        }
        try (Interruption interruption = new Interruption("sluice demo");
                ItchReader truth = new ItchReader("f", Inputs.source(session.toBytes(), 1 << 16));
                ItchReader reader = new ItchReader("f", Inputs.source(session.toBytes(), 1 << 16));
                MarketLink link = new MarketLink(truth, 0, false)) {
            Exchange exchange =
                    new Exchange(reader, full, new JournalRecords(), link, 0, 0, bytes, silent(), interruption);
            assertThatThrownBy(exchange::run)
                    .isInstanceOf(RingFailedException.class)
                    .hasRootCauseInstanceOf(IOException.class)
                    .hasRootCauseMessage("No space left on device");
        }
    }

    /** The books, and the publisher behind them, have plenty of time to go ahead of a journal that does not end its batch. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsHandedOnThatIsNotDurable(boolean bytes) throws Exception {
        BatchSink slow = new BatchSink() {
            @Override
            public void send(Batch batch) {
                batch.buffer().position(batch.buffer().limit());
            }

            @Override
            public void endOfBatch() throws IOException {
                long end = System.nanoTime() + 200_000_000;
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                throw new IOException("no force");
            }
        };
        byte[] session = new ItchBytes().delete(1).delete(2).delete(3).toBytes();
        try (Interruption interruption = new Interruption("sluice demo");
                ItchReader truth = new ItchReader("f", Inputs.source(session, 21));
                ItchReader reader = new ItchReader("f", Inputs.source(session, 21));
                MarketLink link = new MarketLink(truth, 0, false)) {
            Exchange exchange =
                    new Exchange(reader, slow, new JournalRecords(), link, 0, 0, bytes, silent(), interruption);
            assertThatThrownBy(exchange::run)
                    .isInstanceOf(RingFailedException.class)
                    .hasRootCauseMessage("no force");
            assertThat(exchange.tally().total()).isZero();
            assertThat(link.finish(null).sent().messages()).isZero();
        }
    }

    @Test
    void anInterruptedReplayGivesNothing() {
        byte[] session = new ItchBytes().delete(1).delete(2).toBytes();
        try (Interruption interruption = new Interruption("sluice demo");
                ItchReader first = new ItchReader("f", Inputs.source(session, 10));
                ItchReader second = new ItchReader("f", Inputs.source(session, 10))) {
            assertThat(Replay.of(first, interruption)).isNotNull();
            interruption.request();
            assertThat(Replay.of(second, interruption)).isNull();
        }
    }

    /** A feed that hangs for a while before one message: those after it are late, and that must show. */
    @Test
    void latencyCountsFromWhenAMessageWasDue() throws Exception {
        byte[] session = new ItchBytes()
                .delete(1)
                .delete(2)
                .delete(3)
                .delete(4)
                .delete(5)
                .toBytes();
        long hangs = 40_000_000;
        BatchSink discard = batch -> batch.buffer().position(batch.buffer().limit());
        try (Interruption interruption = new Interruption("sluice demo");
                ItchReader truth = new ItchReader("f", Inputs.source(session, 21));
                MarketLink link = new MarketLink(truth, 0, false);
                ItchReader reader = new ItchReader("f", hanging(session, 3, hangs))) {
            RunResult run = new Exchange(
                            reader, discard, new JournalRecords(), link, 1_000, 0, false, silent(), interruption)
                    .run();
            assertThat(run.tally().total()).isEqualTo(5);
            assertThat(run.latencyNanos().getTotalCount()).isEqualTo(5);
            // Message 3 was due 3 ms after the start and came after the hang; message 4 was due 1 ms later.
            assertThat(run.latencyNanos().getMaxValue()).isGreaterThan(hangs - 4_000_000);
            assertThat(run.latencyNanos().getCountBetweenValues(hangs - 5_000_000, Long.MAX_VALUE / 2))
                    .isGreaterThanOrEqualTo(2);
            Stages stages = run.stages();
            for (Histogram stage : List.of(
                    stages.feedToJournal(), stages.journalToBooks(), stages.booksToSubscriber(), stages.whole())) {
                assertThat(stage.getTotalCount()).isEqualTo(5);
            }
            assertThat(stages.endOfBatch().getTotalCount()).isBetween(1L, 5L);
            assertThat(stages.feedToJournal().getMaxValue())
                    .as("the hang came before the journal")
                    .isGreaterThan(hangs - 4_000_000);
            assertThat(stages.whole().getMaxValue()).isGreaterThan(hangs - 4_000_000);
            assertThat(stages.feedToJournal().getMean()
                            + stages.journalToBooks().getMean()
                            + stages.booksToSubscriber().getMean())
                    .as("the stages make up the whole way")
                    .isCloseTo(stages.whole().getMean(), withinPercentage(1));
            assertThat(run.journalBytes()).isEqualTo(session.length);
            assertThat(run.books().unknownOrders()).isEqualTo(5);
            assertThat(run.fill().samples()).isPositive();
        }
    }

    /** The journal's wait counts for all of its batch, and for no other stage. */
    @Test
    void theEndOfABatchCountsForTheJournal() throws Exception {
        long force = 20_000_000;
        BatchSink slow = new BatchSink() {
            @Override
            public void send(Batch batch) {
                batch.buffer().position(batch.buffer().limit());
            }

            @Override
            public void endOfBatch() {
                long end = System.nanoTime() + force;
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
        };
        byte[] session = new ItchBytes().delete(1).delete(2).delete(3).toBytes();
        try (Interruption interruption = new Interruption("sluice demo");
                ItchReader truth = new ItchReader("f", Inputs.source(session, 21));
                MarketLink link = new MarketLink(truth, 0, false);
                ItchReader reader = new ItchReader("f", Inputs.source(session, 21))) {
            Stages stages = new Exchange(reader, slow, new JournalRecords(), link, 0, 0, false, silent(), interruption)
                    .run()
                    .stages();
            assertThat(stages.endOfBatch().getMinValue()).isGreaterThan(force - force / 100);
            assertThat(stages.feedToJournal().getMinValue()).isGreaterThan(force - force / 100);
            assertThat(stages.whole().getMinValue()).isGreaterThan(force - force / 100);
        }
    }

    @Test
    void whatWasNotNotedOrIsWrittenOverIsNotTimed() {
        ArrivalClock clock = new ArrivalClock();
        clock.arrived(0, 5);
        assertThat(clock.fromBooksNanos().getTotalCount()).isZero();
        clock.left(0, 1_000, 3_000);
        clock.arrived(0, 10_000);
        assertThat(clock.fromBooksNanos().getMaxValue()).isBetween(7_000L, 7_010L);
        assertThat(clock.fromFeedNanos().getMaxValue()).isBetween(9_000L, 9_010L);
        for (long sequence = 1; sequence <= ArrivalClock.SIZE; sequence++) {
            clock.left(sequence, 0, 0);
        }
        clock.arrived(0, 1_000_000);
        clock.arrived(1, 1_000_000); // may be written over just now
        assertThat(clock.fromBooksNanos().getTotalCount()).isEqualTo(1);
        clock.arrived(2, 1_000_000);
        assertThat(clock.fromBooksNanos().getTotalCount()).isEqualTo(2);
        assertThat(clock.fromFeedNanos().getTotalCount()).isEqualTo(2);
    }

    @Test
    void barsFollowOneAnother() {
        assertThat(LatencyTable.bar(0, 12, 24)).isEqualTo("============            ");
        assertThat(LatencyTable.bar(12, 12.1, 24)).isEqualTo("            =           ");
        assertThat(LatencyTable.bar(12.1, 24, 24)).isEqualTo("            ============");
        assertThat(LatencyTable.bar(24, 24, 24)).isEqualTo("                       =");
        assertThat(LatencyTable.bar(0, 0, 0)).isEqualTo("                        ");
    }

    /** Recording allocates nothing: neither for messages nor for batches. */
    @Test
    @Tag("once")
    void takingTimesMakesNoGarbage() {
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        ArrivalClock clock = new ArrivalClock();
        Histogram histogram = Latency.histogram();
        long least = Long.MAX_VALUE;
        long sequence = 0;
        for (int round = 0; round < 20 && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                clock.left(sequence, i, 2L * i);
                clock.arrived(sequence, 1_000_000_000L * i);
                Latency.record(histogram, -i);
                Latency.record(histogram, Long.MAX_VALUE - i);
                sequence++;
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    /** A source of one record of a delete at a time that hangs before one of them. */
    private static ByteSource hanging(byte[] session, int record, long nanos) {
        ByteSource plain = Inputs.source(session, 21);
        return new ByteSource() {
            private int read;

            @Override
            public int read(byte[] into, int offset, int length) throws FeedFault {
                if (read == record) {
                    long end = System.nanoTime() + nanos;
                    while (System.nanoTime() - end < 0) {
                        Thread.onSpinWait();
                    }
                }
                read++;
                return plain.read(into, offset, length);
            }

            @Override
            public boolean compressed() {
                return false;
            }

            @Override
            public void close() {}
        };
    }
}
