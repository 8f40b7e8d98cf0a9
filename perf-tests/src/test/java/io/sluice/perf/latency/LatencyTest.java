package io.sluice.perf.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.perf.compare.Times;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LatencyTest {
    @TempDir
    Path folder;

    @Test
    void badArgumentsAreSaidWithWhatIsAllowed() throws Exception {
        refused(
                "must be one of --row, --jdk, --seconds, --jvms, --hlog, --html, --json, --csv, --svg, --published, but one was '--rows'",
                "--rows",
                "x");
        refused("--row must have a value", "--row");
        refused("--row must name rows of bursts-10-1m", "--row", "round-trip,x");
        refused("but names '1p1c'", "--row", "1p1c");
        refused("--seconds must be from 1 to 3600, but was '0'", "--seconds", "0");
        refused("--seconds must be from 1 to 3600, but was 'x'", "--seconds", "x");
        refused("--jvms must be from 1 to 10000, but was '0'", "load", "--jvms", "0");
        refused("what to measure must be load, bursts or left out, but was 'loads'", "loads");
        refused("each argument must be one of --row", "load", "bursts");
        refused("--row must name rows of bursts-10-1m, bursts-100-1m, ", "bursts", "--row", "open-loop-1m");
        refused("--row must name rows of open-loop-1m, open-loop-2m, ", "load", "--row", "bursts-10-1m");
        refused("has no bin/java", "--jdk", folder.toString());
        Path file = Files.writeString(folder.resolve("file"), "");
        refusedOutput("--html", "a folder", "--html", folder.toString());
        refusedOutput(
                "--json",
                "a folder that is there",
                "--json",
                folder.resolve("none/x").toString());
        refusedOutput("--hlog", "must name a folder", "--hlog", file.toString());
    }

    private static void refused(String message, String... arguments) {
        assertThatThrownBy(() -> Latency.Options.parse(List.of(arguments)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }

    private static void refusedOutput(String option, String message, String... arguments) {
        assertThatThrownBy(() -> Latency.Options.parse(List.of(arguments)))
                .isInstanceOf(UsageException.class)
                .hasMessageContainingAll(option, message);
    }

    @Test
    void withoutArgumentsAllRowsOfLatencyAreMeasured() throws Exception {
        assertThat(Latency.Options.parse(List.of()).rows())
                .extracting(row -> row.id())
                .containsExactly(
                        "open-loop-10m",
                        "open-loop-1m",
                        "open-loop-1m-default",
                        "open-loop-5m",
                        "round-trip",
                        "round-trip-blocking",
                        "round-trip-blocking-1ms");
        assertThat(new Latency().usage()).contains("open-loop-1m", "--hlog DIR", "130");
    }

    @Test
    void loadAndBurstsMeasureTheirOwnRowsAndThePlainCommandMayNameAny() throws Exception {
        assertThat(Latency.Options.parse(List.of("load")).rows())
                .extracting(row -> row.id())
                .hasSize(18)
                .startsWith("open-loop-1m", "open-loop-2m", "open-loop-5m", "open-loop-10m")
                .endsWith("open-loop-60m-multi");
        assertThat(Latency.Options.parse(List.of("bursts", "--seconds", "1")).rows())
                .extracting(row -> row.id())
                .hasSize(14)
                .startsWith("bursts-10-1m", "bursts-100-1m", "bursts-1000-1m", "bursts-10-5m")
                .contains("changing-load", "changing-load-multi");
        assertThat(Latency.Options.parse(List.of("--row", "bursts-10-1m,open-loop-20m"))
                        .rows())
                .extracting(row -> row.id())
                .containsExactly("bursts-10-1m", "open-loop-20m");
    }

    @Test
    void aHistogramTravelsInALine() {
        long seed = 11;
        SplittableRandom random = new SplittableRandom(seed);
        Histogram histogram = Times.histogram();
        for (int i = 0; i < 10_000; i++) {
            Times.record(histogram, (long) Math.pow(10, random.nextDouble(0, 12)));
        }
        Times.record(histogram, -5);
        histogram.setStartTimeStamp(1000);
        histogram.setEndTimeStamp(2000);
        String line = Times.write(histogram);
        assertThat(line).doesNotContain("\n");
        Histogram read = Times.read(line);
        assertThat(read).isEqualTo(histogram);
        assertThat(read.getStartTimeStamp()).isEqualTo(1000);
        assertThat(read.getEndTimeStamp()).isEqualTo(2000);
        assertThatThrownBy(() -> Times.read("x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Times.read("1 2 AAAA")).isInstanceOf(IllegalArgumentException.class);
    }
}
