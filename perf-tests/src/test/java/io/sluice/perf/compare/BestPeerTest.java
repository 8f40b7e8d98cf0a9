package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.Spread;
import io.sluice.perf.report.TargetResult;
import io.sluice.perf.report.TargetResult.Verdict;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** A target to the best of several peers that keep up. */
class BestPeerTest {
    private static final int ROUNDS = 4;
    private static final Target.Field FIELD = new Target.Field(List.of("lmax", "queue"), 20_000);

    private static Row row(Target target) {
        return Row.of(Row.COMPARE, "load", "ns", "at a load")
                .contestants(
                        "lmax",
                        () -> Stream.of("sluice", "lmax", "queue")
                                .map(id -> new Entry(id, id, () -> nanos -> 1))
                                .toList())
                .targets(target.toBestOf(FIELD).toArray(Target[]::new))
                .build();
    }

    private static Measurement measured(Map<String, Double> medians, String last) {
        Histogram histogram = Times.histogram();
        Times.record(histogram, 100);
        String detail = Times.write(histogram);
        Measurement measurement = new Measurement(new Band(40, 60));
        for (int round = 0; round < ROUNDS; round++) {
            int number = round;
            medians.forEach((id, median) -> measurement.add(new Measurement.Sample(
                    number,
                    0,
                    id,
                    median,
                    50,
                    50,
                    Figure.LAST_OF_BURST.beside(detail, id.equals(last) ? 3_000 : 1_000))));
        }
        return measurement;
    }

    private static RowResult result(Row row, Measurement measurement) {
        List<Visited> visited = row.entries().stream().map(Visited::shipped).toList();
        return RowResults.of(row, visited, measurement, "17", "cpu", ROUNDS, Published.NONE, List.of());
    }

    private static RowResult at(double sluice, double lmax, double queue) {
        return result(
                row(Target.atMost("sluice", "lmax", 1.05, 0.95)),
                measured(Map.of("sluice", sluice, "lmax", lmax, "queue", queue), ""));
    }

    @Test
    void theBestPeerCountsAndTheSentenceNamesTheOthers() {
        assertThat(at(100, 200, 90).targets()).singleElement().satisfies(target -> {
            assertThat(target.peer()).isEqualTo("queue");
            assertThat(target.verdict()).isEqualTo(Verdict.LOSS);
            assertThat(target.sentence()).contains("a loss (the best of lmax, queue)");
        });
        assertThat(at(100, 98, 200).targets())
                .extracting(TargetResult::peer, TargetResult::verdict)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("lmax", Verdict.HOLDS));
    }

    @Test
    void aPeerThatDoesNotKeepUpIsLeftOut() {
        RowResult one = at(100, 200, 20_001);
        assertThat(one.targets()).singleElement().satisfies(target -> {
            assertThat(target.peer()).isEqualTo("lmax");
            assertThat(target.limit()).isEmpty();
        });
        assertThat(at(10_000, 15_000, 20_000).targets())
                .as("20 us is still kept up")
                .singleElement()
                .satisfies(target -> assertThat(target.limit()).isEqualTo("the best of lmax, queue"));
        Measurement measurement = measured(Map.of("sluice", 100.0, "lmax", 200.0, "queue", 20_001.0), "");
        assertThat(measurement.behind(FIELD, value -> value + " ns"))
                .containsExactly("queue does not keep up: its median is 20001.0 ns, and may be 20000.0 ns at most;"
                        + " no target is set beside it");
    }

    @Test
    void whereNobodyKeepsUpThereIsNothingToHold() {
        RowResult none = at(50, 30_000, 1e6);
        assertThat(none.targets()).singleElement().satisfies(target -> {
            assertThat(target.verdict()).isEqualTo(Verdict.NO_PEER);
            assertThat(target.ratio()).isEqualTo(Spread.NONE);
            assertThat(target.sentence()).isEqualTo("sluice, median: no peer keeps up");
        });
        assertThat(none.holds()).isTrue();
        assertThat(Published.NONE
                        .with("load", none.targets(), "17", "cpu", "2026-11-23")
                        .keys())
                .isEmpty();
    }

    @Test
    void aPeerWithTooFewRoundsLeavesTheTargetUnmeasured() {
        Measurement measurement = measured(Map.of("sluice", 100.0, "lmax", 200.0), "");
        measurement.add(new Measurement.Sample(0, 0, "queue", 500, 50, 50, ""));
        assertThat(result(row(Target.atMost("sluice", "lmax", 1.05, 0.95)), measurement)
                        .targets())
                .extracting(TargetResult::verdict)
                .containsExactly(Verdict.NOT_MEASURED);
    }

    @Test
    void whatStandsBesideTheHistogramHasItsOwnRatioAndItsOwnBestPeer() {
        RowResult row = result(
                row(Target.atMost("sluice", "lmax", 1.05, 0.95).on(Figure.LAST_OF_BURST)),
                measured(Map.of("sluice", 100.0, "lmax", 50.0, "queue", 80.0), "sluice"));
        assertThat(row.targets()).singleElement().satisfies(target -> {
            assertThat(target.ratio().median()).isEqualTo(3);
            assertThat(target.figure()).isEqualTo("p50 of each burst's last");
        });
        assertThat(row.contestants().get(0).further()).singleElement().satisfies(further -> {
            assertThat(further.median()).isEqualTo(3_000);
            assertThat(further.unit()).isEqualTo("ns");
        });
    }

    @Test
    void aFigureThatASampleDoesNotHaveIsNone() {
        assertThat(Figure.FAST_PHASES.of(1, "")).isNaN();
        assertThat(Figure.FAST_PHASES.of(1, "1 2 x last=3.0")).isNaN();
        assertThat(Figure.FAST_PHASES.of(1, "1 2 x last=3.0 fast=4.5")).isEqualTo(4.5);
        assertThatThrownBy(() -> Times.read("1 2")).isInstanceOf(IllegalArgumentException.class);
    }
}
