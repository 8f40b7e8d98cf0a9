package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

/** The value of a sequence, and what a publisher reads of a group, is at least 128 bytes from whatever the JVM may put beside it. */
class PaddingTest {
    private static final int DISTANCE = 128;

    @Test
    void theValueStandsAlone() {
        assertThat(problemsWith(Sequence.class, "value")).isEmpty();
    }

    @Test
    void whatPublishersReadOfAGroupStandsAlone() {
        assertThat(problemsOfGroups()).isEmpty();
    }

    @Test
    void aClassWithoutPaddingIsFound() {
        assertThat(problemsWith(Unpadded.class, "value")).isNotEmpty();
    }

    @Test
    @Tag("once")
    void theValueStandsAloneUnderCompactHeaders() throws Exception {
        Assumptions.assumeTrue(Runtime.version().feature() >= 25, "compact object headers need JDK 25");
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseCompactObjectHeaders",
                        "-XX:+EnableDynamicAgentLoading",
                        "-Djol.magicFieldOffset=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PaddingTest.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(child.exitValue()).as(output).isZero();
        assertThat(output).contains("header 8 bytes, problems []");
    }

    /** Entry point of the child. */
    public static void main(String[] arguments) {
        List<String> problems = new ArrayList<>(problemsWith(Sequence.class, "value"));
        problems.addAll(problemsOfGroups());
        System.out.println(
                "header " + ClassLayout.parseClass(Sequence.class).headerSize() + " bytes, problems " + problems);
        System.exit(problems.isEmpty() ? 0 : 1);
    }

    private static List<String> problemsOfGroups() {
        return Stream.of("waiting", "members")
                .flatMap(field -> problemsWith(SignalGroup.class, field).stream())
                .toList();
    }

    private static List<String> problemsWith(Class<?> type, String fieldName) {
        ClassLayout layout = ClassLayout.parseClass(type);
        FieldLayout field = layout.fields().stream()
                .filter(f -> f.name().equals(fieldName))
                .findFirst()
                .orElseThrow();
        List<String> problems = new ArrayList<>();
        if (field.offset() < DISTANCE) {
            problems.add("offset " + field.offset());
        }
        if (layout.instanceSize() - field.offset() - field.size() < DISTANCE) {
            problems.add("only " + (layout.instanceSize() - field.offset() - field.size()) + " bytes behind");
        }
        return problems;
    }

    @SuppressWarnings("unused")
    private static final class Unpadded {
        private long before;
        private long value;
        private long after;
    }
}
