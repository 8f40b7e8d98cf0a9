package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.Link;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.Spread;
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
        return RowResults.of(row, visited, measurement, "a JVM", 4, List.of("note"));
    }

    @Test
    void onlyRoundsThatAreNearForBothCount() {
        Measurement measurement = new Measurement(new Band(40, 60));
        for (int round = 0; round < 5; round++) {
            measurement.add(new Measurement.Sample(round, "a", 384 + round, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, "b", 128, 50, round == 4 ? 200 : 50, ""));
        }
        measurement.add(new Measurement.Sample(5, "a", 9_000, 200, 200, ""));
        measurement.add(new Measurement.Sample(5, "b", 1, 10, 10, ""));
        RowResult result = result(measurement);
        assertThat(result.contestants().get(0).ratio()).isEqualTo(new Spread(4, 3.005859375, 3.01171875, 3.017578125));
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
    void withoutASampleThereIsNoRatioAndNoTargetIsHeld() {
        RowResult result = result(new Measurement(new Band(40, 60)));
        assertThat(result.contestants()).allSatisfy(one -> {
            assertThat(one.ratio()).isEqualTo(Spread.NONE);
            assertThat(one.nearMedian()).isZero();
        });
        assertThat(result.targets()).noneMatch(target -> target.holds());
        assertThat(result.holds()).as("what was to be measured and was not").isFalse();
        RowResult alone =
                RowResults.of(row, visited.subList(1, 2), new Measurement(new Band(40, 60)), "a JVM", 1, List.of());
        assertThat(alone.holds()).as("nothing was to be measured").isTrue();
    }
}
