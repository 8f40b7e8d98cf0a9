package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class MainTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** A verb that does what the test says. */
    private interface Body {
        int run(List<String> arguments) throws Exception;
    }

    private int run(Body body, String... arguments) {
        Verb verb = new Verb() {
            @Override
            public String name() {
                return "try";
            }

            @Override
            public String summary() {
                return "for tests";
            }

            @Override
            public String usage() {
                return "usage: ./sluice try [--what W] [--empty E] [--flag FLAG] [--slow]\n";
            }

            @Override
            public int run(List<String> rest) throws Exception {
                return body.run(rest);
            }
        };
        return Main.run(List.of(arguments), List.of(verb), stream(out), stream(err));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void handsTheRestOfTheArgumentsToTheVerbAndReturnsItsStatus() {
        List<String> seen = new ArrayList<>();
        int status = run(
                rest -> {
                    seen.addAll(rest);
                    return Verb.CHECK_FAILED;
                },
                "try",
                "a b",
                "");
        assertThat(status).isEqualTo(1);
        assertThat(seen).containsExactly("a b", "");
        assertThat(err()).isEmpty();
    }

    @Test
    void anOptionMayHaveItsValueBehindAnEqualsSign() {
        List<String> seen = new ArrayList<>();
        int status = run(
                rest -> {
                    seen.addAll(rest);
                    return Verb.DONE;
                },
                "try",
                "--what=a=b",
                "--empty=",
                "--flag",
                "--what-else=c",
                "--other=d",
                "x=y");
        assertThat(status).isZero();
        assertThat(seen)
                .as("options that the usage does not name stay as they are: one may be the value of another")
                .containsExactly("--what", "a=b", "--empty", "", "--flag", "--what-else=c", "--other=d", "x=y");
    }

    @Test
    void aFlagWithAValueIsRefused() {
        int status = run(rest -> Verb.DONE, "try", "--slow=yes");
        assertThat(status).isEqualTo(2);
        assertThat(err()).isEqualTo("sluice try: --slow must have no value, but has 'yes'" + System.lineSeparator());
    }

    @Test
    void badInputIsOneLineAndStatusTwo() {
        int status = run(
                rest -> {
                    throw new UsageException("FILE is a folder,\nallowed is a file");
                },
                "try");
        assertThat(status).isEqualTo(2);
        assertThat(err()).isEqualTo("sluice try: FILE is a folder, allowed is a file" + System.lineSeparator());
    }

    @Test
    void aFaultIsShownWithItsStackTraceAndStatusSeventy() {
        int status = run(
                rest -> {
                    throw new StackOverflowError("deep");
                },
                "try");
        assertThat(status).isEqualTo(70);
        assertThat(err()).contains("StackOverflowError: deep").contains("\tat ");
    }

    @Test
    void helpPrintsTheUsageWithoutRunningTheVerb() {
        int status = run(
                rest -> {
                    throw new AssertionError("ran");
                },
                "try",
                "x",
                "--help");
        assertThat(status).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(
                        "usage: ./sluice try [--what W] [--empty E] [--flag FLAG] [--slow]" + System.lineSeparator());
    }

    @Test
    void unknownVerbAndNoVerbAreBadInput() {
        assertThat(run(rest -> 0, "other")).isEqualTo(2);
        assertThat(err()).isEqualTo("sluice: unknown verb 'other'; ./sluice lists the verbs" + System.lineSeparator());
        assertThat(run(rest -> 0)).isEqualTo(2);
    }

    /** The launcher lists verbs by the comments of the services file, so they must say what the verbs say. */
    @Test
    void commentsOfTheServicesFileSayWhatTheVerbsSay() {
        String services = "src/main/resources/META-INF/services/io.sluice.cli.Verb";
        Path file = Repository.root().resolve("examples").resolve(services);
        List<String> expected = new ArrayList<>();
        for (Verb verb : ServiceLoader.load(Verb.class)) {
            assertThat(verb.name()).matches("[a-z]+");
            assertThat(verb.summary()).doesNotContain("\n").isNotBlank();
            assertThat(verb.usage()).startsWith("usage: ./sluice " + verb.name());
            if (verb.getClass().getPackageName().startsWith("io.sluice")) {
                String mark = verb.isForDevelopers() ? " ## " : " # ";
                expected.add(verb.getClass().getName() + mark + verb.name() + ": " + verb.summary());
            }
        }
        assertThat(Repository.read(file).lines().filter(line -> !line.isBlank() && !line.startsWith("#")))
                .containsExactlyInAnyOrderElementsOf(expected)
                .isNotEmpty();
    }
}
