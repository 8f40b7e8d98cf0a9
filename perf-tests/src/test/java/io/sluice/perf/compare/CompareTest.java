package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.cli.UsageException;
import io.sluice.perf.bench.Bench;
import io.sluice.perf.report.TargetResult.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The arithmetic of a comparison, its rows and its command line. */
class CompareTest {
    private static final Band NEAR = new Band(35, 110);

    @Test
    void quartilesLieBetweenTheNearestRanks() {
        Quartiles quartiles = Quartiles.of(new double[] {4, 1, 3, 2, 5});
        assertThat(quartiles.count()).isEqualTo(5);
        assertThat(quartiles.lower()).isEqualTo(2);
        assertThat(quartiles.median()).isEqualTo(3);
        assertThat(quartiles.upper()).isEqualTo(4);
        assertThat(Quartiles.of(new double[] {1, 2}).median()).isEqualTo(1.5);
        assertThat(Quartiles.of(new double[0])).isEqualTo(Quartiles.NONE);
    }

    @Test
    void aTargetHoldsByItsMedianAndItsWorseQuartile() {
        Target least = Target.atLeast("a", "b", 2, 3);
        assertThat(least.holds(new Quartiles(9, 1.8, 2.0, 9))).isTrue();
        assertThat(least.holds(new Quartiles(9, 1.79, 2.5, 9)))
                .as("lower quartile")
                .isFalse();
        assertThat(least.holds(new Quartiles(9, 1.9, 1.99, 9))).as("median").isFalse();
        Target most = Target.atMost("a", "b", 2, 1);
        assertThat(most.holds(new Quartiles(9, 0, 2.0, 2.2))).isTrue();
        assertThat(most.holds(new Quartiles(9, 0, 1.5, 2.21)))
                .as("upper quartile")
                .isFalse();
        assertThat(most.holds(new Quartiles(9, 0, 2.01, 2.1))).as("median").isFalse();
        assertThat(least.holds(Quartiles.NONE)).isFalse();
        assertThat(most.holds(Quartiles.NONE)).isFalse();
    }

    @Test
    void aTargetThatABareContestantMissesTooIsOutOfReachAsLongAsTheBestIsKept() {
        Target target = Target.atLeast("a", "b", 1.5, 2).limitedBy("bare", 0.9);
        Quartiles ratio = new Quartiles(9, 0.9, 1, 1.1);
        Quartiles missing = new Quartiles(9, 1.4, 1.49, 1.6);
        Quartiles near = new Quartiles(9, 0.81, 0.9, 1);
        assertThat(target.verdict(ratio, missing, near)).isEqualTo(Verdict.OUT_OF_REACH);
        assertThat(target.verdict(ratio, new Quartiles(9, 1.4, 1.5, 1.6), near))
                .as("the bare one reaches it")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, missing, new Quartiles(9, 0.85, 0.89, 1)))
                .as("further from the bare one than before")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, missing, new Quartiles(9, 0.8, 0.9, 1)))
                .as("a quartile beyond a tenth of what is to be kept")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, Quartiles.NONE, Quartiles.NONE))
                .as("the bare one was not measured")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, missing, Quartiles.NONE))
                .as("in no round with ours")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(new Quartiles(9, 1.4, 1.5, 1.6), missing, near))
                .isEqualTo(Verdict.HOLDS);
        assertThat(target.verdict(Quartiles.NONE, missing, Quartiles.NONE)).isEqualTo(Verdict.NOT_MEASURED);
        assertThat(Target.atLeast("a", "b", 1.5, 2).verdict(ratio, missing, near))
                .isEqualTo(Verdict.MISSED);
        Target time = Target.atMost("a", "b", 0.5, 0.2).limitedBy("bare", 1.1);
        Quartiles slow = new Quartiles(9, 0.6, 0.7, 0.9);
        Quartiles late = new Quartiles(9, 0.5, 0.51, 0.6);
        assertThat(time.verdict(slow, late, new Quartiles(9, 1, 1.1, 1.21))).isEqualTo(Verdict.OUT_OF_REACH);
        assertThat(time.verdict(slow, late, new Quartiles(9, 1, 1.11, 1.2))).isEqualTo(Verdict.MISSED);
        assertThat(time.verdict(slow, late, new Quartiles(9, 1, 1.1, 1.22)))
                .as("a quartile beyond a tenth of what is to be kept")
                .isEqualTo(Verdict.MISSED);
    }

    @Test
    void ratiosArePairedWithinRoundsThatAreNearAtBothEnds() {
        Measurement measurement = new Measurement(NEAR);
        measurement.add(new Measurement.Sample(0, "a", 30, 50, 50, ""));
        measurement.add(new Measurement.Sample(0, "b", 10, 50, 50, ""));
        measurement.add(new Measurement.Sample(1, "a", 1, 50, 200, "")); // far after it
        measurement.add(new Measurement.Sample(1, "b", 10, 50, 50, ""));
        measurement.add(new Measurement.Sample(2, "a", 1, 20, 50, "")); // tight before it
        measurement.add(new Measurement.Sample(2, "b", 10, 50, 50, ""));
        measurement.add(new Measurement.Sample(3, "a", 50, 50, 50, ""));
        measurement.add(new Measurement.Sample(3, "b", 10, 50, 50, ""));
        Quartiles ratio = measurement.ratio("a", "b");
        assertThat(ratio.count()).isEqualTo(2);
        assertThat(ratio.median()).isCloseTo(4, within(1e-9));
        assertThat(measurement.values("a", true).count()).isEqualTo(2);
        assertThat(measurement.values("a", false).count()).isEqualTo(4);
        assertThat(measurement.ratio("a", "c")).isEqualTo(Quartiles.NONE);
    }

    @Test
    void nearIsTheUsualDistanceOfNeighboursOrWhatTheMachineHas() {
        assertThat(Band.of(200, 54, 190)).isEqualTo(Band.NEIGHBOURS);
        Band far = Band.of(200, 210, 190);
        assertThat(far.contains(200)).isTrue();
        assertThat(far.contains(90)).isFalse();
        assertThat(far.contains(400)).isFalse();
        assertThat(NEAR.description()).isEqualTo("near is 35 to 110 ns one way between the cores");
        assertThat(far.description())
                .contains("near is 124 to 300 ns")
                .contains("not found at the distance of neighbours, 35 to 110 ns");
    }

    @Test
    void aMachineThatIsFarAtFirstIsWaitedFor() throws InterruptedException {
        AtomicInteger probes = new AtomicInteger();

        assertThat(Band.search(() -> probes.incrementAndGet() < 400 ? 270 : 55, () -> false))
                .isEqualTo(Band.NEIGHBOURS);
        assertThat(probes).hasValue(400);
    }

    @Test
    void aMachineThatStaysFarIsMeasuredAtItsOwnDistance() throws InterruptedException {
        AtomicInteger probes = new AtomicInteger();

        Band far = Band.search(() -> 200 + probes.incrementAndGet() % 3, () -> false);

        assertThat(far).isEqualTo(Band.of(201));
        assertThat(probes).hasValue(600);
    }

    @Test
    void theSearchForTheDistanceEndsWhenItIsTold() throws InterruptedException {
        AtomicInteger probes = new AtomicInteger();

        assertThat(Band.search(() -> 200 + probes.incrementAndGet(), () -> probes.get() == 3))
                .isEqualTo(Band.of(202));
        assertThat(probes).hasValue(3);
    }

    @Test
    void everyRowNamesItsOwnEntries() {
        List<Row> rows = Rows.all();
        assertThat(rows)
                .extracting(Row::id)
                .doesNotHaveDuplicates()
                .contains("1p1c", "1p1c-1024", "3p1c", "multicast", "pipeline", "diamond");
        for (Row row : rows) {
            List<String> ids = row.entries().stream().map(Entry::id).toList();
            assertThat(ids).as(row.id()).doesNotHaveDuplicates().contains(row.reference());
            assertThat(row.targets()).as(row.id()).isNotEmpty().allSatisfy(target -> {
                assertThat(ids).contains(target.contestant(), target.peer());
                assertThat(target.atMost()).isEqualTo(row.lessIsBetter());
                assertThat(target.atMost() ? target.stretch() <= target.must() : target.stretch() >= target.must())
                        .isTrue();
            });
            assertThat(row.topology()).as(row.id()).isNotEmpty();
        }
    }

    @Test
    void badUsageIsRefusedBeforeAnythingIsMeasured() {
        refused("what to compare is missing");
        refused("unknown argument '--fast'", "compare", "--fast");
        refused("--rows names 'nonsense'", "compare", "--rows", "nonsense");
        refused("--rows names 'limiter-1', allowed are 1p1c, ", "compare", "--rows", "1p1c,limiter-1");
        refused("--rows names '1p1c', allowed are limiter-1, limiter-2, limiter-free", "limiter", "--rows", "1p1c");
        refused("--rows needs a value", "compare", "--rows");
        refused("without a pair", "compare", "--rows", "1p1c", "--peers", "nobody");
        refused("--near is '0', allowed is 1 to 10000", "compare", "--near", "0");
        refused("--near is 'x', allowed is 1 to 10000", "compare", "--near", "x");
        refused("--jdk is '/nowhere'", "compare", "--jdk", "/nowhere");
        refused("--without names 'care', allowed are no-back-off, no-padding", "compare", "--without", "care");
        refused("--variant is 'a=/nowhere'", "compare", "--variant", "a=/nowhere");
        refused("--json is '/nowhere/out.json'", "compare", "--json", "/nowhere/out.json");
    }

    private static void refused(String message, String... arguments) {
        assertThatThrownBy(() -> new Bench().run(List.of(arguments)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(message);
    }

    @Test
    void everyRingOfSluiceIsBuiltByTheSameCall() throws IOException {
        Path sources = Path.of("src", "main", "java");
        assertThat(sources).isDirectory();
        try (Stream<Path> files = Files.walk(sources)) {
            List<String> builders = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("jmh"))
                    .filter(file -> !file.toString().contains("backpressure")
                            && !file.toString().contains("batching")) // compare no rings
                    .filter(CompareTest::buildsRings)
                    .map(file -> file.getFileName().toString())
                    .toList();
            assertThat(builders).containsExactly("SluiceRing.java");
        }
        assertThat(ChildProcess.FLAGS).as("the same for all").noneMatch(flag -> flag.contains("sluice"));
    }

    private static boolean buildsRings(Path file) {
        try {
            return Files.readString(file).contains("RingBuffer.builder(");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
