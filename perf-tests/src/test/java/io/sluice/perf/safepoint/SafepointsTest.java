package io.sluice.perf.safepoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SafepointsTest {
    private static final String ON_17 =
            "Safepoint \"ThreadDump\", Time since last: 1001234 ns, Reaching safepoint: NANOS ns,"
                    + " Cleanup: 1200 ns, At safepoint: 45678 ns, Total: 57000 ns";
    private static final String ON_25 = "Safepoint \"ThreadDump\", Time since last:    1001234 ns, Reaching safepoint:"
            + "      NANOS ns, At safepoint:      45678 ns, Leaving safepoint:       9000 ns, Total:      57000 ns, Threads:"
            + "        1 runnable,       12 total";

    @ParameterizedTest
    @CsvSource({"17", "25"})
    void theTimesAreReadFromTheLogAndOthersAreLeftOut(int jdk) {
        List<String> lines = new ArrayList<>();
        for (int i = 100; i >= 1; i--) {
            lines.add((jdk == 17 ? ON_17 : ON_25).replace("NANOS", Integer.toString(i * 10)));
            lines.add("Safepoint \"Cleanup\", Time since last: 5 ns, Reaching safepoint: 9999999 ns, Total: 1 ns");
        }
        SafepointTimes times = SafepointTimes.of(lines, 100);
        assertThat(times.count()).isEqualTo(100);
        assertThat(times.at(50)).isEqualTo(500);
        assertThat(times.at(99)).isEqualTo(990);
        assertThat(times.at(100)).isEqualTo(1_000);
        assertThatThrownBy(() -> SafepointTimes.of(lines, 101))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("100 safepoints")
                .hasMessageContaining("asked for were 101");
    }

    @ParameterizedTest
    @CsvSource({
        "--slots, 3, but was '3'",
        "--slots, 0, but was '0'",
        "--slots, 8388608, but was '8388608'",
        "--asks, 9, but was '9'",
        "--asks, many, but was 'many'",
        "--jdk, nowhere, no bin/java",
        "--fast, 1, but one was '--fast'"
    })
    void badArgumentsAreSaid(String option, String value, String said) {
        assertThatThrownBy(() -> new Safepoints().run(List.of(option, value)))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(said)
                .hasMessageContaining("must");
        assertThatThrownBy(() -> new Safepoints().run(List.of(option))).isInstanceOf(UsageException.class);
    }

    @Test
    void whatIsNotGivenHasADefault() throws Exception {
        Safepoints.Options none = Safepoints.Options.parse(List.of());
        assertThat(none.slots()).isEqualTo(65_536);
        assertThat(none.asks()).isEqualTo(1_000);
        assertThat(none.jdks()).containsExactly(Path.of(System.getProperty("java.home")));
        Safepoints.Options some = Safepoints.Options.parse(List.of("--slots", "1024", "--asks", "20"));
        assertThat(some.slots()).isEqualTo(1_024);
        assertThat(some.asks()).isEqualTo(20);
    }

    /** A short run of each kind, for what is counted; how long it took is nobody's business here. */
    @ParameterizedTest
    @EnumSource(Work.class)
    @Tag("once")
    @Timeout(120)
    void eachKindOfWorkIsStoppedAsOftenAsAsked(Work work) throws Exception {
        SafepointTimes times = Safepoints.times(
                Path.of(System.getProperty("java.home")), "G1", work, 1_024, 10, 50, new AtomicReference<>());
        assertThat(times.count()).isEqualTo(10);
        assertThat(times.at(100)).isPositive();
    }
}
