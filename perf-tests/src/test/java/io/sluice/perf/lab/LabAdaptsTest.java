package io.sluice.perf.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.perf.compare.Entry;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each experiment at toy size where there is one core, little memory, or no right to bind threads: it adapts, says so, and does not fail. */
@Tag("once")
@Tag("any-jdk")
class LabAdaptsTest {
    private static final int SMALL_MIB = 700;

    /** Nothing in them asks for the right to bind a thread, so they run as ever without it. */
    private static final Set<String> NEVER_BIND = Set.of("notify", "pi", "tables");

    @TempDir
    Path folder;

    private static String[] names() {
        return Experiments.ALL.stream().map(Experiment::name).toArray(String[]::new);
    }

    @Test
    void onOneCoreWithLittleMemoryEachExperimentRuns() throws Exception {
        Path taskset = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .map(path -> Path.of(path).resolve("taskset"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElse(null);
        assumeTrue(taskset != null, "no taskset on the PATH");
        String said = run(List.of(taskset.toString(), "-c", "0"), List.of("-Xmx96m"), SMALL_MIB, names());
        assertThat(said)
                .contains("one core: threads take turns on it")
                .contains("Memory is small, 700 MiB, so these are left out: ")
                .contains("Memory is small, 700 MiB, so there is no table of 512 MiB.")
                .contains("Memory is small, 700 MiB, so only Serial and G1 were measured.")
                .doesNotContain("FAILED");
        for (String name : names()) {
            assertThat(said).contains(Toy.APART.contains(name) ? name + ": " : name + " ran");
        }
    }

    @Test
    void withoutTheRightToBindThreadsEachExperimentThatWouldBindThemRuns() throws Exception {
        String said = run(
                List.of(),
                List.of("-Djna.nounpack=true", "-Djna.nosys=true", "-Djna.boot.library.path=" + folder),
                SMALL_MIB,
                Stream.of(names())
                        .filter(name -> !Toy.APART.contains(name) && !NEVER_BIND.contains(name))
                        .toArray(String[]::new));
        assertThat(said).contains("not pinned: ");
    }

    private String run(List<String> before, List<String> flags, int mebibytes, String... names) throws Exception {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags);
        command.addAll(List.of(
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Toy.class.getName(),
                folder.toString(),
                Integer.toString(mebibytes)));
        command.addAll(List.of(names));
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(200, TimeUnit.SECONDS))
                    .as(() -> "it ended: " + read(out))
                    .isTrue();
        } finally {
            process.destroyForcibly().waitFor();
        }
        String said = read(out);
        assertThat(process.exitValue()).as(said).isZero();
        return said;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }

    @Test
    void whereMemoryIsSmallThoseStayThatOrdersAreAbout() {
        Experiment locks = LabBreaksTest.experiment("locks");
        int all = locks.row().entries().size();
        assertThat(Fit.of(locks, 0).entries()).as("not known").hasSize(all);
        assertThat(Fit.of(locks, 64L << 30).entries()).hasSize(all);
        assertThat(Fit.of(locks, 64L << 30).notes()).isEmpty();
        Fit small = Fit.of(locks, 600L << 20);
        assertThat(small.entries())
                .extracting(Entry::id)
                .containsExactlyInAnyOrder(
                        "synchronized-1", "synchronized-2", "reentrant-1", "reentrant-2", "stamped-1", "stamped-2");
        assertThat(small.notes()).singleElement().asString().contains("600 MiB").contains("4 threads, spin");
        assertThat(Fit.of(locks, 1).entries())
                .extracting(Entry::id)
                .containsExactly("synchronized-1", "synchronized-2");
        assertThat(Walk.notes(1L << 30)).singleElement().asString().contains("1024 MiB");
        assertThat(Walk.notes(64L << 30)).isEmpty();
        assertThat(Blobs.notes(1L << 30)).singleElement().asString().contains("Serial and G1");
        assertThat(Blobs.notes(64L << 30)).isEmpty();
        assertThat(Experiments.turns(1)).singleElement().asString().contains("1 core here");
    }
}
