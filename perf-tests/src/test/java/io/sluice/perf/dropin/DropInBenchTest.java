package io.sluice.perf.dropin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.lmax.disruptor.RingBuffer;
import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.perf.batching.Check;
import io.sluice.perf.batching.Table;
import io.sluice.perf.bench.Bench;
import io.sluice.perf.report.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Every case runs on both jars and is checked; not how fast this machine is just now. */
@Tag("once")
@Timeout(120)
@Tag("any-jdk")
class DropInBenchTest {
    private static final Path JDK = Path.of(System.getProperty("java.home"));
    private static final DropInBench.Size TOY = new DropInBench.Size(30_000, 2_000, 640, 20, 2, 2);

    @TestFactory
    List<DynamicTest> eachCaseRunsOnBothJarsAndHandlesAll() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Case one : Case.all()) {
            tests.add(DynamicTest.dynamicTest(
                    one.id(), () -> assertTimeoutPreemptively(Duration.ofSeconds(100), () -> runOnBoth(one))));
        }
        return tests;
    }

    private static void runOnBoth(Case one) throws IOException {
        int runs = one.group().equals(Case.FULL_RING) ? 1 : 2;
        for (Jar jar : one.jars()) {
            try (ChildJvm child = new ChildJvm(JDK, jar, one, TOY.of(one), List.of("-Xms64m"))) {
                for (int run = 0; run < runs; run++) {
                    double[] figures = child.run();
                    assertThat(figures).as(jar.label()).hasSize(one.measures().size());
                    assertThat(figures[0]).as(jar.label()).isNotNegative();
                    if (jar == Jar.DROP_IN && one.measures().contains(Case.Measure.LOST)) {
                        assertThat(figures[2]).as("events lost").isZero();
                    }
                }
            }
        }
    }

    /** Everything here is compiled against LMAX's jar, and other verbs run on it. */
    @Test
    void thisJvmHasTheDisruptorsOwnClassesFirst() throws Exception {
        Path own = Path.of(RingBuffer.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        assertThat(own).isEqualTo(Jar.DISRUPTOR.location());
        assertThat(own.getFileName()).hasToString("disruptor-4.0.0.jar");
        assertThat(Jar.DROP_IN.location()).isNotEqualTo(own);
        assertThat(Jar.DROP_IN.classPath()).doesNotContain(own.toString());
        assertThat(Jar.DISRUPTOR.classPath())
                .doesNotContain(Jar.DROP_IN.location().toString());
    }

    @Test
    void aChildThatFailsSaysWhy() {
        Case wrong = new Case(Case.SHAPES, "no-shape", "", List.of(), List.of(Case.Measure.RATE));
        assertThatThrownBy(() -> new ChildJvm(JDK, Jar.DROP_IN, wrong, 1_000, List.of("-Xms64m")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no-shape on the drop-in ended")
                .hasMessageContaining("shape must be one of");
    }

    @Test
    void aWrongCountOrSumIsSeen() {
        Summing sum = new Summing();
        sum.expect(2);
        sum.add(1);
        assertThatThrownBy(() -> sum.check(1))
                .hasMessageContaining("must handle 2 events")
                .hasMessageContaining("1 with");
        sum.add(2);
        sum.check(3);
        assertThatThrownBy(() -> sum.check(4)).isInstanceOf(IllegalStateException.class);
        sum.add(0);
        assertThatThrownBy(() -> sum.check(3)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aShortRunPrintsRatiosAndWritesJson() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        DropInBench.Result result;
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            result = DropInBench.measure(
                    DropInBench.cases(Case.SHAPES, List.of("batches", "ping-pong")),
                    List.of(JDK),
                    TOY,
                    "a test",
                    interruption,
                    out);
        }
        assertThat(result.lines()).extracting(DropInBench.Line::row).containsExactly("batches", "ping-pong");
        assertThat(result.lines()).allSatisfy(line -> {
            assertThat(line.disruptor()).hasSize(4);
            assertThat(line.dropIn()).hasSize(4);
            assertThat(line.lower()).isPositive().isLessThanOrEqualTo(line.ratio());
            assertThat(line.upper()).isGreaterThanOrEqualTo(line.ratio());
        });
        assertThat(result.checks())
                .as("two of ten shapes have no median to judge")
                .hasSize(2);
        assertThat(result.complete()).isTrue();
        JsonNode json = new ObjectMapper().readTree(Json.text(result));
        assertThat(json.path("lines").get(0).path("dropIn")).hasSize(4);
        assertThat(json.path("lines").get(0).path("hops")).hasSize(4);
        assertThat(json.path("lines").get(0).path("judged").asBoolean()).isTrue();
        for (Table table : DropInBench.tables(result.lines())) {
            table.print(out);
        }
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains(
                        "JVM 0, run 1, hop",
                        "JVM 1, run 1, hop",
                        "ns, Disruptor",
                        "ns, drop-in",
                        "ratio of the drop-in",
                        "load at the start");
    }

    @Test
    void aRatioToNothingIsNotPrinted() {
        Case idle = named("idle");
        assertThat(DropInBench.tables(List.of(line(idle, 0, List.of(0.0, 0.0), List.of(0.0, 0.1))))
                        .get(0)
                        .toString())
                .contains("none, of 0")
                .doesNotContain("NaN", "Infinity");
        assertThat(DropInBench.tables(List.of(line(idle, 0, List.of(0.1, 0.1), List.of(0.1, 0.1))))
                        .get(0)
                        .toString())
                .contains("1.00 (1.00 to 1.00)");
    }

    @Test
    void whatHasToHold() {
        Case shape = named("one-to-one");
        assertThat(line(shape, 0, List.of(10.0, 10.0, 10.0), List.of(10.0, 9.0, 30.0)))
                .satisfies(line -> assertThat(line.ratio()).isEqualTo(1.0))
                .satisfies(line -> assertThat(line.holds()).isTrue());
        assertThat(line(shape, 0, List.of(10.0), List.of(9.99)).holds()).isFalse();
        Case full = named("full-ring");
        assertThat(line(full, 1, List.of(10.0), List.of(5.0)).holds()).isTrue();
        assertThat(line(full, 1, List.of(10.0), List.of(5.1)).holds()).isFalse();
        Case idle = named("idle");
        assertThat(line(idle, 0, List.of(0.1), List.of(0.2)).holds()).isTrue();
        assertThat(line(idle, 0, List.of(9.0), List.of(0.21)).holds()).isFalse();
        Case logs = named("log4j-file-16");
        assertThat(line(logs, 1, List.of(3.0), List.of(3.0)).holds()).isTrue();
        assertThat(line(logs, 1, List.of(3.0), List.of(3.1)).holds()).isFalse();
        assertThat(DropInBench.medianOfShapes(List.of(1.0, 1.5, 9.0)).holds()).isTrue();
        assertThat(DropInBench.medianOfShapes(List.of(1.0, 1.49, 9.0)))
                .isEqualTo(new Check("the median of 3 shapes is 1.49, at least 1.5", false));
    }

    private static Case named(String id) {
        return Case.all().stream()
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static DropInBench.Line line(Case one, int measure, List<Double> theirs, List<Double> ours) {
        return DropInBench.line(one, measure, "17", runs(one, measure, theirs, ours));
    }

    /** Runs whose other figures are 0. */
    private static DropInBench.Runs runs(Case one, int measure, List<Double> theirs, List<Double> ours) {
        return new DropInBench.Runs(
                figures(one, measure, theirs), figures(one, measure, ours), Collections.nCopies(theirs.size(), 50.0));
    }

    private static List<double[]> figures(Case one, int measure, List<Double> of) {
        return of.stream()
                .map(figure -> {
                    double[] all = new double[one.measures().size()];
                    all[measure] = figure;
                    return all;
                })
                .toList();
    }

    @Test
    void aBoundIsReportedAndNotJudged() throws Exception {
        Case bound = named("bound-poller");
        assertThat(line(bound, 0, List.of(10.0), List.of(5.0)).judged()).isFalse();
        assertThat(bound.jars()).containsExactly(Jar.DISRUPTOR, Jar.BARE);
        assertThat(bound.program(Jar.BARE)).isEqualTo("bare-poller");
        assertThat(named("poller").jars()).containsExactly(Jar.DISRUPTOR, Jar.DROP_IN);
        assertThat(DropInBench.cases(Case.BOUND, List.of()))
                .extracting(Case::id)
                .containsExactly("bound-batches", "bound-poller", "bound-three-to-three");
    }

    @Test
    void aPaceIsKeptOrNot() {
        Case paced = named("log4j-paced-file-4");
        assertThat(line(paced, 0, List.of(400_000.0), List.of(399_800.0)).holds())
                .isTrue();
        assertThat(line(paced, 0, List.of(400_000.0), List.of(390_000.0)).holds())
                .isFalse();
    }

    /** A call that drops its event returns at once. */
    @Test
    void thePercentileOfACallIsNotJudgedIfTheDisruptorHasDroppedAnEventInAnyRun() {
        Case logs = named("log4j-file-16");
        List<double[]> ours = List.of(new double[] {1, 3, 0}, new double[] {1, 3, 0}, new double[] {1, 3, 0});
        List<double[]> theirs = List.of(new double[] {1, 3, 0}, new double[] {1, 3, 1}, new double[] {1, 3, 0});
        List<Double> hops = List.of(50.0, 50.0, 50.0);
        assertThat(DropInBench.line(logs, 1, "17", new DropInBench.Runs(theirs, ours, hops))
                        .judged())
                .isFalse();
        assertThat(DropInBench.line(logs, 0, "17", new DropInBench.Runs(theirs, ours, hops))
                        .judged())
                .isTrue();
        assertThat(DropInBench.line(logs, 2, "17", new DropInBench.Runs(theirs, ours, hops))
                        .judged())
                .isTrue();
        assertThat(DropInBench.line(logs, 1, "17", new DropInBench.Runs(ours, ours, hops))
                        .judged())
                .isTrue();
    }

    @Test
    void whatAnInterruptHasCutOffIsLeftOut() {
        Case shape = named("one-to-one");
        List<double[]> two = figures(shape, 0, List.of(1.0, 2.0));
        DropInBench.Runs pairs = new DropInBench.Runs(
                        figures(shape, 0, List.of(1.0, 2.0, 3.0)), two, List.of(50.0, 51.0, 52.0))
                .wholePairs();
        assertThat(pairs.theirs()).hasSize(2);
        assertThat(pairs.ours()).isEqualTo(two);
        assertThat(pairs.hops()).containsExactly(50.0, 51.0);
    }

    @Test
    void badArgumentsAreSaidWithWhatIsAllowed() {
        refused("--events must be from 1000 to 1000000000, but was '10'", "drop-in", "--events", "10");
        refused("--rows must name rows of one-to-one, batches", "drop-in", "--rows", "idle");
        refused(
                "--rows must name rows of full-ring, full-ring-log4j, but names 'x'",
                "drop-in",
                "full-ring",
                "--rows",
                "x");
        refused("must be one of --events, --runs, --jvms, --seconds, --rows, --jdk, --flag, --json", "drop-in", "fast");
        assertThat(new Bench().usage()).contains("bench drop-in [shapes | bound | full-ring | idle | log4j]");
    }

    private static void refused(String message, String... arguments) {
        assertThatThrownBy(() -> new Bench().run(List.of(arguments)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }
}
