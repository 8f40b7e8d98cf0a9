package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.report.Spread;
import io.sluice.perf.report.TargetResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PublishedTest {
    private static final List<String> PEERS = List.of("lmax", "jctools-spsc", "agrona-queue");
    private static final String HEAD = "row,contestant,peer,figure,jdk,processor,date,ratio,runs\n";

    /** Each shipped figure is of a target that there is, so that none guards nothing. */
    @Test
    void whatIsShippedGuardsTargetsThatThereAre() {
        List<Row> rows = Stream.of(Row.COMPARE, "ordered", "limiter", "aeron")
                .flatMap(suite -> Rows.suite(suite).stream())
                .toList();
        assertThat(Published.shipped().keys())
                .isNotEmpty()
                .allSatisfy(key -> assertThat(rows).anySatisfy(row -> {
                    assertThat(row.id()).isEqualTo(key.row());
                    assertThat(row.targets())
                            .anyMatch(target -> target.contestant().equals(key.contestant())
                                    && target.peer().equals(key.peer())
                                    && target.figure().toString().equals(key.figure()));
                }));
    }

    /** The medians and fast phases that guard later runs are shown to a reader. Older ones, of other machines, have left the page. */
    @Test
    void eachFigureSinceTheRingsLiveOnStandsInTheTableOfResults() throws IOException {
        Map<String, Set<String>> shown = new HashMap<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "performance.md"))) {
            String[] cells = line.split(" *\\| *", -1);
            if (cells.length == 12) { // work, the four columns of each JDK, the row
                for (int jdk = 0; jdk < 2; jdk++) {
                    for (int peer = 0; peer < PEERS.size(); peer++) {
                        shown.computeIfAbsent(
                                        cells[10] + (jdk == 0 ? " 17 " : " 25 ") + PEERS.get(peer),
                                        any -> new HashSet<>())
                                .add(cells[3 + 4 * jdk + peer].replaceAll(" .*", ""));
                    }
                }
            }
        }
        int compared = 0;
        for (String line : Published.shipped().write().lines().toList()) {
            Matcher figure = Pattern.compile(
                            "([^,]+),sluice(?:-10)?,(lmax|jctools-spsc|agrona-queue)(?:-10)?,(median[^,]*|events[^,]*),(\\d\\d),"
                                    + "\".*\",(?:2026-11-2[4-9]|2026-11-30),(\\d+\\.\\d\\d)0,\\d+")
                    .matcher(line);
            if (figure.matches()) {
                compared++;
                assertThat(shown.getOrDefault(
                                "`" + figure.group(1) + "` " + figure.group(4) + " " + figure.group(2), Set.of()))
                        .as(line)
                        .contains(figure.group(5));
            }
        }
        assertThat(compared).isGreaterThan(20);
    }

    @Test
    void aFigureGuardsItsOwnRowPairJdkAndProcessorOnly() {
        Published published = Published.parse("# a remark\n" + HEAD + "r,a,b,median,17,\"x, y\",2026-11-23,2.000,1\n");
        Target target = Target.atLeast("a", "b", 1, 2);
        assertThat(published.guard("r", target, "OpenJDK 17.0.15+6", "x, y"))
                .isEqualTo(new TargetResult.Guard("2026-11-23", 2, false));
        assertThat(published.guard("r", target, "OpenJDK 25", "x, y")).isEqualTo(TargetResult.Guard.NONE);
        assertThat(published.guard("r", target, "OpenJDK 17", "x")).isEqualTo(TargetResult.Guard.NONE);
        assertThat(published.guard("s", target, "OpenJDK 17", "x, y")).isEqualTo(TargetResult.Guard.NONE);
        assertThat(published.guard("r", Target.atLeast("b", "a", 1, 2), "OpenJDK 17", "x, y"))
                .isEqualTo(TargetResult.Guard.NONE);
        assertThat(Published.feature("a JVM that does not tell")).isZero();
    }

    @Test
    void newFiguresTakeThePlaceOfOlderOnes() {
        Published old = Published.parse(
                HEAD + "r,a,b,median,17,\"x\",2026-11-23,2.000,1\n" + "r,c,b,median,17,\"x\",2026-11-23,3.000,0\n");
        Published now = old.with(
                "r",
                List.of(measured("a", TargetResult.Verdict.MISSED), measured("c", TargetResult.Verdict.NOT_MEASURED)),
                "OpenJDK 17.0.1",
                "x",
                "2026-12-01");
        assertThat(now.write())
                .isEqualTo(HEAD + "r,a,b,median,17,\"x\",2026-12-01,1.500,1\n"
                        + "r,c,b,median,17,\"x\",2026-11-23,3.000,0\n");
        assertThat(Published.parse(now.write()).write()).isEqualTo(now.write());
    }

    /** A reader is told when a figure is the best of several tries. */
    @Test
    void aSecondFigureOfTheSameDayCountsAsAnotherRun() {
        List<TargetResult> missed = List.of(measured("a", TargetResult.Verdict.MISSED));
        Published first = Published.NONE.with("r", missed, "OpenJDK 17", "x", "2026-12-01");
        Published second = first.with("r", missed, "OpenJDK 17", "x", "2026-12-01");
        Published later = second.with("r", missed, "OpenJDK 17", "x", "2026-12-02");
        assertThat(first.write()).endsWith(",2026-12-01,1.500,1\n");
        assertThat(second.write()).endsWith(",2026-12-01,1.500,2\n");
        assertThat(later.write()).endsWith(",2026-12-02,1.500,1\n");
        assertThat(second.guard("r", Target.atLeast("a", "b", 1, 2), "17", "x").words())
                .isEqualTo("1.50 published on 2026-12-01 after 2 runs, to be kept: at least 1.35");
    }

    private static TargetResult measured(String contestant, TargetResult.Verdict verdict) {
        return new TargetResult(
                contestant,
                "b",
                "median",
                1,
                2,
                false,
                new Spread(9, 1, 1, 1.5, 2),
                verdict,
                "",
                TargetResult.Guard.NONE);
    }

    @Test
    void whatIsNoListOfFiguresIsRefused() {
        assertThatThrownBy(() -> Published.parse("a,b\n")).hasMessageContaining("head must be row,contestant");
        assertThatThrownBy(() -> Published.parse(HEAD + "r,a,b,median,x,\"x\",2026-11-23,2.0,1\n"))
                .hasMessageContaining("line must be as row,contestant");
        assertThatThrownBy(() -> Published.parse(HEAD + "r,a,b,median,17,\"x\",2026-11-23,2.0,1\n".repeat(2)))
                .hasMessageContaining("line must be the only one of its key");
    }
}
