package io.sluice.perf.batching;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Interruption;
import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.report.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/** What the benchmark counts and writes; not how fast this machine is just now. */
@Timeout(120)
class JournalBenchTest {
    private static final Quartiles ONE = Quartiles.of(new double[] {1});

    @TempDir
    Path folder;

    @Test
    void everyMethodReadsWhatItWrote() throws Exception {
        List<SequentialIo> all = SequentialIo.all();
        assertThat(all)
                .extracting(SequentialIo::title)
                .containsExactly(
                        "RandomAccessFile",
                        "buffered stream",
                        "channel",
                        "mapped",
                        "journal, blocks",
                        "journal, mapped");
        for (SequentialIo method : all) {
            Path path = folder.resolve("io");
            method.prepare(path, 300);
            method.write(path, 300);
            method.closeJournal();
            assertThat(method.read(path, 300)).as(method.title()).isEqualTo(SequentialIo.sum(300));
            method.remove(path);
            assertThat(path).doesNotExist();
        }
        assertThat(SequentialIo.sum(0)).isZero();
        assertThat(SequentialIo.sum(129)).isEqualTo(127 * 128 / 2);
    }

    @Test
    void whatHasToHold() {
        AppendRates.Round good = new AppendRates.Round(100, 100, 99, 99, 10, 95);
        AppendRates.Round bad = new AppendRates.Round(100, 100, 100, 99, 100, 80);
        AppendRates.Round encoded = new AppendRates.Round(100, 100, 100, 88, 10, 80);
        assertThat(JournalBench.checks(List.of(good, bad, good), List.of(), null))
                .extracting(Check::holds)
                .containsExactly(true);
        assertThat(JournalBench.checks(List.of(good, bad, bad), List.of(), null))
                .extracting(Check::holds)
                .containsExactly(false);
        assertThat(JournalBench.checks(List.of(encoded), List.of(), null))
                .as("nine tenths of what one thread reaches that copies and computes checksums")
                .extracting(Check::holds)
                .containsExactly(true);
        assertThat(JournalBench.checks(List.of(), List.of(new GroupCommit.Result(100_000, 10, 199, 5)), null))
                .extracting(Check::holds)
                .containsExactly(false);
        assertThat(JournalBench.checks(List.of(), List.of(new GroupCommit.Result(100_000, 10, 200, 5)), null))
                .extracting(Check::holds)
                .containsExactly(true);
        assertThat(JournalBench.checks(List.of(), List.of(new GroupCommit.Result(99_000, 10, 11, 5)), null))
                .as("a cheap force is no reason for group commit")
                .extracting(Check::holds)
                .containsExactly(true);
        RollStalls.Batches short1 = new RollStalls.Batches(9, ONE, 100, 1);
        assertThat(JournalBench.checks(
                        List.of(),
                        List.of(),
                        new RollStalls.Result(3, 1 << 20, short1, new RollStalls.Batches(3, ONE, 200, 1))))
                .extracting(Check::holds)
                .containsExactly(true);
        assertThat(JournalBench.checks(
                        List.of(),
                        List.of(),
                        new RollStalls.Result(3, 1 << 20, short1, new RollStalls.Batches(3, ONE, 201, 1))))
                .extracting(Check::holds)
                .containsExactly(false);
        assertThat(JournalBench.median(new double[] {3, 1, 2})).isEqualTo(2);
        assertThat(JournalBench.median(new double[] {4, 1, 2, 3})).isEqualTo(2.5);
    }

    /** Whatever the disk does: copying and checksums take no time away, and the journal does both. */
    @Test
    void whatHoldsOnAnyMachine() {
        AppendRates.Round fastDisk = new AppendRates.Round(100, 100, 60, 60, 30, 30);
        AppendRates.Round slowDisk = new AppendRates.Round(100, 10, 60, 10.5, 30, 10.9);
        AppendRates.Round wrongEncoding = new AppendRates.Round(100, 100, 100, 111, 30, 30);
        AppendRates.Round wrongJournal = new AppendRates.Round(100, 100, 60, 60, 90, 67);
        GroupCommit.Result same = new GroupCommit.Result(100, 10, 10, 5);
        assertThat(JournalBench.orders(List.of(fastDisk, slowDisk), List.of(same)))
                .extracting(Check::holds)
                .containsExactly(true, true, true);
        assertThat(JournalBench.orders(
                        List.of(wrongEncoding, wrongEncoding, wrongEncoding, wrongEncoding, fastDisk), List.of()))
                .extracting(Check::holds)
                .containsExactly(false, true);
        assertThat(JournalBench.orders(
                        List.of(wrongJournal, wrongJournal, wrongJournal, wrongJournal, fastDisk), List.of()))
                .extracting(Check::holds)
                .containsExactly(true, false);
        assertThat(JournalBench.orders(List.of(wrongJournal, wrongJournal, fastDisk, fastDisk), List.of()))
                .as("two rounds of four")
                .extracting(Check::holds)
                .containsExactly(true, true);
        assertThat(JournalBench.orders(List.of(), List.of(new GroupCommit.Result(100, 10, 9.9, 5))))
                .extracting(Check::holds)
                .containsExactly(false);
        assertThat(JournalBench.orders(List.of(), List.of())).isEmpty();
    }

    @Test
    void underAnotherRoofWhatTheBenchAsksForIsAFigure() {
        List<Check> asked =
                JournalBench.checks(List.of(new AppendRates.Round(100, 100, 88, 88, 80, 70)), List.of(), null);
        Table aims = Check.aims("what it asks for", asked);
        assertThat(aims.title()).isEqualTo("what it asks for, so it decides nothing here");
        assertThat(aims.rows())
                .singleElement()
                .satisfies(row -> assertThat(row).containsExactly(asked.get(0).what(), "not reached"));
        assertThat(aims.rows().get(0).get(0)).contains("at 70.0 % of the bare loop's rate", "at 79.5 %");
    }

    @Test
    @Tag("once")
    void aShortRunWritesEveryFormatAndLeavesNothingBehind() throws Exception {
        JournalBench.Size size =
                new JournalBench.Size(1 << 20, 2, TimeUnit.MILLISECONDS.toNanos(50), 64, 1, 3, 1 << 20);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        JournalBench.Result result;
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            result = JournalBench.measure(size, true, folder, "a test", interruption, out);
        }
        assertThat(folder).isEmptyDirectory();
        assertThat(result.append()).hasSize(2).allSatisfy(round -> {
            assertThat(round.bareForced()).isPositive().isLessThanOrEqualTo(round.bareWritten());
            assertThat(round.encodingForced()).isPositive().isLessThanOrEqualTo(round.encodingWritten());
            assertThat(round.journalForced()).isPositive().isLessThanOrEqualTo(round.journalWritten());
        });
        assertThat(result.group()).hasSize(5).allSatisfy(group -> {
            assertThat(group.forceNanos()).isPositive();
            assertThat(group.oneEach()).isPositive();
            assertThat(group.group()).isPositive();
            assertThat(group.eventsAForce()).isGreaterThanOrEqualTo(1);
        });
        assertThat(result.methods()).hasSize(6).allSatisfy(line -> {
            assertThat(line.write()).isPositive();
            assertThat(line.read()).isPositive();
        });
        assertThat(result.rolls()).isNotNull().satisfies(rolls -> {
            assertThat(rolls.rolls()).isEqualTo(3);
            assertThat(rolls.with().count()).isEqualTo(3);
            assertThat(rolls.without().count()).isGreaterThan(3);
            assertThat(rolls.with().longestNanos())
                    .isGreaterThanOrEqualTo(rolls.with().nanos().upper());
        });
        assertThat(result.checks()).hasSize(3);
        JsonNode json = new ObjectMapper().readTree(Json.text(result));
        assertThat(json.path("methods")).hasSize(6);
        assertThat(json.path("fileSystem").asText()).endsWith(folder.toString());
        assertThat(JournalBench.html(result)).contains("A quick run", "RandomAccessFile", "until forced");
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(
                        new StringReader(JournalBench.html(result).replace("<!DOCTYPE html>", ""))));
        JournalBench.tables(result).forEach(table -> table.print(out));
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains(
                        "until written",
                        "one force for each event",
                        "group commit, 8 producers",
                        "with a roll",
                        "journal, mapped");
    }
}
