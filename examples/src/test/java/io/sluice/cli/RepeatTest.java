package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RepeatTest {
    @Nested
    class Arguments {
        @Test
        void haveDefaults() throws Exception {
            Repeat.Options options = Repeat.Options.parse(List.of());
            assertThat(options.times()).isEqualTo(50);
            assertThat(options.tag()).isEqualTo("concurrency");
            assertThat(options.modules()).isEmpty();
            assertThat(options.jdk()).isNull();
        }

        @Test
        void areTaken() throws Exception {
            String home = System.getProperty("java.home");
            Repeat.Options options = Repeat.Options.parse(List.of(
                    "--times", "7", "--tag", "slow", "--module", "core", "--module", "batching", "--jdk", home));
            assertThat(options).isEqualTo(new Repeat.Options(7, "slow", Set.of("core", "batching"), Path.of(home)));
        }

        @ParameterizedTest
        @CsvSource({
            "--times 0,from 1 to 100000",
            "--times 100001,1 to 100000",
            "--times x,1 to 100000",
            "--times,must have a value",
            "--tag a|b,must be of letters",
            "--jdk /nowhere,a JDK's folder",
            "7,must be --times"
        })
        void outOfRangeAreRefused(String arguments, String said) {
            assertThatThrownBy(() -> Repeat.Options.parse(Arrays.asList(arguments.split(" "))))
                    .isInstanceOf(UsageException.class)
                    .hasMessageContaining(said)
                    .hasMessageContaining(arguments.replaceFirst(".* ", ""));
        }
    }

    @Nested
    class Summary {
        @Test
        void isReadFromTheConsoleLauncher() {
            String output = """
                    [         4 containers found      ]
                    [         0 containers failed     ]
                    [        12 tests found           ]
                    [         2 tests skipped         ]
                    [        10 tests started         ]
                    [         1 tests aborted         ]
                    [         6 tests successful      ]
                    [         3 tests failed          ]
                    """;
            assertThat(Repeat.totals(output, 1)).isEqualTo(new Repeat.Totals(6, 3, 3));
        }

        @Test
        void ofAContainerThatFailedOrAJvmThatDiedIsRed() {
            assertThat(Repeat.totals("[ 1 containers failed ]\n[ 5 tests successful ]", 1))
                    .isEqualTo(new Repeat.Totals(5, 1, 0));
            assertThat(Repeat.totals("# A fatal error", 134)).isEqualTo(new Repeat.Totals(0, 1, 0));
        }
    }

    @Test
    void flagsAndParametersAreSurefires() throws Exception {
        Poms poms = new Poms(Repository.root());
        assertThat(poms.modules()).contains("core", "ringbuffer", "examples");
        assertThat(poms.testFlags("core")).startsWith("-ea").noneMatch(flag -> flag.contains("${"));
        assertThat(poms.testParameters())
                .contains("junit.jupiter.testclass.order.default=org.junit.jupiter.api.ClassOrderer$Random");
    }

    /** The verb in a process of its own, on a tree whose Maven and whose test JVM are scripts. */
    @Nested
    @Tag("once")
    class Running {
        private static final String POM = """
                <project><modules><module>core</module><module>examples</module></modules>
                <properties><more></more></properties>
                <build><pluginManagement><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><configuration>
                <argLine>-ea ${more}</argLine>
                <properties><configurationParameters>
                  a = b
                </configurationParameters></properties>
                </configuration></plugin></plugins></pluginManagement></build></project>
                """;

        @TempDir
        Path tree;

        @BeforeEach
        void plantTree() throws IOException {
            write("pom.xml", POM);
            write("core/pom.xml", "<project><properties><more>-Dmore=1</more></properties></project>");
            write("examples/pom.xml", "<project/>");
            write("core/src/test/java/ATest.java", "");
            write("examples/src/main/java/B.java", "");
            write("core/target/test.classpath", "/somewhere/junit.jar");
            write("examples/target/test.classpath", "/somewhere/junit-platform-console.jar:/somewhere/else.jar");
            script("bin/mvn", "#!/bin/sh\necho \"$*\" >>'" + tree + "/mvn.calls'\n");
        }

        @Test
        void sumsUpGreenRuns() throws Exception {
            java("echo '[ 3 tests successful ]'; echo '[ 1 tests aborted ]'");
            Process process = repeat("--times", "4");
            assertThat(process.waitFor()).isZero();
            assertThat(lines()).hasSize(5).last().isEqualTo("12 passed, 0 failed, 4 skipped");
            assertThat(read("mvn.calls")).contains("-pl core,examples -am test-compile dependency:build-classpath");
            assertThat(read("java.calls").lines())
                    .hasSize(4)
                    .allMatch(call -> call.startsWith("-ea -Dmore=1 -cp "))
                    .allMatch(call -> call.contains("/core/target/classes:/somewhere/junit.jar:"))
                    .allMatch(call -> call.contains(":/somewhere/junit-platform-console.jar org.junit"))
                    .allMatch(call -> call.endsWith("--include-tag=concurrency --exclude-tag=slow --config=a=b"));
        }

        @Test
        void stopsAtTheFirstRed() throws Exception {
            java("""
                    if [ "$(wc -l <'%s/java.calls')" -lt 3 ]; then
                        echo '[ 2 tests successful ]'
                    else
                        echo 'what went wrong'
                        echo '[ 1 tests successful ]'
                        echo '[ 1 tests failed ]'
                        exit 1
                    fi
                    """.formatted(tree));
            Process process = repeat("--times", "9");
            assertThat(process.waitFor()).isEqualTo(1);
            assertThat(read("java.calls").lines()).hasSize(3);
            assertThat(lines())
                    .contains("what went wrong")
                    .anyMatch(line -> line.startsWith("red: run 3 of 9, module core;"))
                    .last()
                    .isEqualTo("5 passed, 1 failed, 0 skipped");
        }

        @Test
        void aTagThatNoTestCarriesIsBadUsage() throws Exception {
            java("echo '[ 0 tests successful ]'");
            Process process = repeat("--tag", "nothing");
            assertThat(process.waitFor()).isEqualTo(2);
            assertThat(read("err")).contains("--tag must be one that a test of core carries, but was 'nothing'");
        }

        @Test
        void anUnknownModuleIsBadUsage() throws Exception {
            java("");
            Process process = repeat("--module", "examples");
            assertThat(process.waitFor()).isEqualTo(2);
            assertThat(read("err")).contains("--module must be one of core, but was 'examples'");
        }

        @Test
        void testsThatDoNotCompileAreSaid() throws Exception {
            java("");
            script("bin/mvn", "#!/bin/sh\nexit 1\n");
            Process process = repeat();
            assertThat(process.waitFor()).isEqualTo(2);
            assertThat(read("err")).contains("the tests do not compile: mvn ended with 1; its output is in ");
        }

        /** A signal to us alone, or as from a terminal to the test JVM too, which dies of it first. */
        @ParameterizedTest
        @CsvSource({"130,false", "143,false", "130,true", "143,true"})
        void aSignalEndsTheTestJvmAndGivesTheTotalsSoFar(int status, boolean both) throws Exception {
            java("""
                    if [ "$(wc -l <'%1$s/java.calls')" -lt 3 ]; then
                        echo '[ 2 tests successful ]'
                    else
                        echo $$ >'%1$s/pid'
                        exec sleep 600
                    fi
                    """.formatted(tree));
            Process process = repeat();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (!Files.exists(tree.resolve("pid")) || read("pid").isBlank()) {
                assertThat(System.nanoTime() - deadline).as("within 60 s").isNegative();
                Thread.sleep(10);
            }
            long child = Long.parseLong(read("pid").strip());
            String signal = status == 130 ? "-INT" : "-TERM";
            if (both) {
                new ProcessBuilder("kill", signal, Long.toString(child)).start().waitFor();
            }
            new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
            assertThat(process.waitFor()).isEqualTo(status);
            assertThat(lines()).endsWith("interrupted", "4 passed, 0 failed, 0 skipped");
            // The verb waited for it, so it is gone, not only dying.
            assertThat(ProcessHandle.of(child)).isEmpty();
        }

        private Process repeat(String... arguments) throws IOException {
            List<String> command = new ArrayList<>(LauncherTest.withSignals());
            command.addAll(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Dsluice.home=" + tree,
                    "-cp",
                    System.getProperty("java.class.path"),
                    Main.class.getName(),
                    "repeat",
                    "--jdk",
                    tree.resolve("jdk").toString()));
            command.addAll(Arrays.asList(arguments));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(tree.resolve("out").toFile())
                    .redirectError(tree.resolve("err").toFile());
            builder.environment().merge("PATH", tree.resolve("bin").toString(), (path, bin) -> bin + ":" + path);
            return builder.start();
        }

        private void java(String body) throws IOException {
            script("jdk/bin/java", "#!/bin/sh\necho \"$*\" >>'" + tree + "/java.calls'\n" + body);
        }

        private List<String> lines() throws IOException {
            return Files.readAllLines(tree.resolve("out"));
        }

        private String read(String file) {
            return Repository.read(tree.resolve(file));
        }

        private void write(String file, String text) throws IOException {
            Files.createDirectories(tree.resolve(file).getParent());
            Files.writeString(tree.resolve(file), text);
        }

        private void script(String file, String text) throws IOException {
            write(file, text);
            Files.setPosixFilePermissions(tree.resolve(file), PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }
}
