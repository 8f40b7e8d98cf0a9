package io.sluice.jcstress.gate;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.jcstress.twin.AccessModes;
import io.sluice.jcstress.twin.Catalogue;
import io.sluice.jcstress.twin.Edit;
import io.sluice.jcstress.twin.Rewriter;
import io.sluice.jcstress.twin.Row;
import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * Applies every row of the catalogue to the shipped classes, each by itself, and asks the test that must notice. With {@code
 * --pins}: applies each pinned row, and lets jcstress look for it for long; it must find nothing.
 */
public final class Mutants implements Verb {
    private static final List<String> MODULES = List.of(
            "core",
            "ringbuffer",
            "batching",
            "backpressure",
            "ordered-scheduler",
            "integrations/aeron",
            "integrations/disruptor",
            "jcstress-tests");

    /** The part of the rows that are not pinned that must be caught, in percent. */
    private static final int DEMANDED = 95;

    /** After this a JVM of JUnit tests is taken to hang; unchanged they end in a few seconds. */
    private static final long LIMIT_SECONDS = 30;

    /** A model checker takes as long as the code has steps, far from any hang. */
    private static final long LINCHECK_LIMIT_SECONDS = 120;

    /** How a mutation fared. */
    enum Fate {
        CAUGHT("caught"),
        /** Noticed by the scan of the byte code, by no test: counted apart. */
        PINNED("pinned"),
        /** A pinned row that jcstress did not see either. */
        NOT_SEEN("not seen"),
        /** A pinned row that jcstress saw: it is to become a twin. */
        SEEN("SEEN"),
        SURVIVED("SURVIVED"),
        HARMLESS("survived"),
        BROKEN("BROKEN");

        private final String word;

        Fate(String word) {
            this.word = word;
        }
    }

    /**
     * The result of a row.
     *
     * @param row the row
     * @param fate how it fared
     * @param by what gave it away, or why it was not
     * @param seconds how long that took
     */
    record Result(Row row, Fate fate, String by, double seconds) {}

    private final List<Result> results = new ArrayList<>();
    private @Nullable Process child;
    private @Nullable Harness harness;
    private boolean stopped;

    /** Creates the verb. */
    public Mutants() {}

    @Override
    public String name() {
        return "mutants";
    }

    @Override
    public String summary() {
        return "break the shipped classes in one place after another, and see which test notices";
    }

    @Override
    public boolean isForDevelopers() {
        return true;
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice mutants [--only REGEX] [--pins [--quick|--default|--tough]]

                Applies each row of the catalogue of mutations to the shipped class files, one at a time, and runs the
                one test that is expected to notice: a JUnit or Lincheck test in a JVM of its own, a jcstress test, or
                the scan of the byte code for what x86 does not show. Compiles the tests with Maven first, and runs
                them unchanged once: they must pass. Needs two CPUs; at most 55 minutes on two.

                  --only REGEX   only rows whose name contains a match
                  --pins         only pinned rows: those that no test notices on x86, but the scan of the byte code. Each
                                 is run before the jcstress tests of its method, and must not be seen there either: one
                                 that is seen is to become a twin. --quick: 150 ms in each of four JVMs or more;
                                 --default: three times 500 ms, every pair of compilers; --tough (unless said
                                 otherwise): ten times 1 s, in three to ten JVMs for each pair; takes days for all rows

                The table shows mutation, weakening, layer, outcome, seconds, and what gave it away. Pinned rows are counted
                apart. Exit status: 0 at least 95 % of the others are caught, every other one is explained in the
                catalogue, and the scan notices each pinned row; 1 if not, or if a pinned row was seen; 2 bad usage, 130 on
                Ctrl-C, with the table so far.
                """;
    }

    /** The options of the command line. */
    record Options(Predicate<String> selected, @Nullable Setting pins) {
        private static final List<Setting> LEVELS = List.of(Setting.QUICK, Setting.DEFAULT, Setting.TOUGH);

        static Options parse(List<String> arguments) throws UsageException {
            Predicate<String> selected = name -> true;
            boolean pins = false;
            Setting level = null;
            for (int i = 0; i < arguments.size(); i++) {
                String argument = arguments.get(i);
                if (argument.equals("--pins")) {
                    pins = true;
                } else if (argument.equals("--only")) {
                    if (++i == arguments.size()) {
                        throw new UsageException("--only must be given once and have a value, but was not");
                    }
                    selected = pattern(arguments.get(i));
                } else {
                    level = LEVELS.stream()
                            .filter(one -> one.name().equals(argument))
                            .findFirst()
                            .orElseThrow(() ->
                                    new UsageException("each argument must be --only, --pins, or with --pins one of "
                                            + LEVELS.stream().map(Setting::name).collect(Collectors.joining(", "))
                                            + ", but one was '" + argument + "'"));
                }
            }
            if (level != null && !pins) {
                throw new UsageException(level.name() + " must be used with --pins, but that is not given");
            }
            return new Options(selected, !pins ? null : level == null ? Setting.TOUGH : level);
        }

        private static Predicate<String> pattern(String value) throws UsageException {
            try {
                return Pattern.compile(value).asPredicate();
            } catch (PatternSyntaxException e) {
                throw new UsageException(
                        "--only must be a regular expression, but was '" + value + "': " + e.getDescription());
            }
        }

        boolean selects(Row row) {
            return selected.test(row.name()) && (pins == null || row.layer() == Row.Layer.PINNED);
        }
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        String home = System.getProperty("sluice.home");
        if (home == null) {
            throw new UsageException(
                    "the property sluice.home must be set, but is not; start through ./sluice mutants");
        }
        List<Row> rows = Catalogue.rows().stream().filter(options::selects).toList();
        if (rows.isEmpty()) {
            throw new UsageException("--only must match a part of the name of a row, but matches none of "
                    + Catalogue.rows().size() + (options.pins() == null ? "" : " that is pinned"));
        }
        int cpus = Runtime.getRuntime().availableProcessors();
        if (cpus < 2) {
            throw new UsageException("the machine must show 2 CPUs or more, but shows " + cpus);
        }
        Path root = Path.of(home);
        Path folder = root.resolve("jcstress-tests").resolve("target").resolve("mutants");
        Files.createDirectories(folder);
        Thread hook = new Thread(this::interrupt, "sluice-mutants-interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            if (options.pins() == null) {
                all(rows, root, folder);
            } else {
                pins(rows, options.pins(), cpus, folder);
            }
        } catch (Exception e) {
            if (isStopped()) {
                return INTERRUPTED; // the hook has the word; what broke is the run that it ended
            }
            throw e;
        } finally {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // The JVM is shutting down: the hook says what there is to say.
            }
        }
        if (isStopped()) {
            return INTERRUPTED;
        }
        report(snapshot()).forEach(System.out::println);
        return holds(snapshot()) ? DONE : CHECK_FAILED;
    }

    private void all(List<Row> rows, Path root, Path folder) throws Exception {
        List<String> unitTests = rows.stream()
                .filter(Mutants::isUnit)
                .map(Row::expected)
                .distinct()
                .toList();
        if (!unitTests.isEmpty()) {
            System.err.println("sluice mutants: compiling the tests");
            compile(root, folder);
            System.err.println("sluice mutants: " + unitTests.size() + " tests, unchanged");
            Path log = folder.resolve("unchanged.log");
            long limit = LINCHECK_LIMIT_SECONDS + unitTests.size() * LIMIT_SECONDS; // each test has its own limit too
            int status = runTests(root, log, null, unitTests, LINCHECK_LIMIT_SECONDS, limit);
            if (status == HANGS) {
                throw new IllegalStateException("the tests must end within " + limit
                        + " s without any mutation, but have not; their output is in " + log);
            } else if (status != TestRun.PASSED) {
                throw new IllegalStateException(
                        "the tests fail without any mutation, status " + status + "; their output is in " + log);
            }
        }
        Map<String, StressTest> stress = new LinkedHashMap<>();
        for (StressTest test : StressTest.all()) {
            stress.put(test.name(), test);
        }
        Harness jcstress = new Harness(folder, System.err);
        synchronized (this) {
            harness = jcstress;
        }
        for (Row row : rows) {
            if (isStopped()) {
                return;
            }
            long begin = System.nanoTime();
            Result result = one(row, root, folder, stress, jcstress, begin);
            add(result);
            System.err.println("sluice mutants: " + row.name() + " " + result.fate().word);
        }
    }

    private void pins(List<Row> rows, Setting setting, int cpus, Path folder) throws Exception {
        List<StressTest> tests = StressTest.all();
        Harness jcstress = new Harness(folder, System.err);
        synchronized (this) {
            harness = jcstress;
        }
        for (Row row : rows) {
            if (isStopped()) {
                return;
            }
            long begin = System.nanoTime();
            Result result = pin(row, nearby(row, tests, cpus), setting, jcstress, folder, begin);
            add(result);
            System.err.println("sluice mutants: " + row.name() + " " + result.fate().word + ": " + result.by());
        }
    }

    private static Result pin(
            Row row, List<StressTest> tests, Setting setting, Harness jcstress, Path folder, long begin)
            throws Exception {
        Path classes = folder.resolve("pins").resolve(row.name());
        Files.createDirectories(classes);
        Rewriter.write(row, classes);
        long samples = 0;
        List<String> seen = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        Map<Integer, List<StressTest>> byActors = tests.stream().collect(Collectors.groupingBy(StressTest::actors));
        for (List<StressTest> alike : byActors.values()) {
            Harness.Run run = jcstress.run("pin-" + row.name(), alike, setting, classes);
            problems.addAll(run.problems());
            for (StressTest test : alike) {
                Sampled sampled = run.byTest().getOrDefault(test.name(), Sampled.NOTHING);
                samples += sampled.total();
                sampled.forbidden().forEach(outcome -> seen.add(test.shortName() + ", outcome '" + outcome + "'"));
                problems.addAll(sampled.errors());
            }
        }
        Fate fate = !seen.isEmpty() ? Fate.SEEN : problems.isEmpty() ? Fate.NOT_SEEN : Fate.BROKEN;
        String by = !seen.isEmpty()
                ? String.join("; ", seen)
                : !problems.isEmpty()
                        ? String.join("; ", problems)
                        : String.format(
                                Locale.ROOT,
                                "%,d samples %s of %s",
                                samples,
                                setting.name(),
                                tests.stream().map(StressTest::shortName).collect(Collectors.joining(", ")));
        return new Result(row, fate, by, (System.nanoTime() - begin) / 1e9);
    }

    /**
     * The jcstress tests that look at the code that a row breaks: those with a twin in the same method; if there is none, with
     * one in the same class; if there is none, all of its module.
     */
    static List<StressTest> nearby(Row row, List<StressTest> tests, int cpus) {
        List<StressTest> here =
                tests.stream().filter(test -> test.actors() <= cpus).toList();
        List<StressTest> sameMethod = here.stream()
                .filter(test -> edits(test)
                        .anyMatch(edit -> row.edits().stream()
                                .anyMatch(own -> own.owner().equals(edit.owner())
                                        && own.method().equals(edit.method()))))
                .toList();
        if (!sameMethod.isEmpty()) {
            return sameMethod;
        }
        List<StressTest> sameClass = here.stream()
                .filter(test -> edits(test).anyMatch(edit -> row.classes().contains(edit.owner())))
                .toList();
        if (!sameClass.isEmpty()) {
            return sameClass;
        }
        String owner = row.classes().get(0);
        String module = owner.substring("io.sluice.".length(), owner.lastIndexOf('.'));
        return here.stream()
                .filter(test -> test.shortName().startsWith(module + "."))
                .toList();
    }

    private static Stream<Edit> edits(StressTest test) {
        return test.twins().stream().flatMap(twin -> Catalogue.row(twin).edits().stream());
    }

    private Result one(Row row, Path root, Path folder, Map<String, StressTest> stress, Harness jcstress, long begin)
            throws Exception {
        Fate fate;
        String by;
        switch (row.layer()) {
            case PINNED -> {
                boolean noticed = AccessModes.notices(row);
                fate = noticed ? Fate.PINNED : survived(row);
                by = !noticed
                        ? row.harmless()
                        : "the scan of the byte code"
                                + (row.harmless().isEmpty() ? "" : "; harmless: " + row.harmless());
            }
            case JCSTRESS -> {
                StressTest test = stress.get(row.expected());
                if (test == null) {
                    throw new IllegalStateException("row " + row.name() + ": no jcstress test " + row.expected());
                }
                Verdict.Fate twin = Jcstress.twin(test, row, jcstress, folder);
                fate = twin.caught() ? Fate.CAUGHT : survived(row);
                by = twin.caught()
                        ? test.shortName() + ", outcome '" + twin.outcome() + "'"
                        : row.harmless() + twin.outcome();
            }
            default -> {
                Path classes = folder.resolve("classes").resolve(row.name());
                Files.createDirectories(classes);
                Rewriter.write(row, classes);
                Path log = folder.resolve(row.name() + ".log");
                long limit = row.layer() == Row.Layer.LINCHECK ? LINCHECK_LIMIT_SECONDS : LIMIT_SECONDS;
                int status = runTests(root, log, classes, List.of(row.expected()), limit, limit);
                if (status == TestRun.FAILED) {
                    fate = Fate.CAUGHT;
                    by = firstFailure(log);
                } else if (status == HANGS) {
                    fate = Fate.CAUGHT;
                    by = shortName(row.expected()) + " hangs";
                } else if (status == TestRun.PASSED) {
                    fate = survived(row);
                    by = row.harmless();
                } else {
                    fate = Fate.BROKEN;
                    by = "exit status " + status + ", output in " + log;
                }
            }
        }
        return new Result(row, fate, by, (System.nanoTime() - begin) / 1e9);
    }

    private static final int HANGS = -1;

    private static Fate survived(Row row) {
        return row.harmless().isEmpty() ? Fate.SURVIVED : Fate.HARMLESS;
    }

    private static boolean isUnit(Row row) {
        return row.layer() == Row.Layer.JUNIT || row.layer() == Row.Layer.LINCHECK;
    }

    private static String shortName(String test) {
        return test.replaceFirst("^io\\.sluice\\.", "");
    }

    private static String firstFailure(Path log) throws IOException {
        String line = Files.readAllLines(log, Charset.defaultCharset()).stream()
                .filter(one -> one.startsWith("FAILED "))
                .findFirst()
                .orElse("FAILED");
        return shortName(line.substring("FAILED".length()).strip());
    }

    private void compile(Path root, Path folder) throws IOException, InterruptedException, UsageException {
        Path log = folder.resolve("compile.log");
        int status = execute(
                List.of(
                        "mvn",
                        "-B",
                        "-ntp",
                        "-Dstyle.color=never",
                        "-pl",
                        String.join(",", MODULES),
                        "-am",
                        "test-compile"),
                root,
                log,
                TimeUnit.MINUTES.toSeconds(20));
        if (status != 0) {
            throw new UsageException(
                    "the tests do not compile: mvn ended with " + status + "; its output is in " + log);
        }
    }

    private int runTests(
            Path root, Path log, @Nullable Path ahead, List<String> tests, long testSeconds, long limitSeconds)
            throws IOException, InterruptedException {
        List<String> path = new ArrayList<>();
        if (ahead != null) {
            path.add(ahead.toString());
        }
        for (String module : MODULES) {
            path.add(root.resolve(module)
                    .resolve("target")
                    .resolve("test-classes")
                    .toString());
        }
        path.add(System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:+UseParallelGC",
                "-XX:TieredStopAtLevel=1",
                "-Dsluice.shrinkSeconds=0", // that a random program fails is all that is asked
                "-D" + TestRun.SECONDS + "=" + (testSeconds - 5), // before the JVM is ended
                "--add-exports",
                "java.base/jdk.internal.misc=ALL-UNNAMED",
                "-cp",
                String.join(File.pathSeparator, path),
                TestRun.class.getName()));
        command.addAll(tests);
        return execute(command, root.resolve("jcstress-tests"), log, limitSeconds);
    }

    private int execute(List<String> command, Path where, Path log, long limitSeconds)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(where.toFile())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(log.toFile());
        Process process;
        synchronized (this) {
            if (stopped) {
                throw new InterruptedException("stopped");
            }
            process = builder.start();
            child = process;
        }
        if (process.waitFor(limitSeconds, TimeUnit.SECONDS)) {
            return process.exitValue();
        }
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
        return HANGS;
    }

    private void interrupt() {
        List<Result> soFar;
        synchronized (this) {
            stopped = true;
            if (child != null) {
                child.descendants().forEach(ProcessHandle::destroyForcibly);
                child.destroyForcibly();
            }
            if (harness != null) {
                harness.stop();
            }
            soFar = List.copyOf(results);
        }
        System.out.println("interrupted");
        report(soFar).forEach(System.out::println);
        System.out.flush();
    }

    private synchronized boolean isStopped() {
        return stopped;
    }

    private synchronized void add(Result result) {
        results.add(result);
    }

    private synchronized List<Result> snapshot() {
        return List.copyOf(results);
    }

    private static long count(List<Result> results, Fate fate) {
        return results.stream().filter(one -> one.fate() == fate).count();
    }

    /** Whether enough rows that are not pinned are caught, the others are explained, and no pinned row was seen. */
    static boolean holds(List<Result> results) {
        long apart = apart(results);
        return !results.isEmpty()
                && failures(results) == 0
                && count(results, Fate.CAUGHT) * 100 >= DEMANDED * (results.size() - apart);
    }

    private static long apart(List<Result> results) {
        return count(results, Fate.PINNED) + count(results, Fate.NOT_SEEN);
    }

    private static long failures(List<Result> results) {
        return count(results, Fate.SURVIVED) + count(results, Fate.BROKEN) + count(results, Fate.SEEN);
    }

    /** The table, and the last line. */
    static List<String> report(List<Result> results) {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT, "%-36s %-32s %-9s %-9s %6s  %s", "mutation", "weakening", "layer", "outcome", "s", "by"));
        for (Result one : results) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%-36s %-32s %-9s %-9s %6.1f  %s",
                    one.row().name(),
                    one.row().kind(),
                    one.row().layer().name().toLowerCase(Locale.ROOT),
                    one.fate().word,
                    one.seconds(),
                    one.by()));
        }
        lines.add("");
        for (Row.Layer layer : Row.Layer.values()) {
            List<Result> of =
                    results.stream().filter(one -> one.row().layer() == layer).toList();
            if (!of.isEmpty()) {
                lines.add(layer.name().toLowerCase(Locale.ROOT) + ": "
                        + of.stream()
                                .collect(Collectors.groupingBy(
                                        one -> one.fate().word, java.util.TreeMap::new, Collectors.counting())));
            }
        }
        long caught = count(results, Fate.CAUGHT);
        long apart = apart(results);
        long asked = results.size() - apart - count(results, Fate.SEEN);
        if (asked > 0) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%d mutations: %d caught, %d survived (%d of them explained), %d broken; caught %.1f %%, demanded %d %%",
                    asked,
                    caught,
                    count(results, Fate.SURVIVED) + count(results, Fate.HARMLESS),
                    count(results, Fate.HARMLESS),
                    count(results, Fate.BROKEN),
                    caught * 100.0 / asked,
                    DEMANDED));
        }
        if (count(results, Fate.PINNED) > 0) {
            lines.add("apart from these, " + count(results, Fate.PINNED)
                    + " pinned: no test notices them, the scan of the byte code does");
        }
        if (count(results, Fate.NOT_SEEN) + count(results, Fate.SEEN) > 0) {
            lines.add("pinned rows before jcstress: " + count(results, Fate.NOT_SEEN) + " not seen, as expected; "
                    + count(results, Fate.SEEN) + " seen, which are to become twins");
        }
        lines.add((caught + count(results, Fate.HARMLESS) + count(results, Fate.NOT_SEEN)) + " passed, "
                + failures(results) + " failed, 0 skipped"
                + (count(results, Fate.PINNED) > 0 ? ", " + count(results, Fate.PINNED) + " pinned" : ""));
        return lines;
    }
}
