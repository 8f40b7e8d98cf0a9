package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The launcher's contract, with real processes and signals, in a small tree whose path has a space. Java is the real
 * one; {@code mvn} is a script that writes what a build writes and does what the test says. The real Maven build behind
 * the launcher is the business of {@code .ci/run}.
 */
@Tag("once")
@Tag("any-jdk")
class LauncherTest {
    private static final String SERVICES = "examples/src/main/resources/META-INF/services/io.sluice.cli.Verb";

    private static final String FAKE_MAVEN = """
            #!/bin/sh
            fake='%s'
            case $1 in
                --version)
                    printf 'Apache Maven %%s (revision)\\nJava version: %%s, vendor: none\\n' \\
                        "$(cat "$fake/maven-version")" "$(cat "$fake/maven-java")"
                    exit 0
                    ;;
            esac
            echo "$*" >>"$fake/calls"
            echo "[INFO] Building Sluice: core 0.1.0                   [1/2]"
            case $(cat "$fake/mode") in
                fail)
                    echo "[ERROR] core/A.java:[1,1] what is wrong"
                    exit 1
                    ;;
                hang)
                    sleep 600 &
                    echo $! >"$fake/grandchild"
                    echo $$ >"$fake/child"
                    wait
                    ;;
                hold)
                    echo $$ >"$fake/child"
                    until [ -e "$fake/go" ]; do sleep 0.1; done
                    ;;
                slow)
                    sleep 1
                    ;;
                break)
                    echo >"$fake/sluice-repository/some library.jar"
                    rm -rf examples/target/classes/io
                    exit 1
                    ;;
            esac
            echo "[INFO] Building Sluice: examples 0.1.0               [2/2]"
            mkdir -p core/target/classes integrations/bridge/target/classes examples/target/classes
            cp -R "$fake/classes/." examples/target/classes/
            printf '' >core/target/launcher.classpath
            printf '' >integrations/bridge/target/launcher.classpath
            bridge=$PWD/integrations/bridge/target/sluice-bridge-0.1.0.jar
            printf '%%s' "$PWD/core/target/sluice-core-0.1.0.jar:$bridge:$fake/sluice-repository/some library.jar" >examples/target/launcher.classpath
            """;

    /** What the launcher runs besides Java and Maven. */
    private static final List<String> TOOLS = List.of(
            "awk",
            "cat",
            "find",
            "grep",
            "head",
            "ln",
            "mkdir",
            "mkfifo",
            "mv",
            "readlink",
            "rm",
            "rmdir",
            "sed",
            "sleep",
            "tail",
            "setsid",
            "sh",
            "bash",
            "cp",
            "env",
            "kill");

    @TempDir
    Path temporary;

    private Path tree;
    private Path fake;
    private Path bin;
    private final List<Process> started = new ArrayList<>();

    /** How a launcher ended. */
    private record Ended(int status, String out, String err) {}

    @BeforeEach
    void plantTree() throws IOException {
        Path base = temporary.toRealPath();
        tree = base.resolve("a small tree");
        fake = base.resolve("fake maven");
        bin = base.resolve("bin");
        for (String file : List.of(
                "pom.xml",
                ".mvn/jvm.config",
                "core/pom.xml",
                "core/src/main/java/A.java",
                "core/src/main/java/Removed.java",
                "integrations/bridge/pom.xml",
                "integrations/bridge/src/main/java/C.java",
                "examples/pom.xml",
                "examples/src/main/java/B.java")) {
            write(tree.resolve(file), "");
        }
        write(tree.resolve(SERVICES), "# a comment: not a verb\n\nio.sluice.cli.TryVerb # try: does what it is told\n");
        Files.copy(Repository.root().resolve("sluice"), tree.resolve("sluice"), StandardCopyOption.COPY_ATTRIBUTES);
        age(tree, Duration.ofHours(3));

        Path classes = fake.resolve("classes");
        for (Class<?> type : List.of(Main.class, Verb.class, UsageException.class, TryVerb.class)) {
            String name = type.getName().replace('.', '/') + ".class";
            Path copy = classes.resolve(name);
            Files.createDirectories(copy.getParent());
            try (var in = type.getClassLoader().getResourceAsStream(name)) {
                assertThat(in).as(name).isNotNull();
                Files.copy(in, copy);
            }
        }
        write(classes.resolve("META-INF/services/io.sluice.cli.Verb"), "io.sluice.cli.TryVerb # try: x\n");
        write(fake.resolve("sluice-repository/some library.jar"), "");
        write(fake.resolve("maven-version"), "3.8.7");
        write(fake.resolve("maven-java"), "17.0.1");
        mode("");

        Files.createDirectories(bin);
        for (String tool : TOOLS) {
            for (String folder : List.of("/usr/bin", "/bin")) {
                Path found = Path.of(folder, tool);
                if (Files.isExecutable(found) && !Files.exists(bin.resolve(tool))) {
                    Files.createSymbolicLink(bin.resolve(tool), found);
                }
            }
        }
        Files.createSymbolicLink(bin.resolve("java"), Path.of(System.getProperty("java.home"), "bin", "java"));
        script(bin.resolve("mvn"), FAKE_MAVEN.formatted(fake));
    }

    @AfterEach
    void fellTree() throws IOException {
        started.forEach(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
        for (String name : List.of("child", "grandchild")) {
            if (Files.exists(fake.resolve(name))) {
                ProcessHandle.of(pid(name)).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
        // JUnit would warn about each link that leads out of its folder.
        try (var files = Files.walk(temporary)) {
            for (Path link : files.filter(Files::isSymbolicLink).toList()) {
                Files.delete(link);
            }
        }
    }

    // ---- verbs and bad usage

    @ParameterizedTest
    @ValueSource(strings = {"", "help", "--help", "-h"})
    void listsTheVerbsWithoutJavaAndMaven(String argument) throws Exception {
        remove("java", "mvn");
        Ended ended = argument.isEmpty() ? sluice() : sluice(argument);
        assertThat(ended.status).isZero();
        assertThat(ended.err).isEmpty();
        assertThat(ended.out).contains("  try        does what it is told\n").doesNotContain("not a verb");
    }

    @Test
    void usersVerbsComeBeforeThoseOfDevelopers() throws Exception {
        write(
                tree.resolve(SERVICES),
                "io.sluice.cli.InnerVerb ## inner: looks inside\nio.sluice.cli.TryVerb # try: does what it is told\n");
        assertThat(sluice().out)
                .containsSubsequence(
                        "verbs:", "  try        does", "for developers of Sluice:", "  inner      looks inside");
    }

    @Test
    void aVerbMayLiveInAnIntegration() throws Exception {
        write(
                tree.resolve(SERVICES.replace("examples", "integrations/bridge")),
                "io.sluice.bridge.CrossVerb # cross: goes over the bridge\n");
        assertThat(sluice().out).contains("  cross      goes over the bridge\n");
        sluice("cross");
        assertThat(calls()).containsExactly("-B -Dstyle.color=never -pl integrations/bridge -am process-classes");
    }

    @ParameterizedTest
    @CsvSource({"tri, try", "tyr, try", "ty, try", "tryy, try", "print,", "t,"})
    void anUnknownVerbIsOneLineAndStatusTwo(String word, @Nullable String meant) throws Exception {
        Ended ended = sluice(word);
        String hint = meant == null ? "" : "did you mean " + meant + "? ";
        assertOneLine(ended, "sluice: unknown verb '" + word + "'; " + hint + "./sluice lists the verbs");
        assertThat(calls()).isEmpty();
    }

    @Test
    void theVersionIsThatOfThePom() throws Exception {
        write(tree.resolve("pom.xml"), "<project>\n  <version>0.7.1</version>\n  <version>9</version>\n</project>\n");
        remove("java", "mvn");
        Ended ended = sluice("--version");
        assertThat(ended.out).isEqualTo("sluice 0.7.1\n");
        assertThat(ended.status).isZero();
    }

    @Test
    void helpThatStandsInTheDocumentationNeedsNeitherJavaNorMaven() throws Exception {
        write(tree.resolve("docs/verbs.md"), """
                # Verbs
                <!-- help: trying -->
                ```text
                usage: ./sluice trying
                ```
                <!-- help: try -->
                ```text
                usage: ./sluice try THIS

                  --only   what stands here
                ```
                the end
                """);
        remove("java", "mvn");
        String help = "usage: ./sluice try THIS\n\n  --only   what stands here\n";
        assertThat(sluice("try", "--help").out).isEqualTo(help);
        assertThat(sluice("try", "x", "-h").out).isEqualTo(help);
        assertThat(sluice("help", "try").out).isEqualTo(help);
    }

    @Test
    void helpOfAVerbIsItsUsage() throws Exception {
        assertThat(sluice("help", "try").out).isEqualTo("usage: ./sluice try WHAT\n");
        assertThat(sluice("try", "--help").out).isEqualTo("usage: ./sluice try WHAT\n");
    }

    @Test
    void theExitStatusIsTheVerbs() throws Exception {
        assertThat(sluice("try", "0").status).isZero();
        assertThat(sluice("try", "1").status).isEqualTo(1);
        assertOneLine(sluice("try", "usage"), "sluice try: WHAT is 'usage', allowed is anything else");
        Ended fault = sluice("try", "fault");
        assertThat(fault.status).isEqualTo(70);
        assertThat(fault.err).contains("IllegalStateException: at fault");
    }

    // ---- where it is started

    @Test
    void argumentsAndFolderReachTheVerbAsTheyAre() throws Exception {
        Ended ended = sluice("try", "print", "a  b", "", "*", "$HOME", "\\n");
        assertThat(ended.out)
                .contains("folder " + temporary.toRealPath() + "\n")
                .contains("[a  b]\n", "[]\n", "[*]\n", "[$HOME]\n", "[\\n]\n");
    }

    /** Those that use Aeron in the JVM of the verb itself; others give the option to the JVMs that they start. */
    @ParameterizedTest
    @CsvSource({"--aeron, true", "--aeron=somewhere, true", "aeron-stop, true", "aeron, false"})
    void aVerbThatUsesAeronGetsTheOptionThatItsBuffersNeed(String argument, boolean gets) throws Exception {
        assertThat(sluice("try", "print", argument).out).contains("option of Agrona's buffers " + gets + "\n");
    }

    @Test
    void startsThroughSymbolicLinksFromAnyFolderAndFromThePath() throws Exception {
        Path other = Files.createDirectories(temporary.resolve("other folder"));
        Files.createSymbolicLink(other.resolve("absolute"), tree.resolve("sluice"));
        Files.createSymbolicLink(other.resolve("relative"), Path.of("../a small tree/sluice"));
        Files.createSymbolicLink(bin.resolve("chained"), other.resolve("relative"));
        Files.createSymbolicLink(temporary.resolve("linked tree"), tree);
        assertThat(run(other, "./absolute", "try", "0").status).isZero();
        assertThat(run(other, "./relative", "try", "0").status).isZero();
        assertThat(run(other, "sh", "relative", "try", "0").status).isZero();
        assertThat(run(temporary, "other folder/relative", "try", "0").status).isZero();
        assertThat(run(other, "env", "chained", "try", "0").status).isZero();
        assertThat(run(temporary, "linked tree/sluice", "try", "0").status).isZero();
        assertThat(run(tree, "./sluice", "try", "0").status).isZero();
        assertThat(run(tree, "sh", "sluice", "try", "0").status).isZero();
        assertThat(calls()).hasSize(1);
    }

    @Test
    void aColonInThePathIsOneLine() throws Exception {
        Path moved = temporary.resolve("a:b");
        Files.move(tree, moved);
        assertThat(run(moved, "./sluice").err).contains("has a ':' in its name");
    }

    // ---- Java and Maven

    @Test
    void javaHomeGoesBeforeThePath() throws Exception {
        script(bin.resolve("java"), "#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n");
        environment = Map.of("JAVA_HOME", System.getProperty("java.home"));
        assertThat(sluice("try", "0").status).isZero();
    }

    @Test
    void aMissingJavaIsOneLineThatSaysHowToInstall() throws Exception {
        remove("java");
        assertOneLine(sluice("try", "0"), "sluice: no java found; install a JDK 17 or newer, ");
        environment = Map.of("JAVA_HOME", "/nowhere");
        assertOneLine(sluice("try", "0"), "sluice: JAVA_HOME=/nowhere has no bin/java; install a JDK 17 or newer, ");
    }

    @ParameterizedTest
    @CsvSource({
        "java version \"1.8.0_392\",is version 8",
        "openjdk version \"11.0.2\" 2019-01-15,is version 11",
        "openjdk version \"16\" 2021-03-16,is version 16",
        "Unable to locate a Java Runtime,does not work"
    })
    void anOldOrBrokenJavaIsOneLineThatSaysHowToInstall(String version, String said) throws Exception {
        script(bin.resolve("java"), "#!/bin/sh\necho '" + version + "' >&2\n");
        assertOneLine(sluice("try", "0"), "sluice: the java on the PATH " + said + "; install a JDK 17 or newer, ");
    }

    @Test
    void aRuntimeWithoutCompilerIsOneLine() throws Exception {
        script(bin.resolve("java"), "#!/bin/sh\necho 'openjdk version \"17.0.2\"' >&2\necho java.base@17.0.2\n");
        assertOneLine(sluice("try", "0"), "sluice: the java on the PATH is a runtime without a compiler; install ");
    }

    @Test
    void aMissingMavenIsOneLineThatSaysHowToInstall() throws Exception {
        remove("mvn");
        assertOneLine(sluice("try", "0"), "sluice: no mvn found; install Maven 3.8 or newer, ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.2.1", "3.0.5", "3.6.3"})
    void anOldMavenIsOneLineThatSaysHowToInstall(String version) throws Exception {
        write(fake.resolve("maven-version"), version);
        Ended ended = sluice("try", "0");
        assertOneLine(ended, "sluice: mvn on the PATH (" + bin.resolve("mvn") + ") is version ");
        assertThat(ended.err).contains("install Maven 3.8 or newer, ");
        assertThat(calls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.8.1", "3.9.11", "3.10.0", "4.0.0-rc-4", "10.1.2"})
    void aNewMavenIsTaken(String version) throws Exception {
        write(fake.resolve("maven-version"), version);
        assertThat(sluice("try", "0").status).isZero();
    }

    @Test
    void aMavenThatRunsOnAnOldJavaOrDoesNotRunIsOneLine() throws Exception {
        write(fake.resolve("maven-java"), "11.0.2");
        assertOneLine(sluice("try", "0"), "sluice: mvn on the PATH (" + bin.resolve("mvn") + ") runs on Java 11; ");
        script(bin.resolve("mvn"), "#!/bin/sh\nexit 1\n");
        assertOneLine(sluice("try", "0"), "sluice: mvn on the PATH (" + bin.resolve("mvn") + ") does not work; ");
    }

    // ---- what is built, and when

    @Test
    void buildsWithProgressAndThenStartsJavaWithoutMaven() throws Exception {
        Ended first = sluice("try", "print");
        assertThat(first.status).isZero();
        assertThat(first.err.lines())
                .containsSubsequence("sluice: building core [1/2]", "sluice: building examples [2/2]");
        assertThat(calls()).containsExactly("-B -Dstyle.color=never -pl examples -am process-classes");
        assertThat(Files.exists(tree.resolve("target/launcher.lock"), LinkOption.NOFOLLOW_LINKS))
                .isFalse();

        remove("mvn");
        Ended second = sluice("try", "print");
        assertThat(second.status).isZero();
        assertThat(second.err).isEmpty();
        // Class folders, not jars: a jar of an earlier build may be older than the classes.
        assertThat(second.out)
                .contains("classes "
                        + String.join(
                                File.pathSeparator,
                                tree.resolve("examples/target/classes").toString(),
                                tree.resolve("core/target/classes").toString(),
                                tree.resolve("integrations/bridge/target/classes")
                                        .toString(),
                                fake.resolve("sluice-repository/some library.jar")
                                        .toString())
                        + "\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pom.xml",
                ".mvn/jvm.config",
                "core/pom.xml",
                "core/src/main/java/A.java",
                "integrations/bridge/pom.xml",
                "integrations/bridge/src/main/java/C.java",
                "examples/pom.xml",
                "examples/src/main/java/B.java",
                SERVICES
            })
    void buildsAgainWhenASourceIsNewer(String source) throws Exception {
        build();
        age(tree.resolve(source), Duration.ofHours(1));
        assertThat(sluice("try", "0").status).isZero();
        assertThat(calls()).as(source).hasSize(2);
        assertThat(sluice("try", "0").status).isZero();
        assertThat(calls()).as("current again").hasSize(2);
    }

    @Test
    void buildsAgainWhenASourceWasRemovedOrAdded() throws Exception {
        build();
        Files.delete(tree.resolve("core/src/main/java/Removed.java"));
        sluice("try", "0");
        assertThat(calls()).hasSize(2);
    }

    @Test
    void buildsAgainWhenASourceWasEditedWhileTheBuildWentOn() throws Exception {
        build();
        age(tree.resolve("examples/target/launcher.classpath"), Duration.ofHours(1));
        age(tree.resolve("core/src/main/java/A.java"), Duration.ofMinutes(90));
        sluice("try", "0");
        assertThat(calls()).hasSize(2);
    }

    @Test
    void buildsAgainWhenADependencyWasBuiltAloneAfterAnEdit() throws Exception {
        build();
        age(tree.resolve("core/src/main/java/A.java"), Duration.ofHours(1));
        age(tree.resolve("core/target/launcher.classpath"), Duration.ofMinutes(30));
        sluice("try", "0");
        assertThat(calls()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "examples/target/launcher.classpath",
                "core/target/launcher.classpath",
                "core/target/classes",
                "integrations/bridge/target/launcher.classpath",
                "../fake maven/sluice-repository/some library.jar"
            })
    void buildsAgainWhenSomethingBuiltIsGone(String gone) throws Exception {
        build();
        Path file = tree.resolve(gone);
        Files.delete(file);
        if (gone.endsWith(".jar")) {
            // A build that does not bring the library back is no success.
            assertThat(sluice("try", "0").status).isEqualTo(70);
        } else {
            assertThat(sluice("try", "0").status).isZero();
        }
        assertThat(calls()).hasSize(2);
    }

    @Test
    void aTestOrAnUnrelatedModuleDoesNotMakeItStale() throws Exception {
        build();
        write(tree.resolve("core/src/test/java/ATest.java"), "");
        write(tree.resolve("perf-tests/src/main/java/P.java"), "");
        write(tree.resolve("README.md"), "");
        assertThat(sluice("try", "0").status).isZero();
        assertThat(calls()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"classes", "sluice-core-0.1.0.jar"})
    void aTreeThatWasCopiedIsBuiltAgainAndDoesNotUseTheOriginalsClasses(String entry) throws Exception {
        build();
        write(tree.resolve("core/target/sluice-core-0.1.0.jar"), "");
        Path written = tree.resolve("examples/target/launcher.classpath");
        write(written, Repository.read(written).replace("sluice-core-0.1.0.jar", entry));
        age(written, Duration.ofHours(2));
        assertThat(sluice("try", "0").status).isZero();
        assertThat(calls()).hasSize(1);
        Path copy = temporary.toRealPath().resolve("a copy");
        run(temporary, "cp", "-Rp", tree.toString(), copy.toString());
        Ended ended = run(copy, "./sluice", "try", "print");
        assertThat(ended.out)
                .contains(copy.resolve("core/target/classes").toString())
                .doesNotContain("a small tree");
        assertThat(calls()).hasSize(2);
    }

    @Test
    void aFailedBuildShowsItsTailAndIsTriedAgain() throws Exception {
        build();
        age(tree.resolve("core/src/main/java/A.java"), Duration.ofHours(1));
        mode("fail");
        for (int i = 2; i <= 3; i++) {
            Ended ended = sluice("try", "0");
            assertThat(ended.status).isEqualTo(1);
            assertThat(ended.out).isEmpty();
            assertThat(ended.err)
                    .contains("[ERROR] core/A.java:[1,1] what is wrong")
                    .contains("target/launcher.log");
            assertThat(calls()).hasSize(i);
        }
        mode("");
        assertThat(sluice("try", "0").status).isZero();
    }

    @Test
    void aBuildThatBrokeOffLeavesNothingThatLooksBuilt() throws Exception {
        build();
        Files.delete(fake.resolve("sluice-repository/some library.jar"));
        mode("break"); // brings the library back, but takes the classes away
        assertThat(sluice("try", "0").status).isEqualTo(1);
        mode("");
        assertThat(sluice("try", "0").status).isZero();
        assertThat(calls()).hasSize(3);
    }

    // ---- two at once

    @Test
    void twoAtOnceOnAStaleTreeBuildOnce() throws Exception {
        mode("slow");
        Process one = start(tree, "one", "./sluice", "try", "0");
        Process other = start(tree, "other", "./sluice", "try", "0");
        assertThat(end(one, "one").status).isZero();
        assertThat(end(other, "other").status).isZero();
        assertThat(calls()).hasSize(1);
    }

    @Test
    void aLockWhoseOwnerIsGoneIsCleared() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Files.createDirectories(tree.resolve("target"));
        Files.createSymbolicLink(tree.resolve("target/launcher.lock"), Path.of(Long.toString(gone.pid())));
        assertThat(sluice("try", "0").status).isZero();
    }

    /** Process 1 is there. Whoever is not the superuser may not signal it. */
    @Test
    void aLockOfAnotherUsersProcessIsHeld() throws Exception {
        Files.createDirectories(tree.resolve("target"));
        Path lock = Files.createSymbolicLink(tree.resolve("target/launcher.lock"), Path.of("1"));
        Process next = start(tree, "next", "./sluice", "try", "0");
        await(() -> Repository.read(temporary.resolve("next.err")).contains("waiting for the build of process 1 "));
        Files.delete(lock);
        assertThat(end(next, "next").status).isZero();
    }

    /** As on a file system that has none, or no room for one. */
    @Test
    void whereNoSymbolicLinkCanBeMadeIsOneLine() throws Exception {
        script(bin.resolve("ln"), "#!/bin/sh\necho 'ln: Operation not permitted' >&2\nexit 1\n");
        assertOneLine(
                sluice("try", "0"),
                "sluice: cannot make the symbolic link " + tree.resolve("target/launcher.lock")
                        + ": ln: Operation not permitted\n");
        assertThat(calls()).isEmpty();
    }

    @Test
    void theMavenOfALauncherThatWasKilledOutrightIsWaitedFor() throws Exception {
        mode("hold");
        Process killed = start(tree, "killed", "./sluice", "try", "0");
        awaitFile(fake.resolve("child"));
        awaitFile(tree.resolve("target/launcher.maven"));
        killed.destroyForcibly().waitFor();
        Process next = start(tree, "next", "./sluice", "try", "0");
        await(() -> Repository.read(temporary.resolve("next.err")).contains("waiting for the build of process"));
        assertThat(calls()).hasSize(1);
        write(fake.resolve("go"), "");
        assertThat(end(next, "next").status).isZero();
    }

    // ---- signals and closed streams

    @ParameterizedTest
    @CsvSource({"INT,130", "TERM,143"})
    void aSignalEndsTheVerb(String signal, int status) throws Exception {
        build();
        Process process = start(tree, "verb", "./sluice", "try", "wait");
        await(() -> Repository.read(temporary.resolve("verb.out")).contains("waiting"));
        signal(signal, process);
        assertThat(end(process, "verb")).isEqualTo(new Ended(status, "waiting\n", ""));
    }

    @ParameterizedTest
    @CsvSource({"INT,130,sh", "TERM,143,sh", "HUP,129,sh", "INT,130,bash", "TERM,143,bash"})
    void aSignalDuringTheBuildEndsMavenAndWhatItStarted(String signal, int status, String shell) throws Exception {
        if (shell.equals("bash")) {
            remove("setsid"); // as on macOS
        }
        mode("hang");
        Process process = start(tree, "build", shell, "./sluice", "try", "0");
        awaitFile(fake.resolve("child"));
        long child = pid("child");
        long grandchild = pid("grandchild");
        signal(signal, process);
        assertThat(end(process, "build").status).isEqualTo(status);
        await(() -> !isRunning(child));
        await(() -> !isRunning(grandchild));
        try (var left = Files.list(tree.resolve("target"))) {
            assertThat(left.map(file -> file.getFileName().toString())).containsExactly("launcher.log");
        }
        mode("");
        assertThat(sluice("try", "0").status).isZero();
    }

    @Test
    void aReaderThatLeavesEarlyCausesNoStackTrace() throws Exception {
        build();
        Ended ended = run(tree, "bash", "-c", "set -o pipefail; ./sluice try flood | head -n 1");
        assertThat(ended).isEqualTo(new Ended(0, "line 0\n", ""));
        ended = run(tree, "bash", "-c", "./sluice | head -n 1");
        assertThat(ended).isEqualTo(new Ended(0, "usage: ./sluice VERB [ARGUMENTS]\n", ""));
    }

    @Test
    void closedStandardStreamsAreNotMixedUpWithFiles() throws Exception {
        build();
        Path file = temporary.resolve("written");
        Ended ended = run(tree, "sh", "-c", "./sluice try write '" + file + "' <&- >&- 2>&-");
        assertThat(ended).isEqualTo(new Ended(0, "", ""));
        assertThat(file).hasContent("to the file");
        assertThat(run(tree, "sh", "-c", "./sluice >&-")).isEqualTo(new Ended(0, "", ""));
    }

    // ---- the means

    private Map<String, String> environment = Map.of();

    private Ended sluice(String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(tree.resolve("sluice").toString());
        command.addAll(Arrays.asList(arguments));
        return run(temporary, command.toArray(String[]::new));
    }

    /** Builds, and makes the build two hours old; the sources are three. */
    private void build() throws Exception {
        assertThat(sluice("try", "0").status).isZero();
        assertThat(calls()).hasSize(1);
        for (String module : List.of("core", "examples")) {
            age(tree.resolve(module).resolve("target/launcher.classpath"), Duration.ofHours(2));
        }
    }

    private Ended run(Path folder, String... command) throws Exception {
        return end(start(folder, "run", command), "run");
    }

    private Process start(Path folder, String name, String... command) throws Exception {
        List<String> words = new ArrayList<>(withSignals());
        words.addAll(Arrays.asList(command));
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectOutput(temporary.resolve(name + ".out").toFile())
                .redirectError(temporary.resolve(name + ".err").toFile());
        builder.environment().keySet().removeIf(key -> key.startsWith("JAVA") || key.startsWith("JDK_JAVA"));
        builder.environment().put("PATH", bin.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return process;
    }

    private Ended end(Process process, String name) throws Exception {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ends within 60 s").isTrue();
        return new Ended(
                process.exitValue(),
                Repository.read(temporary.resolve(name + ".out")),
                Repository.read(temporary.resolve(name + ".err")));
    }

    /**
     * What to put before a command that gets signals. Whoever runs the tests in the background may have some ignored, which
     * children inherit; where env cannot undo that, neither can we.
     */
    static List<String> withSignals() throws IOException {
        try {
            List<String> prefix = List.of("/usr/bin/env", "--default-signal=INT,TERM,HUP,PIPE");
            List<String> tried = new ArrayList<>(prefix);
            tried.add("true");
            return new ProcessBuilder(tried).start().waitFor() == 0 ? prefix : List.of();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    private static void signal(String signal, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static void assertOneLine(Ended ended, String beginning) {
        assertThat(ended.status).isEqualTo(2);
        assertThat(ended.out).isEmpty();
        assertThat(ended.err).startsWith(beginning).endsWith("\n");
        assertThat(ended.err.lines()).hasSize(1);
    }

    private List<String> calls() throws IOException {
        Path file = fake.resolve("calls");
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private void mode(String mode) throws IOException {
        write(fake.resolve("mode"), mode);
    }

    private void remove(String... tools) throws IOException {
        for (String tool : tools) {
            Files.deleteIfExists(bin.resolve(tool));
        }
    }

    private long pid(String name) throws IOException {
        return Long.parseLong(Files.readString(fake.resolve(name)).strip());
    }

    /** Whether a process runs; one that is dead but not yet collected by its parent does not. */
    private static boolean isRunning(long pid) {
        if (ProcessHandle.of(pid).isEmpty()) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            return !stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
        } catch (IOException e) {
            return ProcessHandle.of(pid).isPresent(); // no /proc, or gone just now
        }
    }

    private static void awaitFile(Path file) throws Exception {
        await(() -> {
            try {
                return Files.exists(file) && Files.size(file) > 0;
            } catch (IOException e) {
                return false;
            }
        });
    }

    private static void await(BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("within 60 s").isNegative();
            Thread.sleep(10);
        }
    }

    private static void age(Path file, Duration age) throws IOException {
        if (Files.isDirectory(file)) {
            try (var below = Files.list(file)) {
                for (Path each : below.toList()) {
                    age(each, age);
                }
            }
        }
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static void script(Path file, String text) throws IOException {
        Files.deleteIfExists(file);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
