package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the documentation says, compiles, runs and leads somewhere. */
@Tag("once")
@Tag("any-jdk")
class DocsTest {
    private static final int FIRST_PROGRAM_LINES = 30;

    @TempDir
    Path temporary;

    /** Every Java block of README.md and docs/ compiles without a warning and, if it can run, runs. */
    @TestFactory
    Stream<DynamicTest> snippetsCompileAndRun() {
        List<DynamicTest> tests = new ArrayList<>();
        for (Markdown markdown : markdownFiles()) {
            Path name = Repository.root().relativize(markdown.file());
            if (!name.equals(Path.of("README.md")) && !name.startsWith("docs")) {
                continue;
            }
            for (int i = 0; i < markdown.blocks().size(); i++) {
                Markdown.Block block = markdown.blocks().get(i);
                if (block.language().equals("java")) {
                    Markdown.@Nullable Block output = output(markdown, i);
                    Path folder = temporary.resolve(Integer.toString(tests.size()));
                    tests.add(DynamicTest.dynamicTest(
                            name + " line " + block.line(), () -> compileAndRun(block, output, folder)));
                }
            }
        }
        return tests.stream();
    }

    /** Returns the block that shows what block i prints, marked by the comment "output", or null. */
    private static Markdown.@Nullable Block output(Markdown markdown, int i) {
        if (i + 1 < markdown.blocks().size()
                && markdown.blocks().get(i + 1).comments().contains("output")) {
            return markdown.blocks().get(i + 1);
        }
        return null;
    }

    private static void compileAndRun(Markdown.Block block, Markdown.@Nullable Block output, Path folder)
            throws Exception {
        Snippet snippet = Snippet.of(block);
        assertThat(snippet.compile(folder)).as("the compiler's words").isEmpty();
        if (snippet.runs()) {
            Snippet.Ended ended = snippet.run(folder);
            assertThat(ended.err()).isEmpty();
            assertThat(ended.status()).isZero();
            if (output != null) {
                assertThat(ended.out()).isEqualTo(output.text());
            }
        } else {
            assertThat(output).as("output of what does not run").isNull();
        }
    }

    @Test
    void linksAndAnchorsLeadSomewhere() {
        List<Markdown> all = markdownFiles();
        assertThat(all).extracting(Markdown::file).contains(Repository.root().resolve("README.md"));
        assertThat(faults(all)).isEmpty();
    }

    /** A row of docs/notes/ten-questions.md: the question, where the answer is, and the hops. */
    private static final Pattern A_QUESTION =
            Pattern.compile("(?m)^\\| ([^|]+\\?) \\| \\[[^]]+\\]\\(\\.\\./([^)]+)\\) \\| [^|]+ \\| (\\d+) \\|$");

    /** That the sections exist is checked with all other links. */
    @Test
    void theIndexAnswersTenQuestionsOfANewUser() {
        Path docs = Repository.root().resolve("docs");
        List<String> index = Repository.read(docs.resolve("README.md")).lines().toList();
        List<MatchResult> questions = A_QUESTION
                .matcher(Repository.read(docs.resolve("notes/ten-questions.md")))
                .results()
                .toList();
        assertThat(questions).hasSize(10).allSatisfy(question -> {
            assertThat(index)
                    .filteredOn(line -> line.startsWith("| " + question.group(1) + " |"))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("](" + question.group(2) + ")"));
            assertThat(Integer.parseInt(question.group(3))).isLessThanOrEqualTo(2);
        });
    }

    @Test
    void theReadmesFirstProgramIsShort() {
        List<Markdown.Block> programs = markdown(Repository.root().resolve("README.md")).blocks().stream()
                .filter(block -> block.language().equals("java"))
                .limit(1)
                .toList();
        assertThat(programs)
                .allSatisfy(
                        program -> assertThat(program.text().lines()).hasSizeLessThanOrEqualTo(FIRST_PROGRAM_LINES));
    }

    /** {@code .ci/run} takes its commands from the README, so that what is tested is what is written. */
    @ParameterizedTest
    @ValueSource(strings = {"main", "test"})
    void theReadmeNamesTheCommand(String command) {
        assertThat(markdown(Repository.root().resolve("README.md")).blocks().stream()
                        .filter(block -> block.comments().contains("command: " + command)))
                .hasSize(1)
                .allSatisfy(block -> assertThat(block.language()).isEqualTo("sh"))
                .allSatisfy(block -> assertThat(block.text().lines()).hasSize(1));
    }

    // ---- the checker itself

    @Nested
    class Checker {
        @Test
        void findsLinksThatLeadNowhere() throws Exception {
            Files.createDirectories(temporary.resolve("docs"));
            Files.writeString(temporary.resolve("Code.java"), "class Code {}\n");
            Markdown good = new Markdown(temporary.resolve("docs/good.md"), """
                    # A title, with `code` & more
                    ## Twice
                    ## Twice
                    <a id="by-hand"></a>
                    [1](#a-title-with-code--more) [2](good.md#twice-1) [3](../Code.java) [4](../Code.java#L1)
                    [5](https://example.org/x) [`x[0]`](#by-hand) [text][ref] ![image](<../Code.java> "title") `[no](link)`
                    ```
                    [no](link)
                    ```
                    [ref]: #twice
                    """);
            Files.writeString(good.file(), "");
            assertThat(faults(List.of(good))).isEmpty();
            Markdown bad = new Markdown(temporary.resolve("docs/bad.md"), """
                    # Here
                    [1](#there) [2](good.md#thrice) [3](../Missing.java) [4](../Code.java#L2) [5](../code.java)
                    [text][nowhere] <a href="gone.md">6</a> [7]() [8](../../outside.md) [9](/Code.java)
                    ```
                    """);
            assertThat(faults(List.of(good, bad)))
                    .extracting(fault -> fault.replaceFirst(".*bad\\.md:", ""))
                    .containsExactlyInAnyOrder(
                            "4: the fenced block has no end",
                            "3: the reference [nowhere] is not defined",
                            "2: '#there' is no heading of bad.md",
                            "2: 'good.md#thrice' is no heading of good.md",
                            "2: '../Missing.java' is not there",
                            "2: '../Code.java#L2' is behind the end of Code.java",
                            "2: '../code.java' is not there",
                            "3: 'gone.md' is not there",
                            "3: '' is empty",
                            "3: '../../outside.md' is not there",
                            "3: '/Code.java' is not relative");
        }

        @Test
        void runsWhatItCompiles() throws Exception {
            String text = """
                    <!-- given:
                    import java.util.function.IntSupplier;
                    private final IntSupplier answer = () -> 42;
                    -->
                    ```java
                    import java.util.List;
                    for (String word : List.of("a", "b")) {
                        System.out.println(word + answer.getAsInt());
                    }
                    ```

                    ```java
                    package one.two;

                    /** Says so. */
                    public final class Whole {
                        public static void main(String[] arguments) {
                            System.out.println("whole");
                        }
                    }
                    ```
                    <!-- output -->
                    ```text
                    whole
                    ```

                    <!-- compile only -->
                    ```java
                    throw new IllegalStateException();
                    ```
                    """;
            Markdown markdown = new Markdown(temporary.resolve("x.md"), text);
            List<Snippet> snippets = markdown.blocks().stream()
                    .filter(block -> block.language().equals("java"))
                    .map(Snippet::of)
                    .toList();
            assertThat(snippets).extracting(Snippet::runs).containsExactly(true, true, false);
            List<String> outputs = new ArrayList<>();
            for (Snippet snippet : snippets) {
                Path folder = temporary.resolve("snippet" + outputs.size());
                assertThat(snippet.compile(folder)).isEmpty();
                outputs.add(snippet.run(folder).out());
            }
            assertThat(outputs).containsExactly("a42\nb42\n", "whole\n", "");
            assertThat(output(markdown, 1)).isNotNull();
            assertThat(output(markdown, 0)).isNull();
        }

        @Test
        void refusesWhatDoesNotCompileOrWarnsOrFails() throws Exception {
            assertThat(snippet("int x = \"a\";").compile(temporary.resolve("a")))
                    .contains("incompatible types");
            assertThat(snippet("java.util.List x = null;").compile(temporary.resolve("b")))
                    .contains("[rawtypes]");
            Snippet fails = snippet("throw new IllegalStateException(\"seen\");");
            assertThat(fails.compile(temporary.resolve("c"))).isEmpty();
            Snippet.Ended ended = fails.run(temporary.resolve("c"));
            assertThat(ended.status()).isEqualTo(1);
            assertThat(ended.err()).contains("seen");
        }

        private Snippet snippet(String body) {
            return Snippet.of(new Markdown.Block(1, "java", body + "\n", List.of()));
        }
    }

    // ---- the means

    private static List<Markdown> markdownFiles() {
        return Repository.files().stream()
                .filter(file -> file.toString().endsWith(".md"))
                .map(DocsTest::markdown)
                .toList();
    }

    private static Markdown markdown(Path file) {
        return new Markdown(file, Repository.read(file));
    }

    private static List<String> faults(List<Markdown> all) {
        Map<Path, Markdown> byFile = new HashMap<>();
        all.forEach(markdown -> byFile.put(markdown.file().normalize(), markdown));
        List<String> faults = new ArrayList<>();
        for (Markdown markdown : all) {
            faults.addAll(markdown.faults());
            for (Markdown.Link link : markdown.links()) {
                String fault = fault(markdown, link.target(), byFile);
                if (!fault.isEmpty()) {
                    faults.add(markdown.file() + ":" + link.line() + ": '" + link.target() + "' " + fault);
                }
            }
        }
        return faults;
    }

    private static String fault(Markdown from, String target, Map<Path, Markdown> byFile) {
        if (target.isEmpty()) {
            return "is empty";
        }
        if (target.matches("(?:https?|mailto):.+")) {
            return ""; // the build asks no other machine
        }
        if (target.startsWith("/") || target.matches("[a-z]+:.*")) {
            return "is not relative";
        }
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty()
                ? from.file().normalize()
                : from.file().resolveSibling(path).normalize();
        if (!path.isEmpty() && !existsByThisName(file)) {
            return "is not there";
        }
        if (hash < 0) {
            return "";
        }
        String anchor = target.substring(hash + 1);
        Markdown other = byFile.get(file);
        if (other != null) {
            return other.anchors().contains(anchor) ? "" : "is no heading of " + file.getFileName();
        }
        if (anchor.matches("L\\d+")) {
            long lines = Repository.read(file).lines().count();
            return Integer.parseInt(anchor.substring(1)) <= lines ? "" : "is behind the end of " + file.getFileName();
        }
        return "has an anchor into what is no Markdown";
    }

    /** Looks at the name letter by letter, also where the file system does not. */
    private static boolean existsByThisName(Path file) {
        try {
            return Files.exists(file)
                    && file.toRealPath()
                            .getFileName()
                            .toString()
                            .equals(file.getFileName().toString());
        } catch (IOException e) {
            return false;
        }
    }
}
