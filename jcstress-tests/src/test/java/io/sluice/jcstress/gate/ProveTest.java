package io.sluice.jcstress.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.jcstress.gate.ProveReport.Entry;
import io.sluice.jcstress.twin.Catalogue;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./sluice prove} with toy steps in a folder of its own, and what it wrote into the page of this tree. */
@Tag("once")
@Tag("any-jdk")
@Timeout(300)
class ProveTest {
    private static final int JDK = Runtime.version().feature();
    private static final String EMPTY_PAGE = """
            # Before
            <!-- runs: written by ./sluice prove -->
            <!-- end of runs -->
            between
            <!-- catalogue: written by ./sluice prove -->
            <!-- end of catalogue -->
            behind
            """;

    @TempDir
    private Path root;

    private String home = "";

    @BeforeEach
    void aTreeOfItsOwn() throws Exception {
        home = System.getProperty("sluice.home", "");
        System.setProperty("sluice.home", root.toString());
        Files.createDirectories(root.resolve("docs"));
        Files.createDirectories(root.resolve("jcstress-tests"));
        Files.writeString(page(), EMPTY_PAGE);
    }

    @AfterEach
    void theHomeOfBefore() {
        if (home.isEmpty()) {
            System.clearProperty("sluice.home");
        } else {
            System.setProperty("sluice.home", home);
        }
    }

    private Path page() {
        return root.resolve(ProveReport.PAGE);
    }

    private String read() throws Exception {
        return Files.readString(page(), StandardCharsets.UTF_8);
    }

    private void git(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("target").toFile())
                .start();
        assertThat(process.waitFor()).as("git %s", List.of(arguments)).isZero();
    }

    private void commitAll() throws Exception {
        Files.writeString(root.resolve(".gitignore"), "target\n");
        git("init", "-q");
        git("add", "-A");
        git("commit", "-q", "-m", "toy");
    }

    /** A test of this module, copied as source only: its classes are on the class path already. */
    private void aTestThatNames(String property) throws Exception {
        Path sources = root.resolve("jcstress-tests/src/test/java/io/sluice/jcstress/gate");
        Files.createDirectories(sources);
        Files.writeString(
                sources.resolve("TotalsOfProveTest.java"),
                "Long.getLong(\"" + property + "\", 1)",
                StandardCharsets.UTF_8);
    }

    /** What a step of the kind TESTS runs here. */
    @Tag("once")
    static final class TotalsOfProveTest {}

    @Test
    void aToyRunRunsItsStepsWritesThemDownAndDoesNotRunThemAgain() throws Exception {
        Prove prove = new Prove(
                List.of(
                        ProveStep.verb(
                                "jcstress", JDK, "one claim", 4, "jcstress", "--smallest", "-t", "SequenceReleaseTest"),
                        ProveStep.verb("mutants", JDK, "one row", 4, "mutants", "--only", "^idle-word-opaque$")),
                false);
        commitAll();
        assertThat(prove.run(List.of("--only", "jcstress"))).isEqualTo(Verb.DONE);
        assertThat(ProveReport.block(read(), "runs"))
                .contains(
                        "No whole run on one commit yet. Of 2 steps 1 passed when they were last run, 0 failed, 1 were"
                                + " never run.")
                .anyMatch(line -> line.matches(
                        "\\| jcstress-" + JDK + " \\| one claim \\| passed \\| \\d passed, 0 failed, 0 skipped"
                                + ".* \\| \\d+\\.\\d \\| [0-9a-f]{12} \\| \\d{4}-\\d\\d-\\d\\d \\|"))
                .contains("| mutants-" + JDK + " | one row | not run yet | | | | |");
        assertThat(read()).startsWith("# Before\n").contains("\nbetween\n").endsWith("behind\n");

        Path log = root.resolve("jcstress-tests/target/prove/jcstress-" + JDK + ".log");
        Files.writeString(log, "from the first run");
        assertThat(prove.run(List.of())).isEqualTo(Verb.DONE);
        assertThat(log).hasContent("from the first run");
        assertThat(ProveReport.block(read(), "runs"))
                .anyMatch(line -> line.startsWith("A whole run: each of the 2 steps passed on commit "))
                .anyMatch(line -> line.contains("0 failed, 0 skipped, 1 pinned"));

        // On other sources nothing has passed yet.
        Files.writeString(root.resolve("changed"), "since");
        assertThat(prove.run(List.of("--only", "mutants"))).isEqualTo(Verb.DONE);
        assertThat(ProveReport.block(read(), "runs"))
                .anyMatch(line -> line.startsWith("| mutants-" + JDK) && line.contains(" and changes |"));
    }

    @Test
    void aStepThatFailsOrHangsOrHasNoJdkOrNoTestIsWrittenDownAsFailed() throws Exception {
        Prove prove = new Prove(
                List.of(
                        ProveStep.verb("refused", JDK, "bad usage", 1, "jcstress", "--no-such"),
                        ProveStep.verb("hangs", JDK, "longer than its limit", 0, "jcstress", "--smallest"),
                        ProveStep.verb("nowhere", 7, "a JDK that is not there", 1, "jcstress"),
                        ProveStep.tests("untested", JDK, "no test names it", "io.sluice.no.such", "1", 1)),
                false);
        assertThat(prove.run(List.of())).isEqualTo(Verb.CHECK_FAILED);
        assertThat(ProveReport.block(read(), "runs"))
                .anyMatch(line -> line.startsWith("| refused-" + JDK + " | bad usage | FAILED: exit status 2 |"))
                .anyMatch(line -> line.contains("FAILED: not over after 0 minutes"))
                .anyMatch(line -> line.contains("FAILED: no JDK 7 was found"))
                .anyMatch(line -> line.contains("FAILED: no test names io.sluice.no.such"))
                .anyMatch(line -> line.contains("unknown commit"));
    }

    @Test
    void thePageIsWrittenAnewWithoutARun() throws Exception {
        Prove prove =
                new Prove(List.of(ProveStep.verb("refused", JDK, "bad usage", 1, "jcstress", "--no-such")), false);
        assertThat(prove.run(List.of("--write"))).isEqualTo(Verb.DONE);
        assertThat(ProveReport.block(read(), "catalogue")).containsExactly(ProveReport.catalogueOfToday());
        assertThat(ProveReport.block(read(), "runs"))
                .contains("| refused-" + JDK + " | bad usage | not run yet | | | | |");
    }

    @Test
    void testsAreFoundByThePropertyThatTheyOrTheirHelperRead() throws Exception {
        aTestThatNames("io.sluice.toy.steps");
        Path sources = root.resolve("core/src/test/java/io/sluice/core");
        Files.createDirectories(sources);
        Files.writeString(sources.resolve("Helper.java"), "Long.getLong(\"io.sluice.toy.steps\")");
        Files.writeString(sources.resolve("UsesItTest.java"), "new Helper()");
        Files.writeString(sources.resolve("OtherTest.java"), "new Helpers()");
        assertThat(Prove.testsThatName("io.sluice.toy.steps", root))
                .containsOnlyKeys("io.sluice.jcstress.gate.TotalsOfProveTest", "io.sluice.core.UsesItTest")
                .containsValue(root.resolve("core/target/test-classes"));
        assertThat(Prove.testsThatName("io.sluice.toy", root)).isEmpty();
    }

    /** The step of Lincheck, at its smallest, on a test that the class path of this test holds. */
    @Test
    void aToyStepOfTestsCountsWhatTheyPrint() throws Exception {
        Path sources = root.resolve("jcstress-tests/src/test/java/io/sluice/jcstress");
        Files.createDirectories(sources);
        Files.writeString(sources.resolve("SignalGroupLincheckTest.java"), "\"io.sluice.lincheck.executions\"");
        Prove prove = new Prove(
                List.of(ProveStep.tests("lincheck", JDK, "one test", "io.sluice.lincheck.executions", "1001", 4)),
                false);
        assertThat(prove.run(List.of())).isEqualTo(Verb.DONE);
        assertThat(ProveReport.block(read(), "runs"))
                .anyMatch(line -> line.matches(".*passed \\| \\d[\\d,]+ executions in \\d; \\d tests;"
                        + " io.sluice.lincheck.executions=1001 \\|.*"));
    }

    @Test
    void optionsAreChecked() throws UsageException {
        assertThat(Prove.Options.parse(List.of("--only", "lin")).selected().test("lincheck-17"))
                .isTrue();
        assertThat(Prove.Options.parse(List.of("--only", "lin")).selected().test("jcstress-17"))
                .isFalse();
        assertThat(Prove.Options.parse(List.of("--list")).list()).isTrue();
        assertThat(Prove.Options.parse(List.of("--again")).again()).isTrue();
        assertThat(Prove.Options.parse(List.of("--write")).write()).isTrue();
        assertThatThrownBy(() -> Prove.Options.parse(List.of("--all"))).hasMessageContaining("--all");
        assertThatThrownBy(() -> Prove.Options.parse(List.of("--only"))).hasMessageContaining("--only");
        assertThatThrownBy(() -> Prove.Options.parse(List.of("--only", "("))).hasMessageContaining("(");
        assertThatThrownBy(() -> new Prove().run(List.of("--only", "no-such-step")))
                .isInstanceOf(UsageException.class);
    }

    @Test
    void theVerbIsFoundAndHasEachStepOnBothJdks() {
        assertThat(StreamSupport.stream(ServiceLoader.load(Verb.class).spliterator(), false))
                .anyMatch(verb -> verb instanceof Prove && verb.name().equals("prove"));
        List<String> names = ProveStep.all().stream().map(ProveStep::name).toList();
        assertThat(names)
                .doesNotHaveDuplicates()
                .contains(
                        "models-25", "lincheck-17", "lincheck-25", "pins-17", "pins-25", "jcstress-17", "jcstress-25");
    }

    /** The page of this tree: its numbers are those of the catalogue, and its table has the steps of today. */
    @Test
    void theNumbersOfThePageAreThoseOfTheCatalogue() throws Exception {
        String written = Files.readString(
                Path.of("").toAbsolutePath().resolveSibling("docs").resolve("verification.md"), StandardCharsets.UTF_8);
        assertThat(ProveReport.block(written, "catalogue"))
                .as("docs/verification.md between the marks of 'catalogue'; ./sluice prove --write mends it")
                .isEqualTo(List.of(ProveReport.catalogueOfToday()));
        assertThat(ProveReport.with(written, ProveStep.all(), Map.of()))
                .as("docs/verification.md between the marks of 'runs'; ./sluice prove --write mends it")
                .isEqualTo(written);
    }

    @Test
    void theCatalogueIsCountedByLayer() {
        assertThat(ProveReport.catalogue(
                        List.of(Catalogue.row("sequence-release"), Catalogue.row("idle-word-opaque")), 3))
                .isEqualTo("3 jcstress tests. 2 mutations: 1 that a test must notice (1 by jcstress, 0 by JUnit, 0 by"
                        + " Lincheck), and 1 pinned, which are counted apart.");
    }

    @Test
    void aPipeInACountBreaksNoTable() {
        ProveStep step = ProveStep.verb("x", JDK, "what", 1, "jcstress");
        String page = ProveReport.with(
                EMPTY_PAGE, List.of(step), Map.of("x-" + JDK, new Entry("passed", "a|b", "1.0", "abc", "2026-01-01")));
        assertThat(ProveReport.entry(page, step)).isEqualTo(new Entry("passed", "a/b", "1.0", "abc", "2026-01-01"));
    }
}
