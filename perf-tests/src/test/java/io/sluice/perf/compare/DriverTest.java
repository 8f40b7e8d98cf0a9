package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DriverTest {

    /** Three contestants; the reference is no part of the target. */
    private final Row row = Row.of(Row.COMPARE, "three", "events/s", "three contestants")
            .contestants(
                    "r",
                    () -> Stream.of("a", "b", "r")
                            .map(id -> new Entry(id, id, () -> nanos -> 1))
                            .toList())
            .targets(Target.atLeast("a", "b", 2, 3))
            .topology("x->y")
            .build();

    private final Measurement measurement = new Measurement(new Band(40, 60));

    private void sample(int round, String id, boolean near) {
        measurement.add(new Measurement.Sample(round, 0, id, 1, 50, near ? 50 : 200, ""));
    }

    private List<Visited> visited(String... ids) {
        return row.entries().stream()
                .filter(entry -> List.of(ids).contains(entry.id()))
                .map(Visited::shipped)
                .toList();
    }

    /** With the reference each has two near rounds; with each other they have one. */
    @Test
    void thePairOfATargetMustBeNearTogether() {
        for (int round = 0; round < 3; round++) {
            sample(round, "r", true);
            sample(round, "a", round != 1);
            sample(round, "b", round != 2);
        }
        assertThat(Driver.nearRounds(visited("a", "r"), row, measurement)).isEqualTo(2);
        assertThat(Driver.nearRounds(visited("b", "r"), row, measurement)).isEqualTo(2);
        assertThat(Driver.nearRounds(visited("a", "b", "r"), row, measurement)).isEqualTo(1);
    }

    @Test
    void aTargetOfWhomIsNotThereDoesNotCount() {
        sample(0, "r", true);
        sample(0, "a", true);
        assertThat(Driver.nearRounds(visited("a", "r"), row, measurement)).isEqualTo(1);
        assertThat(Driver.nearRounds(visited("a", "b", "r"), row, measurement)).isZero();
    }
}
