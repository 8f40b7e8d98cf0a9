package io.sluice.perf.latency;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.compare.Times;
import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.Distribution;
import io.sluice.perf.report.Further;
import io.sluice.perf.report.Own;
import io.sluice.perf.report.Page;
import io.sluice.perf.report.Role;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.Spread;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Rows that differ in one number become curves, one for each contestant. */
class LoadCurvesTest {
    private static RowResult row(String id, String jvm, double sluice, double last) {
        return new RowResult(
                id,
                "",
                "ns",
                true,
                jvm,
                "sluice",
                List.of(),
                List.of(
                        contestant("sluice", "Sluice SINGLE", Role.SLUICE, sluice, last),
                        contestant("cursor", "a cursor", Role.BOUND, 90, 0),
                        contestant("never", "Never near", Role.PEER, 0, 0),
                        contestant("platform", "the platform", Role.BOUND, 20, 0)),
                List.of(),
                List.of(times("Sluice SINGLE", sluice * 4), times("the platform", 30)),
                List.of());
    }

    private static ContestantResult contestant(String id, String label, Role role, double median, double last) {
        List<Further> further = last == 0 ? List.of() : List.of(new Further("p50 of each burst's last", "ns", last));
        return new ContestantResult(id, label, role, Spread.NONE, median, 50, Map.of(), Own.NONE, further);
    }

    private static Distribution times(String label, double nanos) {
        Histogram histogram = Times.histogram();
        Times.record(histogram, (long) nanos);
        return Distribution.of(label, "ns", histogram);
    }

    private static String printed(LoadCurves curves) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        curves.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void eachContestantHasALineOverTheRates() {
        LoadCurves curves = LoadCurves.of(
                "command",
                List.of(
                        row("open-loop-20m", "OpenJDK 17", 5_000, 0),
                        row("open-loop-1m", "OpenJDK 17", 150, 0),
                        row("open-loop-1m-multi", "OpenJDK 17", 160, 0),
                        row("round-trip", "OpenJDK 17", 300, 0)));
        String text = printed(curves);
        assertThat(text)
                .contains("Latency against load, rings for one producer, OpenJDK 17: median (p50)")
                .contains("Latency against load, rings for one producer, OpenJDK 17: p99 of all samples")
                .containsPattern("load +1M +20M")
                .containsPattern("Sluice SINGLE +150 ns +5 \u00b5s")
                .containsPattern("Sluice SINGLE +600 ns +20 \u00b5s")
                .doesNotContain("several producers")
                .as("bounds have no line")
                .doesNotContain("a cursor", "platform", "Never");
        Page page = new Page("t");
        curves.write(page);
        assertThat(page.text()).contains("Latency at every load", "class=\"band\"", "the machine's own hiccups");
        assertThat(curves.svg()).startsWith("<svg").contains("[events/s]", "class=\"band\"");
    }

    @Test
    void burstsHaveACurveForAllEventsAndOneForTheLast() {
        String text = printed(LoadCurves.of(
                "command",
                List.of(
                        row("bursts-10-5m", "OpenJDK 25", 300, 500),
                        row("bursts-1000-5m", "OpenJDK 25", 20_000, 40_000),
                        row("bursts-10-1m", "OpenJDK 25", 1, 1),
                        row("changing-load", "OpenJDK 25", 200, 0))));
        assertThat(text)
                .contains(
                        "Bursts, 5 million events a second in the mean, rings for one producer, OpenJDK 25: median (p50)")
                .containsPattern("size of a burst +10 +1k")
                .containsPattern("Sluice SINGLE +300 ns +20 \u00b5s")
                .containsPattern("Sluice SINGLE +500 ns +40 \u00b5s")
                .doesNotContain("1 million");
    }

    @Test
    void oneRowIsNoCurve() {
        LoadCurves none = LoadCurves.of("command", List.of(row("open-loop-1m", "OpenJDK 17", 150, 0)));
        assertThat(printed(none)).isEmpty();
        Page page = new Page("t");
        none.write(page);
        assertThat(page.text()).doesNotContain("Latency at every load");
    }
}
