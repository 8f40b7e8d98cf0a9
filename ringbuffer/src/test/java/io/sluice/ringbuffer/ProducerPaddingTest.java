package io.sluice.ringbuffer;

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

/** A producer's hot fields are at least 128 bytes from its neighbours in the heap and from what other threads write. */
@Tag("once")
class ProducerPaddingTest {
    private static final int DISTANCE = 128;
    private static final Set<String> SHARED = Set.of("owner", "closed");

    @Test
    void theHotFieldsStandAlone() {
        assertThat(problems()).isEmpty();
    }

    @Test
    void aClassWithoutPaddingIsFound() {
        assertThat(problemsWith(StampBarrier.class, Set.of("seen"))).isNotEmpty();
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
                        ProducerPaddingTest.class.getName())
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
        List<String> problems =
                problemsWith(SingleProducer.class, Set.of("claimed", "known", "limit", "rangeFrom", "rangeTo"));
        problems.addAll(problemsWith(MultiProducer.class, Set.of("limit", "from", "to", "open")));
        return problems;
    }

    private static List<String> problemsWith(Class<?> type, Set<String> hot) {
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
                if (SHARED.contains(other.name()) && Math.abs(other.offset() - field.offset()) < DISTANCE) {
                    problems.add(type.getSimpleName() + "." + field.name() + " beside " + other.name());
                }
            }
        }
        if (found != hot.size()) {
            problems.add("only " + found + " of " + hot + " in " + type);
        }
        return problems;
    }
}
