package io.sluice.perf.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The JMH gate: no operation of the ring allocates for an event, by JMH's own count in a JVM of its own. Times are not looked
 * at.
 */
@Tag("once")
class AllocationGateTest {
    private static final double MOST_BYTES = 0.01;

    @Test
    void noRingOperationAllocatesAndTheControlDoes() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(RingOperations.class.getName() + "\\..*")
                        .include(AllocatingControl.class.getName() + "\\..*")
                        .addProfiler(GCProfiler.class)
                        .forks(1)
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(250))
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(800))
                        .jvmArgs("-Xmx256m", "-XX:+UseParallelGC")
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();

        Map<String, Double> bytes = new TreeMap<>();
        for (RunResult result : results) {
            String name = result.getParams().getBenchmark().replaceFirst(".*\\.", "");
            String producers = result.getParams().getParamsKeys().isEmpty()
                    ? ""
                    : " " + result.getParams().getParam("producers");
            Result<?> rate = result.getSecondaryResults().get("gc.alloc.rate.norm");
            assertThat(rate)
                    .as(
                            "allocation of %s, among %s",
                            name, result.getSecondaryResults().keySet())
                    .isNotNull();
            bytes.put(name + producers, rate.getScore());
        }

        List<String> expected = new ArrayList<>(List.of("allocate"));
        for (String producers : List.of("SINGLE", "MULTI")) {
            Stream.of("claimPublishConsume", "publishEvent", "claimTen", "abort", "skip")
                    .forEach(name -> expected.add(name + " " + producers));
        }
        assertThat(bytes.keySet()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(bytes.remove("allocate")).as("bytes of the control").isGreaterThanOrEqualTo(8);
        assertThat(bytes)
                .allSatisfy((name, perEvent) -> assertThat(perEvent).as(name).isLessThan(MOST_BYTES));
    }
}
