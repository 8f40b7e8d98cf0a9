package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import program.LogProgram;

/** log4j2's asynchronous loggers on this library, each program in a JVM of its own: shutdown follows the last event at once. */
@Tag("once")
class Log4jTest {
    private static final String ALL_ASYNC =
            "-Dlog4j2.contextSelector=org.apache.logging.log4j.core.async.AsyncLoggerContextSelector";
    private static final String SMALL = "-Dlog4j2.asyncLoggerRingBufferSize=128";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"Block", "Timeout", "Sleep", "Yield"})
    void allAsyncLoggersLoseNothingWithEachWaitStrategy(String strategy) throws Exception {
        Map<String, String> said =
                run(List.of(ALL_ASYNC, SMALL, "-Dlog4j2.asyncLoggerWaitStrategy=" + strategy), "plain", 4, 2_000);
        assertThat(said).containsEntry("appended", "8000").containsEntry("logger", "AsyncLogger");
    }

    @Test
    void aSpinningConsumerLosesNothing() throws Exception {
        assertThat(run(List.of(ALL_ASYNC, SMALL, "-Dlog4j2.asyncLoggerWaitStrategy=BusySpin"), "plain", 1, 500))
                .containsEntry("appended", "500");
    }

    @Test
    void loggersThatAreAsyncByTheConfigurationLoseNothing() throws Exception {
        Path config = folder.resolve("log4j2.xml");
        Files.writeString(
                config,
                "<Configuration status='warn'><Loggers><AsyncRoot level='info' includeLocation='false'/>"
                        + "<AsyncLogger name='inner' level='info'/></Loggers></Configuration>");
        Map<String, String> said = run(
                List.of("-Dlog4j2.configurationFile=" + config, "-Dlog4j2.asyncLoggerConfigRingBufferSize=128"),
                "plain",
                4,
                2_000);
        assertThat(said).containsEntry("appended", "8000").containsEntry("threads", "0");
    }

    @Test
    void anAppenderSlowerThanSixtyFourPublishersGetsAll() throws Exception {
        assertThat(run(
                        List.of(ALL_ASYNC, SMALL, "-DAsyncLogger.SynchronizeEnqueueWhenQueueFull=false"),
                        "slow",
                        64,
                        200))
                .containsEntry("appended", "12800");
    }

    @Test
    void anAppenderThatThrowsGetsAll() throws Exception {
        assertThat(run(List.of(ALL_ASYNC, SMALL), "throws", 2, 500)).containsEntry("appended", "1000");
    }

    /** Its own events may find the ring full. Those that it logs after the stop has begun are dropped by log4j2 itself. */
    @Test
    void anAppenderThatLogsDoesNotStandStillAtAFullRing() throws Exception {
        Map<String, String> said = run(List.of(ALL_ASYNC, SMALL), "logs", 4, 500);
        assertThat(said).containsEntry("appended", "2000");
        assertThat(Long.parseLong(said.get("nested"))).isBetween(1L, 2_000L);
    }

    @Test
    void theDiscardPolicyEndsAndLeavesOutOnlyWhatFindsTheRingFull() throws Exception {
        Map<String, String> said = run(
                List.of(ALL_ASYNC, SMALL, "-Dlog4j2.asyncQueueFullPolicy=Discard", "-Dlog4j2.discardThreshold=INFO"),
                "slow",
                8,
                1_000);
        assertThat(Long.parseLong(said.get("appended"))).isBetween(128L, 8_000L);
    }

    @Test
    void theModeWithoutGarbageLosesNothing() throws Exception {
        assertThat(run(
                        List.of(
                                ALL_ASYNC,
                                SMALL,
                                "-Dlog4j2.enableThreadlocals=true",
                                "-Dlog4j2.enableDirectEncoders=true",
                                "-Dlog4j2.garbagefreeThreadContextMap=true"),
                        "plain",
                        2,
                        2_000))
                .containsEntry("appended", "4000");
    }

    private Map<String, String> run(List<String> flags, String behaviour, int threads, int each) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Dlog4j2.level=INFO");
        command.addAll(flags);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(LogProgram.class.getName(), behaviour, "" + threads, "" + each));
        File out = folder.resolve("out.txt").toFile();
        Process process = new ProcessBuilder(command)
                .redirectOutput(out)
                .redirectError(folder.resolve("err.txt").toFile())
                .start();
        try {
            assertThat(process.waitFor(90, SECONDS)).as("it ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(this::errors).isZero();
        Map<String, String> said = Files.readAllLines(out.toPath()).stream()
                .filter(line -> line.matches("(logger|ring|appended|nested|threads) .*"))
                .map(line -> line.split(" ", 2))
                .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
        assertThat(said.get("ring")).as("this library's ring").doesNotContainPattern("disruptor-[34][.]");
        return said;
    }

    private String errors() {
        try {
            return Files.readString(folder.resolve("err.txt"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
