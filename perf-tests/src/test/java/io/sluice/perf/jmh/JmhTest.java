package io.sluice.perf.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

class JmhTest {
    @Test
    void whatIsNotGivenHasADefaultAndWhatIsGivenStays() throws Exception {
        Options none = Jmh.options(new CommandLineOptions());
        assertThat(none.getProfilers())
                .singleElement()
                .satisfies(one -> assertThat(one.getKlass()).isEqualTo(GCProfiler.class.getCanonicalName()));
        assertThat(none.getForkCount().get()).isEqualTo(1);
        assertThat(none.getIncludes()).containsExactly("io\\.sluice\\.");
        Options some =
                Jmh.options(new CommandLineOptions("-f", "3", "-prof", "stack", "-i", "7", "-r", "2s", "barrierRead"));
        assertThat(some.getForkCount().get()).isEqualTo(3);
        assertThat(some.getMeasurementIterations().get()).isEqualTo(7);
        assertThat(some.getMeasurementTime().get()).isEqualTo(TimeValue.seconds(2));
        assertThat(some.getProfilers())
                .singleElement()
                .satisfies(one -> assertThat(one.getKlass()).isEqualTo("stack"));
        assertThat(some.getIncludes()).containsExactly("barrierRead");
    }

    @Test
    void badArgumentsAreSaid() {
        assertThatThrownBy(() -> new Jmh().run(List.of("--no-such-option")))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("no-such-option");
    }

    /** Without forks, so that it takes a moment only. */
    @Test
    void whatIsMeasuredWithBothBuffersHasItsRatio() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(BufferAccess.class.getName() + "\\.getInt$")
                        .param("memory", "DIRECT")
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(50))
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Jmh.ratios(results, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .matches("getInt DIRECT +sluice +[0-9.]+ ns, agrona +[0-9.]+ ns: [0-9.]+ times as fast, (held|missed)");
    }

    @Test
    void aRatioOfNineTenthsIsHeldAndLessIsMissed() {
        assertThat(Jmh.judged(0.9)).isEqualTo("held");
        assertThat(Jmh.judged(1.7)).isEqualTo("held");
        assertThat(Jmh.judged(0.899)).isEqualTo("missed");
    }

    /** Without forks, so that it takes a moment only: the verdict sees the control that allocates. */
    @Test
    void theVerdictCountsWhoAllocates() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(AllocatingControl.class.getName())
                        .addProfiler(GCProfiler.class)
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(50))
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int status = Jmh.verdict(results, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(status).isEqualTo(Verb.CHECK_FAILED);
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .contains("AllocatingControl.allocate must allocate less than 0.01 bytes an operation, but allocated")
                .endsWith("0 passed, 1 failed, 0 skipped" + System.lineSeparator());
    }
}
