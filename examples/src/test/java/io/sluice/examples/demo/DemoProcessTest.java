package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalException;
import io.sluice.batching.journal.JournalReader;
import io.sluice.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A signal ends the demo with a report. SIGTERM is used: unlike SIGINT it is not ignored when the tests run in the background. */
@Tag("once")
class DemoProcessTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    @Timeout(60)
    void reportsWhatThereIsSoFarAndRemovesItsFiles() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process process = start(temporary, "--messages", "1000000", "--rate", "1000")
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            while (process.isAlive() && !somethingIsInTheJournal(temporary)) {
                LockSupport.parkNanos(5_000_000);
            }
            process.destroy();
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
        String report = Files.readString(out);
        assertThat(process.exitValue()).as(Files.readString(err)).isEqualTo(128 + 15);
        List<String> lines = report.lines().toList();
        assertThat(lines.get(lines.size() - 1))
                .matches("demo: interrupted after [0-9,]+ messages, not compared with a replay");
        assertThat(report).contains("messages by type\n  S system event ");
        assertThat(Files.readString(err)).isEmpty();
        assertThat(temporary).isEmptyDirectory();
    }

    /** The demo as a user runs it: warmed up, at a rate, at full speed; and it leaves nothing behind. */
    @Test
    @Timeout(120)
    void runsTwiceAndLeavesNothing() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        int status = end(start(temporary, "--messages", "20000", "--seed", "3")
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start());
        assertThat(status).as(Files.readString(err)).isZero();
        List<String> lines = Files.readAllLines(out);
        String done = "demo: done, 20,000 messages, the books are those of a single-threaded replay";
        assertThat(lines.stream().filter(done::equals)).hasSize(2);
        assertThat(lines.get(lines.size() - 1)).isEqualTo(done);
        assertThat(lines).anyMatch(line -> line.matches("warm-up           [1-6] rounds of up to 40,000 messages .*"));
        assertThat(lines).filteredOn(line -> line.startsWith("digest ")).hasSize(2);
        assertThat(Files.readString(err)).isEmpty();
        assertThat(temporary).isEmptyDirectory();
    }

    /** A journal that was cut off by a second run would be a failure of the first. */
    @Test
    @Timeout(120)
    void aSecondRunDoesNotTakeTheJournalOfTheFirst() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path runs = Files.createDirectory(folder.resolve("runs"));
        String kept = runs.resolve("kept").toString();
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process first = start(temporary, "--messages", "1000000", "--rate", "1000", "--journal", kept)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            while (first.isAlive() && !somethingIsInTheJournal(runs)) {
                LockSupport.parkNanos(5_000_000);
            }
            Path refusal = folder.resolve("refusal");
            int status = end(start(temporary, "--messages", "1000", "--rate", "1000000", "--journal", kept)
                    .redirectOutput(folder.resolve("out of the second").toFile())
                    .redirectError(refusal.toFile())
                    .start());
            assertThat(status).isEqualTo(2);
            assertThat(Files.readString(refusal)).contains("' must be free, but another run or program writes it\n");
            first.destroy();
            assertThat(first.waitFor(50, TimeUnit.SECONDS)).as("ended").isTrue();
        } finally {
            first.destroyForcibly();
        }
        assertThat(first.exitValue()).as(Files.readString(err)).isEqualTo(128 + 15);
        assertThat(Journal.verify(runs.resolve("kept").resolve(JournalFolder.SEGMENTS))
                        .nextSequence())
                .isPositive();
    }

    @Test
    @Timeout(60)
    void refusesWhatIsNoMarketDataWithTheStatusOfWrongUsage() throws Exception {
        Path text = Files.writeString(folder.resolve("README.md"), "# A title\n\nand text\n");
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        int status = end(start(folder, text.toString())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start());
        assertThat(status).isEqualTo(2);
        assertThat(out).isEmptyFile();
        assertThat(Files.readString(err))
                .isEqualTo(
                        "sluice demo: " + text + " must be ITCH 5.0, or a LOBSTER message file named *.csv or *.csv.gz,"
                                + " plain or gzip, but looks like Markdown text\n");
    }

    private static ProcessBuilder start(Path temporary, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "demo"));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command);
    }

    private static int end(Process process) throws InterruptedException {
        try {
            assertThat(process.waitFor(110, TimeUnit.SECONDS)).as("ended").isTrue();
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private static boolean somethingIsInTheJournal(Path temporary) throws IOException {
        try (Stream<Path> made = Files.list(temporary)) {
            for (Path run : made.filter(Files::isDirectory).toList()) {
                try (JournalReader reader = JournalReader.follow(run.resolve(JournalFolder.SEGMENTS), 0)) {
                    if (reader.next()) {
                        return true;
                    }
                } catch (JournalException e) {
                    // it is being made
                }
            }
            return false;
        }
    }
}
