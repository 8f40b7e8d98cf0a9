package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.batching.journal.JournalException;
import io.sluice.batching.journal.JournalReader;
import io.sluice.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A signal ends the demo with a report. SIGTERM is used: unlike SIGINT it is not ignored when the tests run in the background. */
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
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo",
                        "--messages",
                        "1000000",
                        "--rate",
                        "1000")
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
