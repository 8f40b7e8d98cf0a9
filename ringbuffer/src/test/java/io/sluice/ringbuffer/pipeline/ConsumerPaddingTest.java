package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

/** What a consumer writes in each batch is at least 128 bytes from its neighbours in the heap, and from what producers read that wait for room. */
@Tag("once")
class ConsumerPaddingTest {
    private static final int DISTANCE = 128;
    private static final Set<String> HOT = Set.of("inHandler", "inHand", "marked", "batchEnd", "minAsk");
    private static final Set<String> SHARED = Set.of("runner", "ended", "control", "left", "sequence");

    @Test
    void whatABatchWritesStandsAlone() {
        assertThat(problems()).isEmpty();
    }

    @Test
    void whatABatchWritesStandsAloneUnderCompactHeaders() throws Exception {
        Assumptions.assumeTrue(Runtime.version().feature() >= 25, "compact object headers need JDK 25");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseCompactObjectHeaders",
                        "-XX:+EnableDynamicAgentLoading",
                        "-Djol.magicFieldOffset=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ConsumerPaddingTest.class.getName())
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
                "header " + ClassLayout.parseClass(ConsumerNode.class).headerSize() + " bytes, problems " + problems);
        System.exit(problems.isEmpty() ? 0 : 1);
    }

    private static List<String> problems() {
        ClassLayout layout = ClassLayout.parseClass(ConsumerNode.class);
        List<String> problems = new ArrayList<>();
        List<FieldLayout> hot = layout.fields().stream()
                .filter(field -> HOT.contains(field.name()))
                .toList();
        List<FieldLayout> shared = layout.fields().stream()
                .filter(field -> SHARED.contains(field.name()))
                .toList();
        if (hot.size() != HOT.size() || shared.size() != SHARED.size()) {
            problems.add("only " + hot + " and " + shared);
        }
        for (FieldLayout field : hot) {
            if (field.offset() < DISTANCE) {
                problems.add(field.name() + " at " + field.offset());
            }
            if (layout.instanceSize() - field.offset() - field.size() < DISTANCE) {
                problems.add(field.name() + " has too little behind");
            }
            for (FieldLayout other : shared) {
                if (Math.abs(other.offset() - field.offset()) < DISTANCE) {
                    problems.add(field.name() + " beside " + other.name());
                }
            }
        }
        return problems;
    }
}
