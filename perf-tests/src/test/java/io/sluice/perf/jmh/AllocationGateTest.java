package io.sluice.perf.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The JMH gate: no operation of the ring allocates for an event, and no access to a buffer for itself, by JMH's own count in a JVM of its own. Times are not looked
 * at.
 */
@Tag("once")
class AllocationGateTest {
    private static final double MOST_BYTES = 0.01;
    private static final int MEASURE_MILLIS = 300;

    /** Of the accesses to a buffer, those that differ in how they come to the memory. */
    private static final List<String> BUFFER = List.of("getLong", "message", "compareAndSetLong");

    @Test
    void noRingOperationAllocatesAndTheControlDoes() throws Exception {
        List<String> expected = new ArrayList<>(
                List.of("allocate", "encodeArrays", "encodeOnHeap", "encodeRecord", "readFields", "writeRow"));
        for (String producers : List.of("SINGLE", "MULTI")) {
            Stream.of(
                            "claimPublishConsume",
                            "publishEvent",
                            "claimTen",
                            "abort",
                            "skip",
                            "claimAndPublish",
                            "claimOneAndPublish",
                            "claimAndPublishOne",
                            "publishTwoLongs",
                            "claimRefused",
                            "publishAndPoll",
                            "pollEmpty",
                            "barrierRead")
                    .forEach(name -> expected.add(name + " " + producers));
        }
        for (String library : List.of("agrona", "sluice")) {
            BUFFER.forEach(name -> expected.add(name + " " + library));
        }
        Map<String, Double> bytes = measure(".*", MEASURE_MILLIS);
        assertThat(bytes.keySet()).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(bytes.remove("allocate")).as("bytes of the control").isGreaterThanOrEqualTo(8);

        // JMH itself allocates some kilobytes an iteration, whatever its length. That shows where a busy machine ran
        // few operations. So what is above the bound is measured again for longer, by which what an operation
        // allocates does not become less.
        for (int millis = 4 * MEASURE_MILLIS; millis <= 16 * MEASURE_MILLIS; millis *= 4) {
            List<String> above = bytes.entrySet().stream()
                    .filter(one -> one.getValue() >= MOST_BYTES)
                    .map(one -> one.getKey().replaceFirst(" .*", ""))
                    .distinct()
                    .toList();
            if (above.isEmpty()) {
                break;
            }
            bytes.putAll(measure("(" + String.join("|", above) + ")$", millis));
        }
        bytes.remove("allocate");
        assertThat(bytes)
                .allSatisfy((name, perEvent) -> assertThat(perEvent).as(name).isLessThan(MOST_BYTES));
    }

    /** Bytes an operation, by the benchmark's name and its kind of producer. */
    private static Map<String, Double> measure(String names, int millis) throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .include(RingOperations.class.getName() + "\\." + names)
                        .include(SingleCalls.class.getName() + "\\." + names)
                        .include(RecordCalls.class.getName() + "\\." + names)
                        .include(AllocatingControl.class.getName() + "\\." + names)
                        .include(BufferAccess.class.getName() + "\\.(" + String.join("|", BUFFER) + ")$")
                        .param("memory", "DIRECT")
                        .addProfiler(GCProfiler.class)
                        .forks(1)
                        .warmupIterations(1)
                        .warmupTime(TimeValue.milliseconds(250))
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(millis))
                        .jvmArgs("-Xmx256m", "-XX:+UseParallelGC")
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        Map<String, Double> bytes = new TreeMap<>();
        for (RunResult result : results) {
            String name = result.getParams().getBenchmark().replaceFirst(".*\\.", "");
            String variant = result.getParams().getParamsKeys().stream()
                    .filter(key -> !key.equals("memory"))
                    .map(key -> " " + result.getParams().getParam(key))
                    .collect(Collectors.joining());
            Result<?> rate = result.getSecondaryResults().get("gc.alloc.rate.norm");
            assertThat(rate)
                    .as(
                            "allocation of %s, among %s",
                            name, result.getSecondaryResults().keySet())
                    .isNotNull();
            bytes.put(name + variant, rate.getScore());
        }
        return bytes;
    }
}
