package io.sluice.backpressure.admission;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.VirtualClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first mark that a gate crosses does not start JFR: that would keep the request from its service for a tenth of a second. Only a
 * JVM of its own shows it.
 */
@Tag("once")
class FirstMarkTest {
    private static final String EVENT = "io.sluice.backpressure.admission.WaterMarkEvent ";

    @TempDir
    Path folder;

    @Test
    void theFirstMarksTouchNoEventOfJfr() throws Exception {
        assertThat(classesOfTwoMarks()).contains("marks 2").doesNotContain(EVENT);
    }

    @Test
    void marksThatAreRecordedDo() throws Exception {
        assertThat(classesOfTwoMarks("-XX:StartFlightRecording")).contains("marks 2", EVENT);
    }

    /** What a JVM says whose gate crosses both marks: the classes that it has loaded, and the number of marks. */
    private String classesOfTwoMarks(String... flags) throws Exception {
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

    static final class Program implements WaterMarkHandler {
        private int marks;

        public static void main(String[] args) {
            Program program = new Program();
            AdmissionGate gate = AdmissionGate.builder(10, 1, 1, new VirtualClock(0))
                    .waterMarks(0.5, 0.7, program)
                    .build();
            for (int i = 0; i < 10; i++) {
                gate.tryEnter();
            }
            for (int i = 0; i < 10; i++) {
                gate.exit();
            }
            System.out.println("marks " + program.marks);
        }

        @Override
        public void onHighWater(long inside, long bound) {
            marks++;
        }

        @Override
        public void onLowWater(long inside, long bound) {
            marks++;
        }
    }
}
