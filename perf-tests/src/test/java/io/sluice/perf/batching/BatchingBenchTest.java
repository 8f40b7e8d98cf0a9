package io.sluice.perf.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.perf.bench.Bench;
import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.report.Json;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

/** What the benchmark counts and writes; not how fast this machine is just now. */
@Timeout(120)
class BatchingBenchTest {
    private static final List<Sustained.Result> SUSTAINED = List.of(new Sustained.Result(100_000, 1_000_000, 1));

    @TempDir
    Path folder;

    @Test
    void theExampleInVirtualTimeIsTheArticles() {
        List<WorkedExample.Line> lines = WorkedExample.virtual();
        assertThat(lines.get(0)).isEqualTo(new WorkedExample.Line("serial", "virtual", 100, 550, 1_000, 10, 10));
        WorkedExample.Line smart = lines.get(1);
        assertThat(smart.best()).isEqualTo(100);
        assertThat(smart.worst()).isEqualTo(200);
        assertThat(smart.average()).isCloseTo(145, within(1e-9));
        assertThat(smart.fewestPackets()).isEqualTo(1);
        assertThat(smart.mostPackets()).isEqualTo(2);
    }

    @Test
    void aRealDeviceIsNeverFasterThanItsTime() throws Exception {
        List<WorkedExample.Line> lines = WorkedExample.real(20);
        assertThat(lines.get(0)).satisfies(serial -> {
            assertThat(serial.best()).isGreaterThanOrEqualTo(100);
            assertThat(serial.average()).isGreaterThanOrEqualTo(550);
            assertThat(serial.worst()).isGreaterThanOrEqualTo(1_000);
            assertThat(serial.fewestPackets()).isEqualTo(10);
            assertThat(serial.mostPackets()).isEqualTo(10);
        });
        assertThat(lines.get(1)).satisfies(smart -> {
            assertThat(smart.best()).isGreaterThanOrEqualTo(100);
            assertThat(smart.fewestPackets()).isGreaterThanOrEqualTo(1);
            assertThat(smart.mostPackets()).isLessThanOrEqualTo(10);
        });
    }

    /** Each approach gets the same messages, and each message is counted once, sent or not. */
    @Test
    void everyMessageIsCounted() throws Exception {
        long nanos = TimeUnit.MILLISECONDS.toNanos(100);
        for (double load : new double[] {1, 40, 120}) {
            long expected = -1;
            for (Approach approach : Approach.values()) {
                Bathtub.Point point = new Bathtub(nanos, 7).measure(approach, load);
                assertThat(point.load()).isEqualTo(load);
                assertThat(point.messages())
                        .as(approach + " at " + load)
                        .isCloseTo(Math.round(Bathtub.DEVICE_RATE * load / 100 / 10), within(400L));
                if (expected < 0) {
                    expected = point.messages();
                }
                assertThat(point.messages()).as(approach + " at " + load).isEqualTo(expected);
                assertThat(point.sends()).isPositive().isLessThanOrEqualTo(point.sentMessages());
                assertThat(point.sentMessages()).isLessThanOrEqualTo(point.messages());
                if (approach == Approach.LOCK) {
                    assertThat(point.sends()).isEqualTo(point.sentMessages());
                }
                assertThat(point.maxNanos()).isGreaterThanOrEqualTo(Bathtub.SEND_NANOS);
                assertThat(point.medianNanos()).isLessThanOrEqualTo(point.p99Nanos());
                if (approach == Approach.LOCK && load > 10) {
                    assertThat(point.saturated())
                            .as("10,000 sends a second are not enough")
                            .isTrue();
                }
            }
        }
    }

    @Test
    void smartBatchesAreFullWhenThereIsAlwaysANextMessage() {
        Sustained.Result result = Sustained.measure(TimeUnit.MILLISECONDS.toNanos(50));
        assertThat(result.serial()).isPositive().isLessThanOrEqualTo(1e9 / Sustained.SEND_NANOS);
        assertThat(result.smart()).isPositive();
        assertThat(result.fullShare()).isBetween(0.0, 1.0);
        assertThat(new Sustained.Result(2, 30, 1).ratio()).isEqualTo(15);
    }

    @Test
    void severalTurnsGiveMediansAndSums() {
        Bathtub.Point all = Bathtub.Point.median(List.of(
                point(Approach.SMART, 50, 9_000, 10),
                point(Approach.SMART, 50, 100, 90),
                point(Approach.SMART, 50, 300, 20)));
        assertThat(all)
                .isEqualTo(new Bathtub.Point(
                        Approach.SMART,
                        50,
                        1_000,
                        1_000,
                        false,
                        300,
                        300,
                        20,
                        20,
                        30,
                        300,
                        300,
                        new Quartiles(3, 200, 300, 4_650)));
    }

    private static Bathtub.Point point(Approach approach, double load, double mean, long p99) {
        return new Bathtub.Point(approach, load, 1_000, 1_000, false, mean, (long) mean, p99, p99, 10, 100, 100);
    }

    @Test
    void onlyWhatIsWorseUnderSaturationFails() {
        List<Bathtub.Point> points = List.of(
                point(Approach.LOCK, 50, 100_000, 200_000),
                point(Approach.TIMER, 50, 500_000, 1_000_000),
                point(Approach.SMART, 50, 106_000, 211_000),
                point(Approach.LOCK, 100, 1, 1),
                point(Approach.SMART, 100, 9e9, 9_000_000_000L));
        assertThat(BatchingBench.checks(points, List.of(), SUSTAINED))
                .hasSize(3)
                .allMatch(Check::holds);
        for (Bathtub.Point worse :
                List.of(point(Approach.SMART, 50, 107_500, 200_000), point(Approach.SMART, 50, 100_000, 213_000))) {
            List<Check> checks = BatchingBench.checks(List.of(points.get(0), worse), List.of(), SUSTAINED);
            assertThat(checks).extracting(Check::holds).containsExactly(false, true);
            assertThat(checks.get(0).what()).contains("lock around the device", "at 50 % load");
        }
        assertThat(BatchingBench.checks(List.of(), List.of(), List.of(new Sustained.Result(100, 999, 1))))
                .extracting(Check::holds)
                .containsExactly(false);
    }

    @Test
    void underAnotherRoofOnlyWhatHoldsOnAnyMachineDecides() {
        List<Bathtub.Point> worse =
                List.of(point(Approach.LOCK, 50, 100_000, 200_000), point(Approach.SMART, 50, 900_000, 900_000));
        assertThat(BatchingBench.orders(SUSTAINED, worse))
                .as("the sustained rate, and virtual time")
                .extracting(Check::holds)
                .containsExactly(true, false);
        assertThat(BatchingBench.orders(List.of(), List.of())).isEmpty();
    }

    /** At 50 % load the lock has a 99th percentile of 200 us; 212 us are within the tolerance. */
    @Test
    void whatTheHostDidToTheWatchIsNotHeldAgainstAnApproach() {
        Bathtub.Point lock = point(Approach.LOCK, 50, 100_000, 200_000);
        Bathtub.Point late = point(Approach.SMART, 50, 100_000, 262_000);
        assertThat(BatchingBench.checks(
                        List.of(lock, late), List.of(new Watch(50, 50_000), new Watch(60, 0)), SUSTAINED))
                .extracting(Check::holds)
                .containsExactly(true, true);
        for (List<Watch> watches :
                List.of(List.of(new Watch(50, 49_000)), List.of(new Watch(60, 50_000)), List.<Watch>of())) {
            assertThat(BatchingBench.checks(List.of(lock, late), watches, SUSTAINED))
                    .extracting(Check::holds)
                    .containsExactly(false, true);
        }
        assertThat(BatchingBench.checks(
                        List.of(lock, point(Approach.SMART, 50, 110_000, 200_000)),
                        List.of(new Watch(50, 50_000)),
                        SUSTAINED))
                .as("the mean has no such allowance")
                .extracting(Check::holds)
                .containsExactly(false, true);
        assertThat(Watch.median(50, List.of(1.0, 9.0, 2.0))).isEqualTo(new Watch(50, 2));
        assertThat(Watch.median(50, List.of())).isEqualTo(new Watch(50, 0));
    }

    @Test
    @Tag("once")
    void aShortRunWritesEveryFormat() throws Exception {
        BatchingBench.Size size = new BatchingBench.Size(
                5,
                List.of(1.0, 90.0),
                2,
                TimeUnit.MILLISECONDS.toNanos(30),
                TimeUnit.MILLISECONDS.toNanos(10),
                TimeUnit.MILLISECONDS.toNanos(20));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BatchingBench.Result result;
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            result = BatchingBench.measure(
                    size, true, "a test", interruption, new PrintStream(out, true, StandardCharsets.UTF_8));
        }
        assertThat(result.points()).hasSize(6);
        assertThat(result.virtual()).hasSize(6);
        assertThat(result.example()).hasSize(6);
        assertThat(result.complete()).isTrue();
        assertThat(result.checks()).hasSize(9);

        String csv = BatchingBench.csv(result);
        assertThat(csv.lines()).hasSize(13);
        assertThat(csv.lines().map(line -> line.split(",", -1).length).distinct())
                .containsExactly(13);
        assertThat(csv.lines().filter(line -> line.startsWith("real,"))).hasSize(6);
        assertThat(csv.lines().filter(line -> line.startsWith("virtual,"))).hasSize(6);

        JsonNode json = new ObjectMapper().readTree(Json.text(result));
        assertThat(json.path("points")).hasSize(6);
        assertThat(json.path("points").get(0).path("approach").asText()).isEqualTo("LOCK");
        assertThat(json.path("virtual")).hasSize(6);
        assertThat(json.path("quick").asBoolean()).isTrue();
        assertThat(json.path("checks").get(0).path("what").asText()).isNotBlank();

        for (String xml :
                List.of(BatchingBench.svg(result), BatchingBench.html(result).replace("<!DOCTYPE html>", ""))) {
            DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
        }
        assertThat(BatchingBench.svg(result))
                .contains("<style>", "smart batching, median", "lock around the device, 99 %");
        assertThat(BatchingBench.html(result))
                .contains(
                        "A quick run", "smart batching, article", "sustained", "Latency against load, in virtual time");
        BatchingBench.tables(result).forEach(table -> table.print(new PrintStream(out, true, StandardCharsets.UTF_8)));
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("serial, virtual", "550.0", "1 %, smart batching");
    }

    @Test
    void badArgumentsAreSaidWithWhatIsAllowed() {
        refused("must be one of compare, limiter, ordered, aeron, lmax-perftest, batching, journal");
        refused("but was 'speed'", "speed");
        refused("must be one of --quick, --virtual, --json, --html, --csv, --svg, but one was 'x'", "batching", "x");
        refused("--svg must have a value", "batching", "--svg");
        refused(
                "must name a file in a folder that is there",
                "batching",
                "--csv",
                folder.resolve("no/x").toString());
        refused("is a folder", "batching", "--html", folder.toString());
        String file = folder.resolve("x").toString();
        refused("--svg must be given once", "batching", "--svg", file, "--svg", file);
        refused("must name a file of its own", "batching", "--svg", file, "--csv", file);
        refused("must be one of --quick, --folder, --json, --html, but one was '--svg'", "journal", "--svg", file);
        refused("but one was '--virtual'", "journal", "--virtual");
        refused("must name a folder that is there", "journal", "--folder", file);
        assertThat(new Bench().usage())
                .contains("bench compare", "bench batching [--quick]", "bench journal [--quick]");
    }

    private static void refused(String message, String... arguments) {
        assertThatThrownBy(() -> new Bench().run(List.of(arguments)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }
}
