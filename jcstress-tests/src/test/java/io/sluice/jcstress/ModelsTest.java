package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tlc2.TLC;

/** Runs TLC over the models: the right ones hold in at least so many states, the broken ones end in a deadlock. */
@Tag("once")
class ModelsTest {
    private static final int HOLDS = 0;
    private static final int DEADLOCK = 11;

    private static final Path MODELS = Path.of("").toAbsolutePath().resolveSibling("models");
    private static final Pattern STATES = Pattern.compile("(\\d+) distinct states found, 0 states left on queue");

    @TempDir
    private Path work;

    @ParameterizedTest
    @CsvSource("SignalledIdle, SignalledIdle, 15000")
    void theModelHolds(String module, String config, long leastStates) throws Exception {
        Run run = tlc(module, config);
        assertThat(run.status).as(run.output).isEqualTo(HOLDS);
        Matcher states = STATES.matcher(run.output);
        assertThat(states.find()).as(run.output).isTrue();
        assertThat(Long.parseLong(states.group(1))).isGreaterThanOrEqualTo(leastStates);
    }

    @ParameterizedTest
    @CsvSource({
        "SignalledIdle, SignalledIdle-no-publisher-fence",
        "SignalledIdle, SignalledIdle-no-runner-fence",
        "SignalledIdle, SignalledIdle-no-second-cycle"
    })
    void theBrokenModelDeadlocks(String module, String config) throws Exception {
        Run run = tlc(module, config);
        assertThat(run.status).as(run.output).isEqualTo(DEADLOCK);
        assertThat(run.output).contains("Deadlock reached");
    }

    /** A configuration that no test names would never be run. */
    @Test
    void everyConfigurationIsRun() throws Exception {
        Set<String> named = new TreeSet<>();
        for (String method : List.of("theModelHolds", "theBrokenModelDeadlocks")) {
            CsvSource source = ModelsTest.class
                    .getDeclaredMethod(
                            method,
                            method.equals("theModelHolds")
                                    ? new Class<?>[] {String.class, String.class, long.class}
                                    : new Class<?>[] {String.class, String.class})
                    .getAnnotation(CsvSource.class);
            for (String row : source.value()) {
                named.add(row.split(",", -1)[1].strip() + ".cfg");
            }
        }
        Set<String> present = new TreeSet<>();
        try (Stream<Path> files = Files.list(MODELS)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".cfg"))
                    .forEach(present::add);
        }
        assertThat(present).isEqualTo(named);
    }

    private record Run(int status, String output) {}

    private Run tlc(String module, String config) throws IOException, InterruptedException {
        File output = work.resolve("output").toFile();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseParallelGC",
                        "-cp",
                        jarOf(TLC.class),
                        TLC.class.getName(),
                        "-metadir",
                        work.toString(),
                        "-workers",
                        "1",
                        "-config",
                        config + ".cfg",
                        module + ".tla")
                .directory(MODELS.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output)
                .start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).as("TLC ends").isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), Files.readString(output.toPath(), StandardCharsets.UTF_8));
    }

    private static String jarOf(Class<?> type) {
        return Path.of(java.net.URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }
}
