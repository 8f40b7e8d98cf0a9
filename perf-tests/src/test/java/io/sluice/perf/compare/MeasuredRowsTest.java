package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.Verb;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasuredRowsTest {
    private static final MeasuredRows.Plan NOTHING = new MeasuredRows.Plan(
            "sluice test", "Test", "./sluice test", List.of(), List.of(), Map.of(), 1, 1, false, List.of());

    @TempDir
    Path folder;

    /** In a process of its own, which is told to end before it has written its report. */
    static final class Ended {
        private static final int REPORTS = 200;

        public static void main(String[] arguments) throws Exception {
            MeasuredRows.measure(
                    NOTHING,
                    new PrintStream(OutputStream.nullOutputStream()),
                    (jdk, row, measurement, result) -> {},
                    report -> {
                        CountDownLatch begun = new CountDownLatch(1);
                        Thread hook = new Thread(begun::countDown);
                        Runtime.getRuntime().addShutdownHook(hook);
                        new Thread(() -> System.exit(Verb.INTERRUPTED)).start();
                        begun.await();
                        hook.join();
                        for (int i = 1; i <= REPORTS; i++) {
                            Files.writeString(Path.of(arguments[0], "report-" + i), report.title());
                        }
                        return Verb.DONE;
                    });
        }
    }

    @Test
    void theReportIsWrittenBeforeTheJvmEnds() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Ended.class.getName(),
                        folder.toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isEqualTo(Verb.INTERRUPTED);
        assertThat(folder.resolve("report-" + Ended.REPORTS)).hasContent("Test");
    }
}
