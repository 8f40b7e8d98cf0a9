package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.bench.Bench;
import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.Role;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.Spread;
import io.sluice.perf.report.TargetResult;
import io.sluice.perf.report.TargetResult.Guard;
import io.sluice.perf.report.TargetResult.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
        assertThat(least.holds(new Interval(9, 3, 1.8, 2.0, 9))).isTrue();
        assertThat(least.holds(new Interval(9, 3, 1.79, 2.5, 9)))
                .as("lower quartile")
                .isFalse();
        assertThat(least.holds(new Interval(9, 3, 1.9, 1.99, 9))).as("median").isFalse();
        Target most = Target.atMost("a", "b", 2, 1);
        assertThat(most.holds(new Interval(9, 3, 0, 2.0, 2.2))).isTrue();
        assertThat(most.holds(new Interval(9, 3, 0, 1.5, 2.21)))
                .as("upper quartile")
                .isFalse();
        assertThat(most.holds(new Interval(9, 3, 0, 2.01, 2.1))).as("median").isFalse();
        assertThat(least.holds(Interval.NONE)).isFalse();
        assertThat(most.holds(Interval.NONE)).isFalse();
    }

    @Test
    void aTargetThatABareContestantMissesTooIsOutOfReachAsLongAsTheBestIsKept() {
        Target target = Target.atLeast("ours", "sluice-b", 1.5, 2).limitedBy("bare", 0.9);
        Interval ratio = new Interval(9, 3, 0.9, 1, 1.1);
        Interval missing = new Interval(9, 3, 1.4, 1.45, 1.49);
        Interval near = new Interval(9, 3, 0.81, 0.9, 1);
        assertThat(target.verdict(ratio, missing, ours(near), 9, Guard.NONE)).isEqualTo(Verdict.OUT_OF_REACH);
        assertThat(target.verdict(ratio, new Interval(9, 3, 1.4, 1.45, 1.5), ours(near), 9, Guard.NONE))
                .as("the bare one's better end reaches it")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, missing, ours(new Interval(9, 3, 0.85, 0.89, 1)), 9, Guard.NONE))
                .as("further from the bare one than before")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, missing, ours(new Interval(9, 3, 0.8, 0.9, 1)), 9, Guard.NONE))
                .as("a quartile beyond a tenth of what is to be kept")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, missing, ours(new Interval(9, 3, 1.01, 1.05, 1.1)), 9, Guard.NONE))
                .as("ours is better than what is to be its limit")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, Interval.NONE, ours(Interval.NONE), 9, Guard.NONE))
                .as("the bare one was not measured")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(ratio, missing, ours(Interval.NONE), 9, Guard.NONE))
                .as("in no round with ours")
                .isEqualTo(Verdict.MISSED);
        assertThat(target.verdict(new Interval(9, 3, 1.4, 1.5, 1.6), missing, ours(near), 9, Guard.NONE))
                .isEqualTo(Verdict.HOLDS);
        assertThat(Target.atLeast("a", "sluice-b", 1.5, 2).verdict(ratio, missing, ours(near), 9, Guard.NONE))
                .isEqualTo(Verdict.MISSED);
        Target time = Target.atMost("ours", "sluice-b", 0.5, 0.2).limitedBy("bare", 1.1);
        Interval slow = new Interval(9, 3, 0.6, 0.7, 0.9);
        Interval late = new Interval(9, 3, 0.51, 0.55, 0.6);
        assertThat(time.verdict(slow, late, ours(new Interval(9, 3, 1, 1.1, 1.21)), 9, Guard.NONE))
                .isEqualTo(Verdict.OUT_OF_REACH);
        assertThat(time.verdict(
                        slow,
                        new Interval(9, 3, 0.5, 0.55, 0.6),
                        ours(new Interval(9, 3, 1, 1.1, 1.21)),
                        9,
                        Guard.NONE))
                .as("the bare one's better end reaches it")
                .isEqualTo(Verdict.MISSED);
        assertThat(time.verdict(slow, late, ours(new Interval(9, 3, 1, 1.11, 1.2)), 9, Guard.NONE))
                .isEqualTo(Verdict.MISSED);
        assertThat(time.verdict(slow, late, ours(new Interval(9, 3, 1, 1.1, 1.22)), 9, Guard.NONE))
                .as("a quartile beyond a tenth of what is to be kept")
                .isEqualTo(Verdict.MISSED);
    }

    private static Map<String, Interval> ours(Interval ratio) {
        return Map.of("ours", ratio);
    }

    @Test
    void whatAnyPeerOfTheRowBeatsIsNoLimit() {
        Interval slower = new Interval(9, 3, 0.7, 0.75, 0.8);
        Interval level = new Interval(9, 3, 0.9, 1, 1.1);
        Target rate = Target.atLeast("ours", "bucket", 0.9, 1).limitedBy("bare", 0.9);
        Interval slightlyMore = new Interval(9, 3, 0.9, 1.01, 1.1);
        assertThat(rate.verdict(slower, slower, Map.of("ours", level, "other", level), 9, Guard.NONE))
                .isEqualTo(Verdict.OUT_OF_REACH);
        assertThat(rate.verdict(slower, slower, Map.of("ours", level, "other", slightlyMore), 9, Guard.NONE))
                .as("one that no target names")
                .isEqualTo(Verdict.MISSED);
        assertThat(rate.beatenBy(Map.of("ours", level, "other", slightlyMore))).isEqualTo("other");
        assertThat(rate.beatenBy(Map.of("ours", level, "other", Interval.NONE)))
                .as("not measured")
                .isEmpty();
        Target time = Target.atMost("ours", "sluice-b", 0.5, 0.4).limitedBy("bare", 1.1);
        assertThat(time.verdict(level, level, Map.of("ours", level, "other", slightlyMore), 9, Guard.NONE))
                .isEqualTo(Verdict.OUT_OF_REACH);
        assertThat(time.verdict(level, level, Map.of("ours", level, "other", slower), 9, Guard.NONE))
                .isEqualTo(Verdict.MISSED);
    }

    @Test
    void whatWasPublishedLastIsKeptToNineTenths() {
        Target rate = Target.atLeast("ours", "lmax", 1.5, 2);
        Interval three = new Interval(9, 3, 2.9, 3, 3.1);
        assertThat(rate.verdict(three, Interval.NONE, Map.of(), 9, new Guard("2026-11-23", 3.33, false)))
                .isEqualTo(Verdict.HOLDS);
        assertThat(rate.verdict(three, Interval.NONE, Map.of(), 9, new Guard("2026-11-23", 3.34, false)))
                .isEqualTo(Verdict.FALLEN_BACK);
        assertThat(rate.verdict(
                        new Interval(9, 3, 0.8, 0.9, 1), Interval.NONE, Map.of(), 9, new Guard("2026-11-23", 9, false)))
                .as("a loss stays one")
                .isEqualTo(Verdict.LOSS);
        Target time = Target.atMost("ours", "lmax", 1.05, 0.95);
        Interval level = new Interval(9, 3, 0.9, 0.99, 1);
        assertThat(time.verdict(level, Interval.NONE, Map.of(), 9, new Guard("2026-11-23", 0.9, true)))
                .isEqualTo(Verdict.HOLDS);
        assertThat(time.verdict(level, Interval.NONE, Map.of(), 9, new Guard("2026-11-23", 0.89, true)))
                .isEqualTo(Verdict.FALLEN_BACK);
        assertThat(new Guard("2026-11-23", 0.9, true).words())
                .isEqualTo("0.90 published on 2026-11-23, to be kept: at most 1.00");
        assertThat(new Guard("2026-11-23", 2, false).words())
                .isEqualTo("2.00 published on 2026-11-23, to be kept: at least 1.80");
        assertThat(Guard.NONE.words()).isEqualTo("no published figure of this processor and JDK");
    }

    @Test
    void aPeerThatIsBetterIsALossUnlessThePriceWasAgreed() {
        Interval worse = new Interval(9, 3, 0.6, 0.7, 0.8);
        Interval none = Interval.NONE;
        assertThat(Target.atLeast("ours", "lmax", 1.5, 2).verdict(worse, none, ours(none), 9, Guard.NONE))
                .isEqualTo(Verdict.LOSS);
        assertThat(Target.atLeast("ours", "lmax", 1.5, 2)
                        .limitedBy("bare", 0.9)
                        .verdict(worse, worse, ours(worse), 9, Guard.NONE))
                .as("a bound of our own does not make it less of a loss")
                .isEqualTo(Verdict.LOSS);
        assertThat(Target.atLeast("ours", "lmax", 1.5, 2)
                        .verdict(new Interval(9, 3, 1, 1.2, 1.4), none, ours(none), 9, Guard.NONE))
                .as("missed, but no worse than the peer")
                .isEqualTo(Verdict.MISSED);
        assertThat(Target.atLeast("ours", "lmax", 0.9, 1).verdict(worse, none, ours(none), 9, Guard.NONE))
                .as("a price")
                .isEqualTo(Verdict.MISSED);
        assertThat(Target.atLeast("ours", "sluice-other", 1, 1).verdict(worse, none, ours(none), 9, Guard.NONE))
                .as("no peer")
                .isEqualTo(Verdict.MISSED);
        assertThat(Target.atMost("ours", "lmax", 1.05, 0.95)
                        .verdict(new Interval(9, 3, 1, 1.06, 1.1), none, ours(none), 9, Guard.NONE))
                .isEqualTo(Verdict.LOSS);
        assertThat(Target.atMost("ours", "raw", 1.4, 1.2)
                        .verdict(new Interval(9, 3, 1, 1.5, 1.6), none, ours(none), 9, Guard.NONE))
                .isEqualTo(Verdict.MISSED);
    }

    @Test
    void fewerRoundsThanWereAskedForSayNothing() {
        Target target = Target.atLeast("a", "b", 1, 2);
        Interval good = new Interval(9, 3, 2, 2, 2);
        assertThat(target.verdict(good, Interval.NONE, ours(Interval.NONE), 9, Guard.NONE))
                .isEqualTo(Verdict.HOLDS);
        assertThat(target.verdict(good, Interval.NONE, ours(Interval.NONE), 10, Guard.NONE))
                .isEqualTo(Verdict.NOT_MEASURED);
        assertThat(target.verdict(Interval.NONE, Interval.NONE, ours(Interval.NONE), 1, Guard.NONE))
                .isEqualTo(Verdict.NOT_MEASURED);
    }

    @Test
    void aLossHasAnExitStatusOfItsOwnAndWhatWasNotMeasuredIsLeftOut() {
        RowResult row = row(target("lmax", Verdict.LOSS), target("lmax", Verdict.MISSED), target("gone", Verdict.LOSS));
        assertThat(MeasuredRows.status(List.of(row))).isEqualTo(MeasuredRows.LOST);
        assertThat(row.measurable()).extracting(TargetResult::peer).containsExactly("lmax", "lmax");
        RowResult missed = row(target("lmax", Verdict.MISSED), target("gone", Verdict.LOSS));
        assertThat(MeasuredRows.status(List.of(missed))).isEqualTo(Verb.CHECK_FAILED);
        RowResult held = row(target("lmax", Verdict.HOLDS), target("gone", Verdict.LOSS));
        assertThat(MeasuredRows.status(List.of(held))).isEqualTo(Verb.DONE);
        assertThat(MeasuredRows.status(List.of(held, row, missed))).isEqualTo(MeasuredRows.LOST);
        assertThat(new TargetResult("a", "b", "median", 1, 2, false, Spread.NONE, Verdict.NOT_MEASURED, "", Guard.NONE)
                        .sentence())
                .isEqualTo("a to b: not measured");
        assertThat(new TargetResult(
                                "a",
                                "b",
                                "median",
                                1,
                                2,
                                false,
                                new Spread(3, 1, 1, 1, 1),
                                Verdict.NOT_MEASURED,
                                "",
                                Guard.NONE)
                        .sentence())
                .endsWith(": not measured, 3 near rounds only; no published figure of this processor and JDK");
        assertThat(new TargetResult(
                                "a",
                                "b",
                                "p90",
                                1,
                                2,
                                false,
                                new Spread(3, 1, 1, 1, 1),
                                Verdict.FALLEN_BACK,
                                "",
                                new Guard("2026-11-23", 2, false))
                        .sentence())
                .isEqualTo("a to b, p90: 1.00 (1.00 to 1.00), must be at least 1.00, stretch 2.00: fallen back;"
                        + " 2.00 published on 2026-11-23, to be kept: at least 1.80");
    }

    @Test
    void aQuickRunBesideOtherProgramsIsNotJudged() {
        RowResult row = row(target("lmax", Verdict.LOSS), target("lmax", Verdict.NOT_MEASURED))
                .notJudged();
        assertThat(row.targets())
                .extracting(TargetResult::verdict)
                .containsExactly(Verdict.NOT_JUDGED, Verdict.NOT_MEASURED);
        assertThat(row.lines().get(0)).contains(": not judged: the machine was busy;");
        assertThat(row.loses()).isFalse();
        assertThat(MeasuredRows.status(List.of(row))).isEqualTo(MeasuredRows.NOT_JUDGED);
    }

    private static TargetResult target(String peer, Verdict verdict) {
        return new TargetResult(
                "sluice", peer, "median", 1, 2, false, new Spread(3, 1, 1, 1, 1), verdict, "", Guard.NONE);
    }

    private static RowResult row(TargetResult... targets) {
        List<ContestantResult> contestants = List.of(
                new ContestantResult("sluice", "Sluice", Role.SLUICE, Spread.NONE, 0, 0, Map.of()),
                new ContestantResult("lmax", "LMAX", Role.PEER, Spread.NONE, 0, 0, Map.of()));
        return new RowResult(
                "a-row",
                "",
                "ns",
                true,
                "a JVM",
                "lmax",
                List.of(),
                contestants,
                List.of(targets),
                List.of(),
                List.of());
    }

    @Test
    void ratiosArePairedWithinRoundsThatAreNearAtBothEnds() {
        Measurement measurement = new Measurement(NEAR);
        measurement.add(new Measurement.Sample(0, 0, "a", 30, 50, 50, ""));
        measurement.add(new Measurement.Sample(0, 0, "b", 10, 50, 50, ""));
        measurement.add(new Measurement.Sample(1, 0, "a", 1, 50, 200, "")); // far after it
        measurement.add(new Measurement.Sample(1, 0, "b", 10, 50, 50, ""));
        measurement.add(new Measurement.Sample(2, 0, "a", 1, 20, 50, "")); // tight before it
        measurement.add(new Measurement.Sample(2, 0, "b", 10, 50, 50, ""));
        measurement.add(new Measurement.Sample(3, 0, "a", 50, 50, 50, ""));
        measurement.add(new Measurement.Sample(3, 0, "b", 10, 50, 50, ""));
        Interval ratio = measurement.ratio("a", "b");
        assertThat(ratio.rounds()).isEqualTo(2);
        assertThat(ratio.median()).isCloseTo(4, within(1e-9));
        assertThat(measurement.values("a").rounds()).isEqualTo(2);
        assertThat(measurement.ratio("a", "c")).isEqualTo(Interval.NONE);
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
                assertThat(target.atMost()).isEqualTo(row.lessIsBetter() && target.figure() != Figure.FAST_PHASES);
                assertThat(target.atMost() ? target.stretch() <= target.must() : target.stretch() >= target.must())
                        .isTrue();
            });
            assertThat(row.topology()).as(row.id()).isNotEmpty();
        }
    }

    @Test
    void likeIsComparedWithLike() {
        for (Row row : Rows.all()) {
            for (Target target : row.targets()) {
                assertThat(target.contestant().endsWith("-10"))
                        .as("%s: %s to %s", row.id(), target.contestant(), target.peer())
                        .isEqualTo(target.peer().endsWith("-10"));
            }
            List<String> ids = row.entries().stream().map(Entry::id).toList();
            if (ids.contains("lmax-blocking")) {
                assertThat(ids).as(row.id()).contains("lmax-lite", "lmax-phased");
            }
            if (ids.contains("sluice-exact") && ids.contains("lmax-blocking")) {
                assertThat(row.targets())
                        .as(row.id())
                        .extracting(Target::peer)
                        .contains("lmax-blocking", "lmax-lite", "lmax-phased");
            }
        }
    }

    @Test
    void badUsageIsRefusedBeforeAnythingIsMeasured() {
        refused(
                "what to compare must be one of compare, limiter, ordered, aeron, lmax-perftest, batching, journal, records, drop-in, aeron-stop, but is missing");
        refused("--events must be from 1000 to 1000000000, but was '10'", "lmax-perftest", "--events", "10");
        refused("--rows must name rows of one-to-one, ", "lmax-perftest", "--rows", "1p1c");
        refused("must be one of --full, --quick, --rows", "compare", "--fast");
        refused(", but names 'nonsense'", "compare", "--rows", "nonsense");
        refused("--rows must name rows of 1p1c, ", "compare", "--rows", "1p1c,limiter-1");
        refused(
                "--rows must name rows of limiter-1, limiter-2, limiter-free, but names '1p1c'",
                "limiter",
                "--rows",
                "1p1c");
        refused("--rows must have a value", "compare", "--rows");
        refused("without a pair", "compare", "--rows", "1p1c", "--peers", "nobody");
        refused("--near must be from 1 to 10000, but was '0'", "compare", "--near", "0");
        refused("--near must be from 1 to 10000, but was 'x'", "compare", "--near", "x");
        refused("--jdk must name a JDK's folder, but '/nowhere'", "compare", "--jdk", "/nowhere");
        refused("--without must name some of no-back-off, no-padding", "compare", "--without", "care");
        refused(
                "--variant must be NAME=FOLDER with a folder of classes, but was 'a=/nowhere'",
                "compare",
                "--variant",
                "a=/nowhere");
        refused("but was '/nowhere/out.json'", "compare", "--json", "/nowhere/out.json");
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
            return Files.readString(file).contains("RingBufferBuilder.of(");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
