package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.report.TargetResult.Verdict;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static final Spread AHEAD = new Spread(30, 10, 1.2, 1.5, 1.7);
    private static final Spread LEVEL = new Spread(30, 10, 0.9, 1.02, 1.1);
    private static final Spread BEHIND = new Spread(30, 10, 0.8, 0.9, 0.95);

    private static TargetResult target(String peer, boolean atMost, Spread ratio, Verdict verdict) {
        return new TargetResult("sluice", peer, "median", 1, 2, atMost, ratio, verdict, "", TargetResult.Guard.NONE);
    }

    private static RowResult row(String id, String jvm, TargetResult... targets) {
        List<ContestantResult> contestants = Stream.of("sluice", "lmax", "queue", "raw")
                .map(one -> new ContestantResult(
                        one, one.equals("lmax") ? "LMAX" : one, Samples.role(one), AHEAD, 1, 50, Map.of()))
                .toList();
        boolean times = targets.length > 0 && targets[0].atMost();
        return new RowResult(
                id, "", "ns", times, jvm, "lmax", List.of(), contestants, List.of(targets), List.of(), List.of());
    }

    @Test
    void rowsAreCountedByTheWorstOfTheirTargetsWithAPeer() {
        String summary = Summary.of(List.of(
                row(
                        "a",
                        "17",
                        target("lmax", false, AHEAD, Verdict.HOLDS),
                        target("raw", false, BEHIND, Verdict.MISSED)),
                row(
                        "b",
                        "17",
                        target("lmax", false, AHEAD, Verdict.HOLDS),
                        target("queue", false, LEVEL, Verdict.HOLDS)),
                row("c", "17", target("lmax", false, BEHIND, Verdict.LOSS)),
                row("d", "17", target("raw", false, BEHIND, Verdict.MISSED)),
                row("e", "17", target("lmax", false, Spread.NONE, Verdict.NOT_MEASURED))));
        assertThat(summary)
                .isEqualTo(
                        "Of 3 rows with a peer Sluice is ahead in 1, level in 1, behind in 1; the worst is c at 0.90 of"
                                + " LMAX. 2 more have no peer in a target, or too few near rounds. Targets: 3 held, 2 missed,"
                                + " 1 lost, 1 not measured.");
    }

    @Test
    void ofTimesLessIsBetter() {
        assertThat(Summary.of(List.of(
                        row("t", "17", target("lmax", true, AHEAD, Verdict.LOSS)),
                        row("t", "25", target("lmax", true, BEHIND, Verdict.HOLDS)))))
                .isEqualTo(
                        "Of 2 rows with a peer Sluice is ahead in 1, level in 0, behind in 1; the worst is t on 17 at 1.50 of"
                                + " LMAX, a time. Targets: 1 held, 1 lost.");
    }

    @Test
    void withoutAPeerItSaysSo() {
        assertThat(Summary.of(List.of())).startsWith("No row sets Sluice beside a peer");
    }
}
