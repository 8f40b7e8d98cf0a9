package io.sluice.jcstress.gate;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.jcstress.gate.ProveReport.Entry;
import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs every proof at full budget, one step after another, each in a process of its own with a time limit, and writes the results into
 * {@code docs/verification.md}. A step that has passed on the same commit is not run again, so an interrupted run goes on where it was.
 */
public final class Prove implements Verb {
    private static final int COMMIT_DIGITS = 12;

    /** Exit statuses above this are those of processes that a signal ended. */
    private static final int SIGNALLED = 128;

    private static final long OWN_SIGNAL_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The options of the command line. */
    record Options(Predicate<String> selected, boolean list, boolean again, boolean write) {
        static Options parse(List<String> arguments) throws UsageException {
            Predicate<String> selected = name -> true;
            boolean list = false;
            boolean again = false;
            boolean write = false;
            for (int i = 0; i < arguments.size(); i++) {
                switch (arguments.get(i)) {
                    case "--list" -> list = true;
                    case "--again" -> again = true;
                    case "--write" -> write = true;
                    case "--only" -> {
                        if (++i == arguments.size()) {
                            throw new UsageException("--only must be given once and have a value, but was not");
                        }
                        selected = pattern(arguments.get(i));
                    }
                    default ->
                        throw new UsageException(
                                "each argument must be --only, --list, --again or --write, but one was '"
                                        + arguments.get(i) + "'");
                }
            }
            return new Options(selected, list, again, write);
        }

        private static Predicate<String> pattern(String value) throws UsageException {
            try {
                return Pattern.compile(value).asPredicate();
            } catch (PatternSyntaxException e) {
                throw new UsageException(
                        "--only must be a regular expression, but was '" + value + "': " + e.getDescription());
            }
        }
    }

    private final List<ProveStep> steps;
    private final boolean compiles;

    private @Nullable Process child;
    private boolean stopped;

    /** Creates the verb. */
    public Prove() {
        this(ProveStep.all(), true);
    }

    /**
     * For tests.
     *
     * @param compiles whether Maven compiles the modules' tests first
     */
    Prove(List<ProveStep> steps, boolean compiles) {
        this.steps = List.copyOf(steps);
        this.compiles = compiles;
    }

    @Override
    public String name() {
        return "prove";
    }

    @Override
    public String summary() {
        return "run every proof at full budget on both JDKs, and write down what came of it; takes days";
    }

    @Override
    public boolean isForDevelopers() {
        return true;
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice prove [--only REGEX] [--list] [--again] [--write]

                Runs the proofs at full budget, on JDK 17 and 25: the models, Lincheck at its full default, the random
                programs over all features, jcstress with every twin, the mutations, the concurrency tests fifty times,
                an hour of soak, and every pinned mutation at jcstress' tough level. Takes days; each step by itself
                less. Each runs in a process of its own with a time limit; its output is in
                jcstress-tests/target/prove. What came of it, with its counts, the commit and the date, is written
                into docs/verification.md.

                  --only REGEX   only steps whose name contains a match
                  --list         only say which steps there are, and when each was last run
                  --again        also steps that have passed on this commit
                  --write        only write docs/verification.md anew: how many tests and mutations there are today

                A step that has passed on this commit, without other changes, is not run again: so a run that was
                interrupted goes on where it was. JDKs are found by JAVA17_HOME and JAVA25_HOME, JAVA_HOME and the usual
                folders. Exit status: 0 all steps passed, 1 one failed or has no JDK, 2 bad usage, 130 on Ctrl-C.
                """;
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        String home = System.getProperty("sluice.home");
        if (home == null) {
            throw new UsageException("the property sluice.home must be set, but is not; start through ./sluice prove");
        }
        Path root = Path.of(home);
        List<ProveStep> chosen = steps.stream()
                .filter(step -> options.selected().test(step.name()))
                .toList();
        if (chosen.isEmpty()) {
            throw new UsageException("--only must match a part of the name of a step, but matches none of "
                    + steps.size() + ", see --list");
        }
        if (options.list()) {
            String page = Files.readString(root.resolve(ProveReport.PAGE), StandardCharsets.UTF_8);
            for (ProveStep step : chosen) {
                Entry entry = ProveReport.entry(page, step);
                System.out.printf(
                        Locale.ROOT,
                        "%-12s %s; %s%n",
                        step.name(),
                        step.what(),
                        entry == null
                                ? "not run yet"
                                : entry.outcome() + " on " + entry.date() + ", " + entry.commit());
            }
            return DONE;
        }
        if (options.write()) {
            ProveReport.write(root, steps, Map.of());
            System.out.println("written: " + ProveReport.PAGE);
            return DONE;
        }
        Thread hook = new Thread(this::stop, "sluice-prove-interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return prove(chosen, options.again(), root);
        } catch (InterruptedException e) {
            return INTERRUPTED; // by the hook: no thread interrupts this one
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The JVM is shutting down: the results of ended steps are written already.
            }
        }
    }

    private int prove(List<ProveStep> chosen, boolean again, Path root) throws Exception {
        Path folder = root.resolve("jcstress-tests").resolve("target").resolve("prove");
        Files.createDirectories(folder);
        String commit = commit(root, folder);
        boolean clean = !commit.contains(" ");
        String page = Files.readString(root.resolve(ProveReport.PAGE), StandardCharsets.UTF_8);
        boolean compiled = !compiles;
        int passed = 0;
        int earlier = 0;
        int failed = 0;
        for (ProveStep step : chosen) {
            Entry before = ProveReport.entry(page, step);
            if (!again
                    && clean
                    && before != null
                    && before.passed()
                    && before.commit().equals(commit)) {
                System.out.println(step.name() + ": passed on this commit already");
                earlier++;
                continue;
            }
            if (!compiled && step.kind() == ProveStep.Kind.TESTS) {
                compile(root, folder);
                compiled = true;
            }
            System.out.println(step.name() + ": " + step.what());
            Entry entry = one(step, root, folder, commit);
            ProveReport.write(root, steps, Map.of(step.name(), entry));
            System.out.println(
                    step.name() + ": " + entry.outcome() + "; " + entry.counts() + "; " + entry.minutes() + " min");
            if (entry.passed()) {
                passed++;
            } else {
                failed++;
            }
        }
        System.out.println(
                (passed + earlier) + " passed, " + earlier + " of them before this run, " + failed + " failed");
        return failed == 0 ? DONE : CHECK_FAILED;
    }

    private Entry one(ProveStep step, Path root, Path folder, String commit) throws Exception {
        long begin = System.nanoTime();
        Path log = folder.resolve(step.name() + ".log");
        Path jdk = jdk(step.jdk());
        String outcome;
        List<String> lines = List.of();
        if (jdk == null) {
            outcome = "FAILED: no JDK " + step.jdk() + " was found";
        } else {
            List<String> command = command(step, root, jdk);
            if (command.isEmpty()) {
                outcome = "FAILED: no test names " + step.arguments().get(0);
            } else {
                Path where = step.kind() == ProveStep.Kind.TESTS ? root.resolve("jcstress-tests") : root;
                int status = execute(command, where, jdk, log, step.limitMinutes());
                lines = Files.readAllLines(log, Charset.defaultCharset());
                outcome = status == 0
                        ? Entry.PASSED
                        : status == TIMED_OUT
                                ? "FAILED: not over after " + step.limitMinutes() + " minutes"
                                : "FAILED: exit status " + status;
            }
        }
        String minutes = String.format(Locale.ROOT, "%.1f", (System.nanoTime() - begin) / 60e9);
        return new Entry(
                outcome,
                step.counts(lines),
                minutes,
                commit,
                LocalDate.now(Clock.systemUTC()).toString());
    }

    private static List<String> command(ProveStep step, Path root, Path jdk) throws IOException {
        List<String> command = new ArrayList<>();
        switch (step.kind()) {
            case MAVEN -> {
                command.addAll(List.of("mvn", "-B", "-ntp", "-Dstyle.color=never"));
                command.addAll(step.arguments());
            }
            case VERB -> {
                command.addAll(java(jdk));
                command.addAll(List.of("-Dsluice.home=" + root, "-cp", classPath(), "io.sluice.cli.Main"));
                command.addAll(step.arguments());
            }
            default -> {
                Map<String, Path> tests = testsThatName(step.arguments().get(0), root);
                if (tests.isEmpty()) {
                    return List.of();
                }
                command.addAll(java(jdk));
                command.addAll(List.of("-ea", "-Xmx1g", "-XX:+UseParallelGC"));
                command.add(
                        "-D" + step.arguments().get(0) + "=" + step.arguments().get(1));
                command.add("-D" + TestRun.NO_TIME_LIMITS + "=true");
                List<String> path = new ArrayList<>();
                tests.values().stream().distinct().forEach(folder -> path.add(folder.toString()));
                path.add(classPath());
                command.addAll(List.of("-cp", String.join(File.pathSeparator, path), TestRun.class.getName()));
                command.addAll(tests.keySet());
            }
        }
        return command;
    }

    /** This JVM's, with absolute entries: the steps run in other folders. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static List<String> java(Path jdk) {
        return List.of(
                jdk.resolve("bin").resolve("java").toString(),
                "--add-exports",
                "java.base/jdk.internal.misc=ALL-UNNAMED");
    }

    /** The test classes whose sources name a property, each with its module's test classes. */
    static Map<String, Path> testsThatName(String property, Path root) throws IOException {
        Map<String, Path> found = new LinkedHashMap<>();
        List<Path> modules;
        try (Stream<Path> folders = Files.walk(root, 2)) {
            modules = folders.filter(folder -> Files.isDirectory(folder.resolve("src/test/java")))
                    .sorted()
                    .toList();
        }
        for (Path module : modules) {
            Path sources = module.resolve("src").resolve("test").resolve("java");
            Map<String, String> named = new LinkedHashMap<>();
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter(file -> file.toString().endsWith(".java"))
                        .sorted()
                        .toList()) {
                    named.put(
                            sources.relativize(file)
                                    .toString()
                                    .replace(File.separatorChar, '.')
                                    .replaceFirst("\\.java$", ""),
                            Files.readString(file, StandardCharsets.UTF_8));
                }
            }
            // A helper class may read the property: then the tests of its package that use it are meant.
            for (Map.Entry<String, String> reader : named.entrySet()) {
                if (!reader.getValue().contains("\"" + property + "\"")) {
                    continue;
                }
                String simple = reader.getKey().substring(reader.getKey().lastIndexOf('.') + 1);
                Pattern uses = Pattern.compile("\\b" + Pattern.quote(simple) + "\\b");
                named.forEach((test, source) -> {
                    boolean meant = test.equals(reader.getKey())
                            || (!reader.getKey().endsWith("Test")
                                    && uses.matcher(source).find());
                    if (test.endsWith("Test") && meant) {
                        found.put(test, module.resolve("target").resolve("test-classes"));
                    }
                });
            }
        }
        return found;
    }

    private void compile(Path root, Path folder) throws Exception {
        System.out.println("compiling the tests");
        Path log = folder.resolve("compile.log");
        int status = execute(
                List.of("mvn", "-B", "-ntp", "-Dstyle.color=never", "test-compile"),
                root,
                Path.of(System.getProperty("java.home")),
                log,
                30);
        if (status != 0) {
            throw new UsageException(
                    "the tests do not compile: mvn ended with " + status + "; its output is in " + log);
        }
    }

    /** The commit, and whether the tree differs from it, the page that is written here left out. */
    private String commit(Path root, Path folder) throws IOException, InterruptedException {
        Path log = folder.resolve("git.log");
        Path jdk = Path.of(System.getProperty("java.home"));
        if (execute(List.of("git", "rev-parse", "HEAD"), root, jdk, log, 1) != 0) {
            return "unknown commit";
        }
        String head = Files.readString(log, StandardCharsets.UTF_8).strip();
        String commit = head.substring(0, Math.min(COMMIT_DIGITS, head.length()));
        if (execute(List.of("git", "status", "--porcelain"), root, jdk, log, 1) != 0) {
            return "unknown commit";
        }
        boolean changed = Files.readAllLines(log, StandardCharsets.UTF_8).stream()
                .anyMatch(line -> !line.isBlank() && !line.endsWith(ProveReport.PAGE));
        return changed ? commit + " and changes" : commit;
    }

    /** Where a JDK is, null if none is found. */
    private static @Nullable Path jdk(int major) throws IOException {
        List<Path> homes = new ArrayList<>();
        for (String variable : List.of("JAVA" + major + "_HOME", "JAVA_HOME")) {
            String value = System.getenv(variable);
            if (value != null && !value.isBlank()) {
                homes.add(Path.of(value));
            }
        }
        homes.add(Path.of(System.getProperty("java.home")));
        for (String folder : List.of(
                "/usr/lib/jvm",
                "/usr/java",
                "/opt/java",
                System.getProperty("user.home") + "/.sdkman/candidates/java")) {
            if (Files.isDirectory(Path.of(folder))) {
                try (Stream<Path> found = Files.list(Path.of(folder))) {
                    found.sorted().forEach(homes::add);
                }
            }
        }
        for (Path home : homes) {
            Path release = home.resolve("release");
            if (Files.isExecutable(home.resolve("bin").resolve("javac"))
                    && Files.isReadable(release)
                    && Files.readString(release, StandardCharsets.UTF_8)
                            .matches("(?s).*JAVA_VERSION=\"" + major + "[.\"].*")) {
                return home;
            }
        }
        return null;
    }

    private static final int TIMED_OUT = -1;

    private int execute(List<String> command, Path where, Path jdk, Path log, int limitMinutes)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(where.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(log.toFile());
        builder.environment().put("JAVA_HOME", jdk.toString());
        Process process;
        synchronized (this) {
            if (stopped) {
                throw new InterruptedException("stopped");
            }
            process = builder.start();
            child = process;
        }
        boolean over = process.waitFor(limitMinutes, TimeUnit.MINUTES);
        if (!over) {
            end(process);
        }
        int status = process.waitFor();
        if (status > SIGNALLED) {
            awaitOwnSignal();
        }
        synchronized (this) {
            if (stopped) {
                throw new InterruptedException("stopped");
            }
        }
        return over ? status : TIMED_OUT;
    }

    /** A terminal's Ctrl-C reaches the child as well, which may die of it before this is told: that is no failed step. */
    private synchronized void awaitOwnSignal() throws InterruptedException {
        long deadline = System.nanoTime() + OWN_SIGNAL_NANOS;
        for (long left = OWN_SIGNAL_NANOS; !stopped && left > 0; left = deadline - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Ends the present step, which is not written down, and lets no other start. Any thread. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
        if (child != null) {
            end(child);
        }
        System.out.println("interrupted; what has ended is in " + ProveReport.PAGE);
        System.out.flush();
    }
}
