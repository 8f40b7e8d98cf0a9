package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

/** The hot fields of producers and consumers are at least 128 bytes from their neighbours in the heap and from what other threads write or read. */
@Tag("once")
class RingPaddingTest {
    private static final int DISTANCE = 128;
    private static final Set<String> OF_PRODUCERS = Set.of("owner", "closed");
    private static final Set<String> OF_CONSUMERS = Set.of("runner", "ended", "control", "left", "sequence");

    @Test
    void theHotFieldsStandAlone() {
        assertThat(problems()).isEmpty();
    }

    @Test
    void aClassWithoutPaddingIsFound() {
        assertThat(problemsWith(StampBarrier.class, Set.of("seen"), Set.of())).isNotEmpty();
    }

    @Test
    void theHotFieldsStandAloneUnderCompactHeaders() throws Exception {
        Assumptions.assumeTrue(Runtime.version().feature() >= 25, "compact object headers need JDK 25");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseCompactObjectHeaders",
                        "-XX:+EnableDynamicAgentLoading",
                        "-Djol.magicFieldOffset=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RingPaddingTest.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isZero();
        assertThat(output).contains("header 8 bytes, problems []");
    }

    /** Entry point of the child. */
    public static void main(String[] arguments) {
        List<String> problems = problems();
        System.out.println(
                "header " + ClassLayout.parseClass(SingleProducer.class).headerSize() + " bytes, problems " + problems);
        System.exit(problems.isEmpty() ? 0 : 1);
    }

    private static List<String> problems() {
        List<String> problems = problemsWith(
                SingleProducer.class, Set.of("claimed", "known", "limit", "rangeFrom", "rangeTo"), OF_PRODUCERS);
        problems.addAll(problemsWith(MultiProducer.class, Set.of("limit", "from", "to", "open"), OF_PRODUCERS));
        problems.addAll(
                problemsWith(consumer(), Set.of("inHandler", "inHand", "marked", "batchEnd", "minAsk"), OF_CONSUMERS));
        return problems;
    }

    /** Of another package, which does not show it. */
    private static Class<?> consumer() {
        try {
            return Class.forName("io.sluice.ringbuffer.pipeline.ConsumerNode");
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static List<String> problemsWith(Class<?> type, Set<String> hot, Set<String> shared) {
        ClassLayout layout = ClassLayout.parseClass(type);
        List<String> problems = new ArrayList<>();
        int found = 0;
        for (FieldLayout field : layout.fields()) {
            if (!hot.contains(field.name())) {
                continue;
            }
            found++;
            if (field.offset() < DISTANCE) {
                problems.add(type.getSimpleName() + "." + field.name() + " at " + field.offset());
            }
            long behind = layout.instanceSize() - field.offset() - field.size();
            if (behind < DISTANCE) {
                problems.add(type.getSimpleName() + "." + field.name() + " has only " + behind + " bytes behind");
            }
            for (FieldLayout other : layout.fields()) {
                if (shared.contains(other.name()) && Math.abs(other.offset() - field.offset()) < DISTANCE) {
                    problems.add(type.getSimpleName() + "." + field.name() + " beside " + other.name());
                }
            }
        }
        if (found != hot.size()) {
            problems.add("only " + found + " of " + hot + " in " + type);
        }
        Set<String> missing = new HashSet<>(shared);
        layout.fields().forEach(field -> missing.remove(field.name()));
        if (!missing.isEmpty()) {
            problems.add(missing + " not in " + type);
        }
        return problems;
    }
}
