package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Packets by Jazzer, in a process of its own: its coverage feedback finds ways that random bytes do not. */
@Tag("once")
@Tag("any-jdk")
class NakFuzzTest {
    private static final Pattern DONE = Pattern.compile("Done (\\d+) runs");
    private static final Pattern COVERAGE = Pattern.compile("cov: (\\d+)");

    @TempDir
    private Path folder;

    private record Outcome(int status, String output) {}

    private Outcome fuzz(Class<?> target, int runs) throws Exception {
        Path log = folder.resolve("log");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+EnableDynamicAgentLoading",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        "com.code_intelligence.jazzer.Jazzer",
                        "--target_class=" + target.getName(),
                        "--instrumentation_includes=io.sluice.backpressure.**",
                        "--reproducer_path=" + folder,
                        "-artifact_prefix=" + folder + File.separator,
                        "-runs=" + runs,
                        "-seed=7"))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("ended").isTrue();
        } finally {
            process.destroyForcibly();
        }
        return new Outcome(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
    }

    private void findsNothing(int runs) throws Exception {
        Outcome outcome = fuzz(NakFuzz.class, runs);
        assertThat(outcome.status).as(outcome.output).isZero();
        assertThat(last(DONE, outcome.output)).as(outcome.output).isGreaterThanOrEqualTo(runs);
        assertThat(last(COVERAGE, outcome.output))
                .as(outcome.output)
                .isGreaterThan(100); // it was not turned away at the door
    }

    private static int last(Pattern pattern, String text) {
        List<MatchResult> found = pattern.matcher(text).results().toList();
        return found.isEmpty()
                ? -1
                : Integer.parseInt(found.get(found.size() - 1).group(1));
    }

    @Test
    @Timeout(300)
    void thousandsOfPacketsBreakNothing() throws Exception {
        findsNothing(30_000);
    }

    @Test
    @Tag("slow")
    @Timeout(300)
    void aMillionInputsBreakNothing() throws Exception {
        findsNothing(1_000_000);
    }

    /** The control: a fault behind every check of the decoder, which the fuzzer has to find. */
    @Test
    @Timeout(300)
    void aPlantedFaultIsFound() throws Exception {
        Outcome outcome = fuzz(Planted.class, 2_000_000);
        assertThat(outcome.status).as(outcome.output).isNotZero();
        assertThat(outcome.output).contains("the planted fault");
    }

    /** Takes whole packets, without the help that {@link NakFuzz} gives. */
    public static final class Planted {
        private Planted() {}

        public static void fuzzerTestOneInput(byte[] data) {
            Nak nak = new Nak();
            Nak.DecodeResult verdict = nak.decode(java.nio.ByteBuffer.wrap(data), 0, data.length, 0);
            if (verdict == Nak.DecodeResult.ACCEPTED) {
                throw new IllegalStateException("the planted fault");
            }
        }
    }
}
