package io.sluice.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasurementLockTest {
    @TempDir
    Path folder;

    @Test
    void theSecondIsToldWhoIsFirstUntilThatHasEnded() throws Exception {
        Path file = folder.resolve("lock");
        MeasurementLock first = MeasurementLock.take(file, "./sluice the first");
        assertThatThrownBy(() -> MeasurementLock.take(file, "./sluice the second"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("process " + ProcessHandle.current().pid())
                .hasMessageContaining("./sluice the first")
                .hasMessageContaining(file.toString());
        first.close();
        MeasurementLock.take(file, "again").close();
    }

    /** In a process of its own, which takes the lock, says so, and holds it until its input ends. */
    static final class Holder {
        public static void main(String[] arguments) throws Exception {
            MeasurementLock lock = MeasurementLock.take(Path.of(arguments[0]), "the other process");
            System.out.println("held");
            while (System.in.read() >= 0) {
                // until the end
            }
            lock.close();
        }
    }

    @Test
    void anotherProcessHoldsItUntilItIsKilled() throws Exception {
        Path file = folder.resolve("lock");
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8));
            assertThat(out.readLine()).isEqualTo("held");
            assertThatThrownBy(() -> MeasurementLock.take(file, "here"))
                    .isInstanceOf(UsageException.class)
                    .hasMessageContaining("process " + holder.pid())
                    .hasMessageContaining("the other process");
        } finally {
            holder.destroyForcibly().waitFor();
        }
        MeasurementLock.take(file, "here").close();
    }

    @Test
    void aLinkInItsPlaceIsNotFollowed() throws IOException {
        Path victim = Files.writeString(folder.resolve("victim"), "text");
        Path link = Files.createSymbolicLink(folder.resolve("lock"), victim);
        assertThatThrownBy(() -> MeasurementLock.take(link, "x")).isInstanceOf(IOException.class);
        assertThat(victim).hasContent("text");
    }
}
