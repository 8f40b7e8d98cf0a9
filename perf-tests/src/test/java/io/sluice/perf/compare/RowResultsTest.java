package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.Link;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.Spread;
import io.sluice.perf.report.TargetResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RowResultsTest {

    private final Row row = Row.of(Row.COMPARE, "two", "events/s", "two contestants")
            .contestants(
                    "b", () -> List.of(new Entry("a", "A", () -> nanos -> 1), new Entry("b", "B", () -> nanos -> 1)))
            .targets(Target.atLeast("a", "b", 2, 3), Target.atLeast("a", "b", 5, 6))
            .topology("x->y")
            .build();
    private final List<Visited> visited =
            row.entries().stream().map(Visited::shipped).toList();

    private RowResult result(Measurement measurement) {
        return RowResults.of(
                row, visited, measurement, "a JVM 17.0.1", "a processor", 4, Published.NONE, List.of("note"));
    }

    @Test
    void onlyRoundsThatAreNearForBothCount() {
        Measurement measurement = new Measurement(new Band(40, 60));
        for (int round = 0; round < 5; round++) {
            measurement.add(new Measurement.Sample(round, 0, "a", 384 + round, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, 0, "b", 128, 50, round == 4 ? 200 : 50, ""));
        }
        measurement.add(new Measurement.Sample(5, 0, "a", 9_000, 200, 200, ""));
        measurement.add(new Measurement.Sample(5, 0, "b", 1, 10, 10, ""));
        RowResult result = result(measurement);
        assertThat(result.contestants().get(0).ratio()).isEqualTo(new Spread(4, 1, 3.01171875, 3.01171875, 3.01171875));
        assertThat(result.contestants().get(0).nearMedian()).isEqualTo(386);
        assertThat(result.contestants().get(0).hopNanos()).isEqualTo(50);
        assertThat(result.contestants().get(0).modes()).isEqualTo(Map.of("near", 5, "far", 1));
        assertThat(result.contestants().get(1).modes()).isEqualTo(Map.of("near", 4, "changing", 1, "tight", 1));
        assertThat(result.targets()).extracting(target -> target.holds()).containsExactly(true, false);
        assertThat(result.topology()).containsExactly(new Link("x", "y"));
        assertThat(result.lessIsBetter()).isFalse();
        assertThat(result.notes()).containsExactly("note");
    }

    @Test
    void whatIsShippedStandsBesideEachVariantOfIt() {
        Measurement measurement = new Measurement(new Band(40, 60));
        for (int round = 0; round < 3; round++) {
            measurement.add(new Measurement.Sample(round, round, "a", 90 + 10 * round, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, round, "a@before", 100, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, round, "a@far", 100, 50, 200, ""));
            measurement.add(new Measurement.Sample(round, round, "b", 50, 50, 50, ""));
        }
        assertThat(RowResults.toVariants(List.of("a", "a@before", "a@far", "b"), measurement))
                .singleElement()
                .asString()
                .startsWith("a: 1.00 x a@before (0.90 to 1.10, 3 rounds, 3 JVMs)");
        Path classes = Path.of("classes");
        Visited variant = Visited.variant(row.entries().get(0), "before", classes);
        assertThat(variant.id()).isEqualTo("a@before");
        assertThat(Visited.shippedId(variant.id())).isEqualTo("a");
    }

    @Test
    void withoutASampleThereIsNoRatioAndNoTargetIsHeld() {
        RowResult result = result(new Measurement(new Band(40, 60)));
        assertThat(result.contestants()).allSatisfy(one -> {
            assertThat(one.ratio()).isEqualTo(Spread.NONE);
            assertThat(one.nearMedian()).isZero();
        });
        assertThat(result.targets()).noneMatch(target -> target.holds());
        assertThat(result.holds()).as("what was to be measured and was not").isFalse();
        RowResult alone = RowResults.of(
                row,
                visited.subList(1, 2),
                new Measurement(new Band(40, 60)),
                "a JVM",
                "a processor",
                1,
                Published.NONE,
                List.of());
        assertThat(alone.holds()).as("nothing was to be measured").isTrue();
    }

    private static Measurement fourRounds(double ours, double peer, double other, double bare) {
        Measurement measurement = new Measurement(new Band(40, 60));
        for (int round = 0; round < 4; round++) {
            measurement.add(new Measurement.Sample(round, 0, "sluice", ours, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, 0, "peer", peer, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, 0, "other", other, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, 0, "bare", bare, 50, 50, ""));
        }
        return measurement;
    }

    /** No target names the other peer; it takes the bound's right to be one all the same. */
    @Test
    void aBoundThatAPeerOfTheRowBeatsIsRefusedByName() {
        Row limited = Row.of(Row.COMPARE, "limited", "events/s", "a bound that may be none")
                .contestants(
                        "peer",
                        () -> List.of(
                                new Entry("sluice", "Sluice", () -> nanos -> 1),
                                new Entry("peer", "A peer", () -> nanos -> 1),
                                new Entry("other", "Another", () -> nanos -> 1),
                                new Entry("bare", "Bare", () -> nanos -> 1).asBound()))
                .targets(Target.atLeast("sluice", "peer", 1.5, 2).limitedBy("bare", 0.9))
                .topology("x->y")
                .build();
        List<Visited> all = limited.entries().stream().map(Visited::shipped).toList();
        TargetResult bound = RowResults.of(
                        limited, all, fourRounds(110, 100, 90, 120), "17", "cpu", 4, Published.NONE, List.of())
                .targets()
                .get(0);
        assertThat(bound.verdict()).isEqualTo(TargetResult.Verdict.OUT_OF_REACH);
        assertThat(bound.limit()).startsWith("bare, which does only what cannot be left out: 1.20");
        TargetResult none = RowResults.of(
                        limited, all, fourRounds(110, 100, 130, 120), "17", "cpu", 4, Published.NONE, List.of())
                .targets()
                .get(0);
        assertThat(none.verdict()).isEqualTo(TargetResult.Verdict.MISSED);
        assertThat(none.limit())
                .isEqualTo("bare: 1.20 (1.20 to 1.20), which is no bound: other has 1.08 (1.08 to 1.08) of it");
    }

    @Test
    void whatWasPublishedOfTheSameProcessorAndJdkGuardsTheRow() {
        Published published = Published.parse("""
                row,contestant,peer,figure,jdk,processor,date,ratio,runs
                two,a,b,median,17,"cpu, family 1",2026-11-23,3.40,1
                """);
        Measurement measurement = new Measurement(new Band(40, 60));
        measurement.add(new Measurement.Sample(0, 0, "a", 300, 50, 50, ""));
        measurement.add(new Measurement.Sample(0, 0, "b", 100, 50, 50, ""));
        for (String jvm : List.of("OpenJDK 17.0.9+1", "OpenJDK 25.0.3")) {
            TargetResult target = RowResults.of(
                            row, visited, measurement, jvm, "cpu, family 1", 1, published, List.of())
                    .targets()
                    .get(0);
            assertThat(target.verdict())
                    .isEqualTo(jvm.contains("17") ? TargetResult.Verdict.FALLEN_BACK : TargetResult.Verdict.HOLDS);
        }
    }
}
