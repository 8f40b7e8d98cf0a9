package io.sluice.cli;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs the tests that carry a tag many times in a row, to see whether a concurrency test is green by luck.
 *
 * <p>Maven compiles once; each repetition then starts one JVM a module, with the flags and parameters that the parent
 * pom gives to Surefire, so that every repetition meets a cold JIT compiler and another order of the classes.
 */
public final class Repeat implements Verb {
    private static final int MOST_TIMES = 100_000;
    private static final int DEFAULT_TIMES = 50;
    /** After this a test JVM is killed; Surefire's limit. */
    private static final long LIMIT_SECONDS = 1200;

    /** Exit statuses above this are those of processes that a signal ended. */
    private static final int SIGNALLED = 128;

    private static final long OWN_SIGNAL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final Pattern SUMMARY = Pattern.compile("\\[\\s*(\\d+) (tests|containers) (\\w+)\\s*]");

    /** Counts of tests. */
    record Totals(long passed, long failed, long skipped) {
        static final Totals NONE = new Totals(0, 0, 0);

        Totals plus(Totals other) {
            return new Totals(passed + other.passed, failed + other.failed, skipped + other.skipped);
        }

        long tests() {
            return passed + failed + skipped;
        }

        @Override
        public String toString() {
            return passed + " passed, " + failed + " failed, " + skipped + " skipped";
        }
    }

    /** The options of the command line. */
    record Options(
            int times,
            String tag,
            Set<String> modules,
            @Nullable Path jdk) {
        static Options parse(List<String> arguments) throws UsageException {
            int times = DEFAULT_TIMES;
            String tag = "concurrency";
            Set<String> modules = new LinkedHashSet<>();
            Path jdk = null;
            for (int i = 0; i < arguments.size(); i += 2) {
                String option = arguments.get(i);
                if (!Set.of("--times", "--tag", "--module", "--jdk").contains(option)) {
                    throw new UsageException(
                            "each argument must be --times, --tag, --module or --jdk, but one was '" + option + "'");
                }
                if (i + 1 == arguments.size()) {
                    throw new UsageException(option + " must have a value, but none follows");
                }
                String value = arguments.get(i + 1);
                switch (option) {
                    case "--times" -> times = times(value);
                    case "--tag" -> tag = tag(value);
                    case "--module" -> modules.add(value);
                    default -> jdk = jdk(value);
                }
            }
            return new Options(times, tag, modules, jdk);
        }

        private static int times(String value) throws UsageException {
            try {
                int times = Integer.parseInt(value);
                if (times >= 1 && times <= MOST_TIMES) {
                    return times;
                }
            } catch (NumberFormatException e) {
                // Said below.
            }
            throw new UsageException("--times must be from 1 to " + MOST_TIMES + ", but was '" + value + "'");
        }

        private static String tag(String value) throws UsageException {
            if (!value.matches("[A-Za-z0-9_.-]+")) {
                throw new UsageException("--tag must be of letters, digits, '_', '.' and '-', but was '" + value + "'");
            }
            return value;
        }

        private static Path jdk(String value) throws UsageException {
            Path home = Path.of(value).toAbsolutePath();
            if (!Files.isExecutable(home.resolve("bin").resolve("java"))) {
                throw new UsageException("--jdk must be a JDK's folder, but '" + value + "' has no bin/java");
            }
            return home;
        }
    }

    /** The child process that a signal must not leave behind; guarded by this. */
    private @Nullable Process child;

    /** Set by the shutdown hook before it ends the child; guarded by this. */
    private boolean interrupted;

    /** Of the repetitions that are over; guarded by this. */
    private Totals totals = Totals.NONE;

    /** Creates the verb. */
    public Repeat() {}

    @Override
    public String name() {
        return "repeat";
    }

    @Override
    public String summary() {
        return "run the tests tagged concurrency N times in a row, stop at the first red";
    }

    @Override
    public boolean isForDevelopers() {
        return true;
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice repeat [--times N] [--tag TAG] [--module M]... [--jdk HOME]

                Compiles with Maven once, then runs the tests that carry the tag N times, each time in a fresh JVM
                for each module, and stops at the first red. Tests tagged slow run only with --tag slow.

                  --times N    how often, 1 to 100000 (default 50)
                  --tag TAG    which tests (default concurrency)
                  --module M   only this module, by its folder; may be given again (default all)
                  --jdk HOME   run the tests on this JDK (default the one that runs ./sluice)

                The last line sums up all repetitions. Exit status: 0 all green, 1 a test failed, 2 bad usage,
                130 on Ctrl-C, with the totals so far.
                """;
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        String home = System.getProperty("sluice.home");
        if (home == null) {
            throw new UsageException("the property sluice.home must be set, but is not; start through ./sluice repeat");
        }
        return run(options, Path.of(home), System.out);
    }

    private int run(Options options, Path root, PrintStream out) throws Exception {
        Poms poms = new Poms(root);
        List<String> modules = chosen(options, poms, root);
        Thread hook = new Thread(() -> interrupt(out), "sluice-repeat-interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return repeat(options, poms, root, modules, out);
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The JVM is shutting down: the hook runs, or has run, and says what there is to say.
            }
        }
    }

    private int repeat(Options options, Poms poms, Path root, List<String> modules, PrintStream out) throws Exception {
        compile(root, modules);
        List<String> withTests = new ArrayList<>(modules);
        for (int i = 1; i <= options.times(); i++) {
            long begin = System.nanoTime();
            Totals run = Totals.NONE;
            for (String module : List.copyOf(withTests)) {
                Totals part = runTests(options, poms, root, module);
                if (isInterrupted()) {
                    return INTERRUPTED; // the hook has the word
                }
                if (part.tests() == 0) {
                    withTests.remove(module);
                }
                run = run.plus(part);
                add(part);
                if (part.failed() != 0) {
                    Path log = log(root, module);
                    out.print(Files.readString(log, Charset.defaultCharset()));
                    out.println("red: run " + i + " of " + options.times() + ", module " + module
                            + "; its output is in " + log);
                    out.println(totals());
                    return CHECK_FAILED;
                }
            }
            if (withTests.isEmpty()) {
                throw new UsageException("--tag must be one that a test of " + String.join(", ", modules)
                        + " carries, but was '" + options.tag() + "'");
            }
            double seconds = (System.nanoTime() - begin) / 1e9;
            out.println(String.format(Locale.ROOT, "run %d of %d: %s, %.1f s", i, options.times(), run, seconds));
        }
        out.println(totals());
        return DONE;
    }

    private static List<String> chosen(Options options, Poms poms, Path root) throws UsageException {
        List<String> testable = new ArrayList<>();
        for (String module : poms.modules()) {
            if (Files.isDirectory(root.resolve(module).resolve("src").resolve("test"))) {
                testable.add(module);
            }
        }
        if (testable.isEmpty()) {
            throw new UsageException("a module below " + root + " must have a folder src/test, but none has");
        }
        if (options.modules().isEmpty()) {
            return testable;
        }
        for (String module : options.modules()) {
            if (!testable.contains(module)) {
                throw new UsageException(
                        "--module must be one of " + String.join(", ", testable) + ", but was '" + module + "'");
            }
        }
        return List.copyOf(options.modules());
    }

    /** Compiles the modules and their tests, and has each module's test class path written below its target/. */
    private void compile(Path root, List<String> modules) throws Exception {
        System.err.println("sluice repeat: compiling");
        Path log = root.resolve("target").resolve("repeat.log");
        Set<String> wanted = new LinkedHashSet<>(modules);
        wanted.add("examples"); // its test class path holds JUnit's console launcher
        int status = execute(
                List.of(
                        "mvn",
                        "-B",
                        "-ntp",
                        "-Dstyle.color=never",
                        "-pl",
                        String.join(",", wanted),
                        "-am",
                        "test-compile",
                        "dependency:build-classpath",
                        "-Dmdep.includeScope=test",
                        "-Dmdep.outputFile=target/test.classpath"),
                root,
                log);
        if (status != 0 && !isInterrupted()) {
            throw new UsageException(
                    "the tests do not compile: mvn ended with " + status + "; its output is in " + log);
        }
    }

    private Totals runTests(Options options, Poms poms, Path root, String module) throws Exception {
        Path folder = root.resolve(module);
        Path testClasses = folder.resolve("target").resolve("test-classes");
        Path home = options.jdk() == null ? Path.of(System.getProperty("java.home")) : options.jdk();
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve("java").toString());
        command.addAll(poms.testFlags(module));
        command.add("-cp");
        command.add(classPath(root, module));
        command.add("org.junit.platform.console.ConsoleLauncher");
        command.add("execute");
        command.add("--disable-banner");
        command.add("--disable-ansi-colors");
        command.add("--details=summary");
        command.add("--scan-class-path=" + testClasses);
        command.add("--include-classname=.*");
        command.add("--include-tag=" + options.tag());
        if (!options.tag().equals("slow")) {
            command.add("--exclude-tag=slow");
        }
        for (String parameter : poms.testParameters()) {
            command.add("--config=" + parameter);
        }
        Path log = log(root, module);
        int status = execute(command, folder, log);
        return totals(Files.readString(log, Charset.defaultCharset()), status);
    }

    private static Path log(Path root, String module) {
        return root.resolve(module).resolve("target").resolve("repeat.log");
    }

    private static String classPath(Path root, String module) throws IOException {
        Path target = root.resolve(module).resolve("target");
        Set<String> entries = new LinkedHashSet<>();
        entries.add(target.resolve("test-classes").toString());
        entries.add(target.resolve("classes").toString());
        entries.addAll(testClassPath(target));
        for (String entry : testClassPath(root.resolve("examples").resolve("target"))) {
            String file = Path.of(entry).getFileName().toString();
            if (file.startsWith("junit-platform-") || file.startsWith("open-test-reporting-")) {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private static List<String> testClassPath(Path target) throws IOException {
        String written = Files.readString(target.resolve("test.classpath"), Charset.defaultCharset());
        return List.of(written.strip().split(Pattern.quote(File.pathSeparator)));
    }

    /**
     * Reads the summary that JUnit's console launcher ends with.
     *
     * @param output all of its output
     * @param status its exit status
     * @return the counts; a run that ended badly without a failed test counts as one failed test
     */
    static Totals totals(String output, int status) {
        long passed = 0;
        long failed = 0;
        long skipped = 0;
        Matcher matcher = SUMMARY.matcher(output);
        while (matcher.find()) {
            long count = Long.parseLong(matcher.group(1));
            switch (matcher.group(2) + " " + matcher.group(3)) {
                case "tests successful" -> passed = count;
                case "tests failed", "containers failed" -> failed += count;
                case "tests skipped", "tests aborted" -> skipped += count;
                default -> {
                    // The numbers found and started are sums of the others.
                }
            }
        }
        return new Totals(passed, status != 0 && failed == 0 ? 1 : failed, skipped);
    }

    /** Runs a command, its output into a file, and waits for it; ends it at the limit. */
    private int execute(List<String> command, Path folder, Path log) throws Exception {
        Files.createDirectories(log.getParent());
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        Process process;
        synchronized (this) {
            if (interrupted) {
                return INTERRUPTED;
            }
            try {
                process = builder.start();
            } catch (IOException e) {
                throw new UsageException("cannot start " + command.get(0) + ": " + e.getMessage());
            }
            child = process;
        }
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            end(process);
            Files.writeString(log, "killed after " + LIMIT_SECONDS + " s\n", StandardOpenOption.APPEND);
        }
        int status = process.waitFor();
        if (status > SIGNALLED) {
            awaitOwnSignal();
        }
        return status;
    }

    /**
     * A terminal's Ctrl-C reaches the child as well, which may die of it before our own shutdown begins. So a child that
     * a signal ended is only called red if no signal comes for us.
     */
    private synchronized void awaitOwnSignal() throws InterruptedException {
        long deadline = System.nanoTime() + OWN_SIGNAL_NANOS;
        for (long left = OWN_SIGNAL_NANOS; !interrupted && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** On a signal: leaves no child behind and says what there is so far. */
    private synchronized void interrupt(PrintStream out) {
        interrupted = true;
        notifyAll();
        if (child != null) {
            end(child);
        }
        out.println("interrupted");
        out.println(totals);
        out.flush();
    }

    private synchronized boolean isInterrupted() {
        return interrupted;
    }

    private synchronized void add(Totals part) {
        totals = totals.plus(part);
    }

    private synchronized Totals totals() {
        return totals;
    }
}
