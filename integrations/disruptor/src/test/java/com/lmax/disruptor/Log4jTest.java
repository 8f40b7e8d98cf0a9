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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import program.LogProgram;
import program.MixedLogProgram;

/** log4j2's asynchronous loggers on this library, each program in a JVM of its own: shutdown follows the last event at once. */
@Tag("once")
class Log4jTest {
    private static final String ALL_ASYNC =
            "-Dlog4j2.contextSelector=org.apache.logging.log4j.core.async.AsyncLoggerContextSelector";
    private static final String SMALL = "-Dlog4j2.asyncLoggerRingBufferSize=128";

    private static final String SMALL_OF_THE_CONFIGURATION = "-Dlog4j2.asyncLoggerConfigRingBufferSize=128";

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
        Path config = configuration(
                "<AsyncRoot level='info' includeLocation='false'/>" + "<AsyncLogger name='inner' level='info'/>");
        Map<String, String> said =
                run(List.of("-Dlog4j2.configurationFile=" + config, SMALL_OF_THE_CONFIGURATION), "plain", 4, 2_000);
        assertThat(said).containsEntry("appended", "8000").containsEntry("threads", "0");
    }

    /** The synchronous logger's appender gets the events of both on the threads that log. */
    @ParameterizedTest
    @CsvSource({
        "Block, BlockingWaitStrategy",
        "Timeout, TimeoutBlockingWaitStrategy",
        "Sleep, SleepingWaitStrategy",
        "Yield, YieldingWaitStrategy"
    })
    void aSynchronousLoggerBesideAnAsynchronousOneLosesNothingWithEachWaitStrategy(String strategy, String type)
            throws Exception {
        Map<String, String> said = runMixed(List.of("-Dlog4j2.asyncLoggerConfigWaitStrategy=" + strategy));
        assertThat(said)
                .containsEntry("waits", "com.lmax.disruptor." + type)
                .containsEntry("root", "8000")
                .containsEntry("root-by-publishers", "8000")
                .containsEntry("root-out-of-order", "0")
                .containsEntry("async", "4000")
                .containsEntry("async-by-publishers", "0")
                .containsEntry("async-out-of-order", "0");
    }

    /** Two rings, one behind the other. Where the second one is full, log4j2 lets events overtake others. */
    @Test
    void loggersThatAreAsyncByTheConfigurationAndByTheSelectorLoseNothing() throws Exception {
        Map<String, String> said = runMixed(List.of(
                ALL_ASYNC,
                SMALL,
                "-Dlog4j2.asyncLoggerWaitStrategy=Block",
                "-Dlog4j2.asyncLoggerConfigWaitStrategy=Yield"));
        assertThat(said)
                .containsEntry("waits", "com.lmax.disruptor.YieldingWaitStrategy")
                .containsEntry("root", "8000")
                .containsEntry("root-by-publishers", "0")
                .containsEntry("async", "4000")
                .containsEntry("async-by-publishers", "0");
    }

    private Map<String, String> runMixed(List<String> flags) throws Exception {
        Path config = configuration("<Root level='info'/><AsyncLogger name='async' level='info'/>");
        List<String> all = new ArrayList<>(flags);
        all.addAll(List.of("-Dlog4j2.configurationFile=" + config, SMALL_OF_THE_CONFIGURATION));
        return run(MixedLogProgram.class, all, "4", "1000");
    }

    private Path configuration(String loggers) throws IOException {
        return Files.writeString(
                folder.resolve("log4j2.xml"),
                "<Configuration status='warn'><Loggers>" + loggers + "</Loggers></Configuration>");
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

    /** The consumer is held at its first event, so the ring keeps what it can hold. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theDiscardPolicyKeepsWhatTheRingHolds(boolean byTheSelector) throws Exception {
        Path config = configuration("<AsyncRoot level='info' includeLocation='false'/>");
        List<String> mode = byTheSelector
                ? List.of(ALL_ASYNC, SMALL)
                : List.of("-Dlog4j2.configurationFile=" + config, SMALL_OF_THE_CONFIGURATION);
        List<String> flags = new ArrayList<>(mode);
        flags.addAll(List.of("-Dlog4j2.asyncQueueFullPolicy=Discard", "-Dlog4j2.discardThreshold=INFO"));
        assertThat(run(flags, "held", 8, 500)).containsEntry("appended", "128").containsEntry("threads", "0");
    }

    /** With the default policy it would wait for itself, on either jar: the other thread waits for room, and the consumer for it. */
    @Test
    void anAppenderWhoseOtherThreadLogsDoesNotStandStillWithTheDiscardPolicy() throws Exception {
        Map<String, String> said = run(
                List.of(ALL_ASYNC, SMALL, "-Dlog4j2.asyncQueueFullPolicy=Discard", "-Dlog4j2.discardThreshold=INFO"),
                "asks",
                4,
                1_000);
        assertThat(Long.parseLong(said.get("appended"))).isBetween(128L, 4_000L);
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
        return run(LogProgram.class, flags, behaviour, "" + threads, "" + each);
    }

    private Map<String, String> run(Class<?> program, List<String> flags, String... args) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Dlog4j2.level=INFO");
        command.addAll(flags);
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        command.add(program.getName());
        command.addAll(List.of(args));
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
                .filter(line -> line.matches("(logger|ring|appended|nested|threads|waits|(root|async)(-[a-z-]+)?) .*"))
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
