package io.sluice.jcstress.gate;

import io.sluice.jcstress.gate.Setting.Compilers;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.grading.GradingResult;
import org.openjdk.jcstress.infra.grading.TestGrading;

/*
 * Runs jcstress in a JVM of its own and reads its output: the line with the totals, and the file with the results. The
 * exit status of jcstress is 0 when it skips tests or finds none, so every count is compared with the one that was asked for.
 */
/** Starts jcstress. One thread; {@link #stop} may be called by another. */
final class Harness {
    /** The result of a run. */
    record Run(Map<String, Sampled> byTest, List<String> problems) {}

    private final Path folder;
    private final PrintStream progress;
    private @Nullable Process child;
    private boolean stopped;

    Harness(Path folder, PrintStream progress) {
        this.folder = folder;
        this.progress = progress;
    }

    /**
     * Runs tests.
     *
     * @param name names the folder of this run
     * @param tests which, all of the same number of actors
     * @param setting how long
     * @param ahead what comes ahead of the shipped classes, null for nothing
     */
    Run run(String name, Collection<StressTest> tests, Setting setting, @Nullable Path ahead)
            throws IOException, InterruptedException {
        Path here = folder.resolve(name);
        emptied(here);
        Path log = here.resolve("jcstress.log");
        ProcessBuilder builder = new ProcessBuilder(command(tests, setting, ahead))
                .directory(here.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        Process process;
        synchronized (this) {
            if (stopped) {
                throw new InterruptedException("stopped");
            }
            process = builder.start();
            child = process;
        }
        List<String> lines = new ArrayList<>();
        long told = System.nanoTime();
        try (BufferedReader output = process.inputReader(Charset.defaultCharset())) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
                if (line.startsWith("(Results:") && System.nanoTime() - told > TimeUnit.SECONDS.toNanos(20)) {
                    told = System.nanoTime();
                    progress.println("  " + name + " " + line);
                }
            }
        } finally {
            Files.write(log, lines, Charset.defaultCharset());
        }
        int status = process.waitFor();
        return read(here, tests, setting, lines, status);
    }

    private static List<String> command(Collection<StressTest> tests, Setting setting, @Nullable Path ahead) {
        String classPath = System.getProperty("java.class.path");
        // Results on cache lines of their own: jcstress's own probe for this flag stumbles over folders of classes.
        String flags = "-XX:-RestrictContended"
                + (Runtime.version().feature() >= 22 ? " --enable-native-access=ALL-UNNAMED" : "");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(List.of(
                "-cp",
                ahead == null ? classPath : ahead + File.pathSeparator + classPath,
                "org.openjdk.jcstress.Main",
                "-t",
                StressTest.selector(tests),
                "-f",
                Integer.toString(setting.forks()),
                "-fsm",
                Integer.toString(Math.max(1, setting.stressForks() / setting.forks())),
                "-iters",
                Integer.toString(setting.iterations()),
                "-time",
                Integer.toString(setting.millis()),
                "-sc",
                Boolean.toString(setting.compilers() == Compilers.PAIRS),
                "-pth", // touching a JVM's whole heap first takes longer than many a test does
                "false",
                "-jvmArgsPrepend",
                flags));
        if (setting.compilers() == Compilers.OPTIMIZING) {
            command.addAll(
                    List.of("-jvmArgs", "-XX:-TieredCompilation")); // a configuration of the caller's, and no other
        }
        return command;
    }

    private static Run read(Path here, Collection<StressTest> tests, Setting setting, List<String> lines, int status)
            throws IOException {
        List<String> problems = new ArrayList<>();
        List<TestResult> results = new ArrayList<>();
        try (Stream<Path> files = Files.list(here)) {
            for (Path file : files.filter(file -> file.getFileName().toString().endsWith(".bin.gz"))
                    .toList()) {
                InProcessCollector collector = new InProcessCollector();
                DiskReadCollector reader = new DiskReadCollector(file.toString(), collector);
                try {
                    reader.dump();
                } catch (ClassNotFoundException e) {
                    throw new IOException("results in " + file + " cannot be read", e);
                } finally {
                    reader.close();
                }
                results.addAll(collector.getTestResults());
            }
        }
        Map<String, Sampled> byTest = new LinkedHashMap<>();
        for (StressTest test : tests) {
            byTest.put(test.name(), Sampled.NOTHING);
        }
        for (TestResult result : results) {
            byTest.merge(result.getName(), sampled(result), Sampled::plus);
        }
        problems.addAll(miscounts(tests, setting, byTest, Totals.last(lines)));
        if (status != 0
                && byTest.values().stream()
                        .allMatch(
                                one -> one.forbidden().isEmpty() && one.errors().isEmpty())) {
            problems.add("jcstress ended with status " + status + "; its output is in " + here.resolve("jcstress.log"));
        }
        return new Run(byTest, problems);
    }

    /** The miscounts: tests left out, configurations left out, or more than was asked for. */
    static List<String> miscounts(
            Collection<StressTest> tests, Setting setting, Map<String, Sampled> byTest, @Nullable Totals totals) {
        if (totals == null) {
            return List.of("jcstress gave no line with its results");
        }
        List<String> problems = new ArrayList<>();
        long recorded =
                byTest.values().stream().mapToLong(Sampled::configurations).sum();
        if (totals.planned() != recorded || totals.passed() + totals.failed() + totals.errors() != totals.planned()) {
            problems.add("jcstress planned " + totals.planned() + " configurations and recorded " + recorded + ": "
                    + totals);
        }
        long each = tests.isEmpty() ? 0 : totals.planned() / tests.size();
        if (each < setting.fewestConfigurations()) {
            problems.add("jcstress planned " + totals.planned() + " configurations for " + tests.size()
                    + " tests; demanded are " + setting.fewestConfigurations() + " or more for each");
        }
        byTest.forEach((name, sampled) -> {
            if (sampled.configurations() != each) {
                problems.add(name + " ran in " + sampled.configurations() + " configurations; demanded are " + each);
            }
        });
        return problems;
    }

    private static Sampled sampled(TestResult result) {
        Map<String, Long> samples = new TreeMap<>();
        for (String outcome : result.getStateKeys()) {
            samples.put(outcome, result.getCount(outcome));
        }
        List<String> forbidden = new ArrayList<>();
        for (GradingResult graded : result.grading().gradingResults.values()) {
            // Not by its own count: that is 0 where an outcome is listed twice, as jcstress lists what a test class
            // inherits and names by JCStressMeta too.
            if (!TestGrading.passed(graded.expect, samples.getOrDefault(graded.id, 0L))) {
                forbidden.add(graded.id);
            }
        }
        List<String> errors = new ArrayList<>();
        if (result.status() != Status.NORMAL) {
            errors.add(result.status().toString() + " " + firstOf(result.getMessages()) + firstOf(result.getVmErr()));
        }
        return new Sampled(1, samples, forbidden, errors);
    }

    private static String firstOf(List<String> messages) {
        return messages.isEmpty() ? "" : messages.get(0).strip();
    }

    private static void emptied(Path here) throws IOException {
        if (Files.exists(here)) {
            try (Stream<Path> old = Files.walk(here)) {
                for (Path path : old.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        Files.createDirectories(here);
    }

    /** Ends the present run, and lets no other start. Any thread. */
    synchronized void stop() {
        stopped = true;
        if (child != null) {
            child.descendants().forEach(ProcessHandle::destroyForcibly);
            child.destroyForcibly();
        }
    }

    synchronized boolean isStopped() {
        return stopped;
    }
}
