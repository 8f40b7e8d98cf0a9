package io.sluice.core;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A thread's first park does not start JFR: that would keep the thread from its events for a tenth of a second. Only a JVM of its own
 * shows it.
 */
@Tag("once")
class FirstParkTest {
    @TempDir
    Path folder;

    @Test
    void theFirstParkTouchesNoEventOfJfr() throws Exception {
        assertThat(classesOfAPark())
                .contains("io.sluice.core.CoreJfr ", "parks 1")
                .doesNotContain("io.sluice.core.ParkEvent ");
    }

    @Test
    void aParkThatIsRecordedDoes() throws Exception {
        assertThat(classesOfAPark("-XX:StartFlightRecording")).contains("io.sluice.core.ParkEvent ", "parks 1");
    }

    /** What a JVM says that parks once: the classes that it has loaded, and the number of parks. */
    private String classesOfAPark(String... flags) throws Exception {
        Path out = folder.resolve("out.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-Xlog:class+load:stdout", "-cp", System.getProperty("java.class.path")));
        command.add(Program.class.getName());
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, SECONDS)).as("it ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isZero();
        return Files.readString(out);
    }

    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            SignalledIdle idle = SignalledIdle.exact(0);
            idle.idle();
            idle.deadline(System.nanoTime() + SECONDS.toNanos(1));
            idle.idle();
            System.out.println("parks " + idle.parks());
        }
    }
}
