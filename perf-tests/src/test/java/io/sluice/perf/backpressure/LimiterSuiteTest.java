package io.sluice.perf.backpressure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Rows;
import io.sluice.perf.compare.Target;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every contestant of {@code ./sluice bench limiter} runs; what they measure is not looked at. */
@Tag("once")
class LimiterSuiteTest {
    @Test
    void everyContestantTakesPermits() throws Exception {
        List<Row> rows = Rows.suite(LimiterSuite.NAME);
        assertThat(rows).extracting(Row::id).containsExactly("limiter-1", "limiter-2", "limiter-free");
        for (Row row : rows) {
            for (Entry entry : row.entries()) {
                double figure = entry.maker().make().sample(TimeUnit.MILLISECONDS.toNanos(5));
                assertThat(figure).as(row.id() + " " + entry.id()).isPositive().isFinite();
            }
            List<String> ids = row.entries().stream().map(Entry::id).toList();
            assertThat(ids).contains(row.reference()).doesNotHaveDuplicates();
            for (Target target : row.targets()) {
                assertThat(ids).contains(target.contestant(), target.peer());
            }
        }
    }

    @Test
    void theyAreNoPartOfTheOtherSuite() {
        assertThat(Rows.all()).extracting(Row::suite).containsOnly(Row.COMPARE);
        assertThat(Rows.all()).isNotEmpty();
    }

    @Test
    void aLimiterThatRefusesIsNoContestant() {
        assertThatThrownBy(() -> new AcquireLoop(permits -> false, 1).sample(1)).hasMessageContaining("refused");
        assertThatThrownBy(() -> new AcquireLoop(permits -> false, 2).sample(1))
                .hasRootCauseMessage("refused, though there must be enough permits");
    }

    /** With limiters that count by a clock of the test: the error is found. */
    @Test
    void theErrorOfARateIsFound() {
        long begin = System.nanoTime();
        long[] taken = {0};
        Acquire tenth = permits -> {
            if ((System.nanoTime() - begin) / 10_000 < taken[0] + permits) {
                return false;
            }
            taken[0] += permits;
            return true;
        };
        assertThat(LimiterSuite.granted(tenth, 1, TimeUnit.MILLISECONDS.toNanos(200)))
                .isBetween(1.0, 101_000.0);
    }

    @Test
    void theTableNamesEveryLimiterAndRate() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        LimiterSuite.rateErrors(new PrintStream(bytes, true, StandardCharsets.UTF_8), 1_000_000);
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("1000/s", "50000000/s", "worst", "Sluice is ")
                .contains("sluice-multi", "guava", "resilience", "bucket");
    }
}
