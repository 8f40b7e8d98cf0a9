package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.rows.PerftestRows;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** The shapes of LMAX's own tests move their events, and what is printed of them. */
@Tag("concurrency")
@Timeout(120)
class AlternationTest {
    @TestFactory
    Stream<DynamicTest> everyShapeMovesItsEvents() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Row row : new PerftestRows().rows()) {
            assertThat(row.entries()).extracting(Entry::id).containsExactly("lmax", "sluice");
            for (Entry entry : row.entries()) {
                tests.add(DynamicTest.dynamicTest(row.id() + " " + entry.id(), () -> {
                    System.setProperty("sluice.perftest.events", "30000");
                    try {
                        Contestant contestant = entry.maker().make();
                        assertThat(contestant.warmUps()).isZero();
                        assertThat(contestant.sample(0)).isPositive();
                        assertThat(contestant.sample(0)).isPositive();
                    } finally {
                        System.clearProperty("sluice.perftest.events");
                    }
                }));
            }
        }
        return tests.stream();
    }

    @Test
    void eachRunIsSetBesideTheOneBeforeIt() {
        assertThat(Alternation.ratios(List.of(2.0, 1.5, 4.0)))
                .isEqualTo("  Sluice to LMAX, run by run: 2.00 1.50 4.00; median 2.00");
        assertThat(Alternation.ratios(List.of())).isEqualTo("  no run ended");
    }
}
