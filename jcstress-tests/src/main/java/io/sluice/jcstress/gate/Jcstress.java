package io.sluice.jcstress.gate;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.jcstress.twin.AccessModes;
import io.sluice.jcstress.twin.Catalogue;
import io.sluice.jcstress.twin.Kind;
import io.sluice.jcstress.twin.Rewriter;
import io.sluice.jcstress.twin.Row;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/** The gate: every jcstress test must hold, must have met its race, and must catch its weakened twins. */
public final class Jcstress implements Verb {
    /** How many JVMs a configuration are tried after a glance, one after another, before a twin counts as survived. */
    private static final int[] TRIES = {1, 3, 8};

    private static final Verdict.Fate NOT_CAUGHT = new Verdict.Fate(0, "");

    /** The options of the command line. */
    record Options(Setting setting, Predicate<String> selected) {
        static Options parse(List<String> arguments) throws UsageException {
            Setting setting = Setting.QUICK;
            Predicate<String> selected = name -> true;
            List<Setting> settings = List.of(Setting.SMALLEST, Setting.QUICK, Setting.DEFAULT, Setting.TOUGH);
            for (int i = 0; i < arguments.size(); i++) {
                String argument = arguments.get(i);
                if (argument.equals("-t")) {
                    if (++i == arguments.size()) {
                        throw new UsageException("-t must have a value, but none follows");
                    }
                    selected = pattern(arguments.get(i));
                } else {
                    setting = settings.stream()
                            .filter(one -> one.name().equals(argument))
                            .findFirst()
                            .orElseThrow(() -> new UsageException("each argument must be one of "
                                    + settings.stream().map(Setting::name).collect(Collectors.joining(", "))
                                    + ", -t, but one was '" + argument + "'"));
                }
            }
            return new Options(setting, selected);
        }

        private static Predicate<String> pattern(String value) throws UsageException {
            try {
                return Pattern.compile(value).asPredicate();
            } catch (PatternSyntaxException e) {
                throw new UsageException(
                        "-t must be a regular expression, but was '" + value + "': " + e.getDescription());
            }
        }
    }

    /** Creates the verb. */
    public Jcstress() {}

    @Override
    public String name() {
        return "jcstress";
    }

    @Override
    public String summary() {
        return "show the claims about two threads on this machine, and that each check can fail";
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice jcstress [--smallest|--quick|--default|--tough] [-t REGEX]

                Runs the jcstress tests against the shipped classes, then each test again against its weakened
                twins: the same classes with one thing broken, which the test must catch. A twin is tried in one JVM
                first; one that is not caught, with 1, 3 and 8 JVMs for each configuration. Needs two CPUs.

                  --smallest   100 ms in one JVM, C2 for both threads; one twin for each kind
                  --quick      150 ms in each JVM, the same compiler for both threads; every twin (the default; at most
                               25 minutes on two CPUs)
                  --default    three times 500 ms, every pair of compilers, randomized compilation in three JVMs; every twin
                  --tough      ten times 1 s in three JVMs, every pair of compilers, randomized compilation in ten; every twin
                  -t REGEX     only tests whose class name contains a match

                The table shows test, samples, outcome, controls caught and claim. The HTML report of jcstress is in
                jcstress-tests/target/jcstress/tests/results/index.html. Tests that need more CPUs than there are are
                listed as not run here. Exit status: 0 everything holds, 1 something forbidden, left out or not
                caught, 2 bad usage, 130 on Ctrl-C, with the table so far.
                """;
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        String home = System.getProperty("sluice.home");
        if (home == null) {
            throw new UsageException(
                    "the property sluice.home must be set, but is not; start through ./sluice jcstress");
        }
        int cpus = Runtime.getRuntime().availableProcessors();
        if (cpus < 2) {
            throw new UsageException("the machine must show 2 CPUs or more, but shows " + cpus);
        }
        Path folder = Path.of(home, "jcstress-tests", "target", "jcstress");
        Files.createDirectories(folder);
        Verdict verdict = new Verdict();
        Harness harness = new Harness(folder, System.err);
        Thread hook = new Thread(
                () -> {
                    harness.stop();
                    System.out.println("interrupted");
                    verdict.report().forEach(System.out::println);
                    System.out.flush();
                },
                "sluice-jcstress-interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            gate(options, cpus, harness, verdict, folder, System.err);
        } catch (Exception e) {
            if (harness.isStopped()) {
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
        if (harness.isStopped()) {
            return INTERRUPTED;
        }
        verdict.report().forEach(System.out::println);
        return verdict.failed() == 0 ? DONE : CHECK_FAILED;
    }

    private static void gate(
            Options options, int cpus, Harness harness, Verdict verdict, Path folder, PrintStream progress)
            throws Exception {
        List<StressTest> all = StressTest.all();
        checkTwins(all).forEach(verdict::problem);
        List<StressTest> chosen = all.stream()
                .filter(test -> options.selected().test(test.name()))
                .toList();
        if (chosen.isEmpty()) {
            throw new UsageException("-t must match a part of the name of a test, but matches none of " + all.size());
        }
        for (Row row : Catalogue.rows()) {
            Rewriter.twin(row); // a row that no longer fits the code ends the run before it begins
            if (row.layer() == Row.Layer.PINNED) {
                if (AccessModes.notices(row)) {
                    verdict.pinned(row);
                } else {
                    verdict.problem("row " + row.name() + " is not noticed by the scan of the byte code");
                }
            }
        }
        List<StressTest> here = new ArrayList<>();
        for (StressTest test : chosen) {
            if (test.actors() > cpus) {
                verdict.notHere(test);
            } else {
                here.add(test);
            }
        }
        Map<Integer, List<StressTest>> byActors = here.stream().collect(Collectors.groupingBy(StressTest::actors));
        for (Map.Entry<Integer, List<StressTest>> group : byActors.entrySet()) {
            progress.println("sluice jcstress: " + group.getValue().size() + " tests of " + group.getKey() + " actors");
            String name = group.getKey() == 2 ? "tests" : "tests-" + group.getKey() + "-actors";
            take(group.getValue(), harness.run(name, group.getValue(), options.setting(), null), verdict);
        }
        for (StressTest test : here) {
            for (int forks : new int[] {TRIES[1], TRIES[2]}) {
                if (verdict.needsMore(test)) {
                    progress.println("sluice jcstress: " + test.shortName() + " did not meet its race, " + forks
                            + " JVMs for each configuration");
                    take(List.of(test), harness.run("again", List.of(test), Setting.tries(forks), null), verdict);
                }
            }
        }
        Map<Row, List<StressTest>> byRow = new LinkedHashMap<>();
        for (StressTest test : here) {
            for (Row row : twinsOf(test, options.setting(), here)) {
                byRow.computeIfAbsent(row, key -> new ArrayList<>()).add(test);
            }
        }
        for (Map.Entry<Row, List<StressTest>> one : byRow.entrySet()) {
            Row row = one.getKey();
            twins(one.getValue(), row, harness, folder).forEach((test, fate) -> {
                verdict.twin(test, row, fate);
                progress.println("sluice jcstress: control " + row.name() + " for " + test.shortName()
                        + (fate.caught() ? " caught" : " SURVIVED"));
            });
        }
    }

    /** Every twin of a test; or, at the smallest setting, those that are the first of their kind in the catalogue. */
    private static List<Row> twinsOf(StressTest test, Setting setting, List<StressTest> here) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        List<Row> twins = new ArrayList<>();
        for (Row row : Catalogue.rows()) {
            if (row.layer() != Row.Layer.JCSTRESS) {
                continue;
            }
            boolean first = here.stream().anyMatch(one -> one.name().equals(row.expected())) && kinds.add(row.kind());
            boolean chosen = setting.everyTwin()
                    ? test.twins().contains(row.name())
                    : first && row.expected().equals(test.name());
            if (chosen) {
                twins.add(row);
            }
        }
        return twins;
    }

    private static void take(List<StressTest> tests, Harness.Run run, Verdict verdict) {
        run.problems().forEach(verdict::problem);
        for (StressTest test : tests) {
            verdict.sampled(test, run.byTest().getOrDefault(test.name(), Sampled.NOTHING));
        }
    }

    static Verdict.Fate twin(StressTest test, Row row, Harness harness, Path folder)
            throws IOException, InterruptedException, Rewriter.RowMismatchException {
        return twins(List.of(test), row, harness, folder).getOrDefault(test, NOT_CAUGHT);
    }

    /** A twin before all tests that name it, in as few runs of jcstress as there are tries: each costs seconds by itself. */
    static Map<StressTest, Verdict.Fate> twins(List<StressTest> tests, Row row, Harness harness, Path folder)
            throws IOException, InterruptedException, Rewriter.RowMismatchException {
        Path classes = folder.resolve("twins").resolve(row.name());
        Files.createDirectories(classes);
        Rewriter.write(row, classes);
        List<Setting> tries = new ArrayList<>(List.of(Setting.glance()));
        for (int forks : TRIES) {
            tries.add(Setting.tries(forks));
        }
        Map<StressTest, Verdict.Fate> fates = new LinkedHashMap<>();
        for (StressTest test : tests) {
            fates.put(test, NOT_CAUGHT);
        }
        for (Setting setting : tries) {
            Map<Integer, List<StressTest>> byActors = tests.stream()
                    .filter(test -> !fates.getOrDefault(test, NOT_CAUGHT).caught())
                    .collect(Collectors.groupingBy(StressTest::actors));
            for (List<StressTest> alike : byActors.values()) {
                Harness.Run run = harness.run("twin-" + row.name(), alike, setting, classes);
                for (StressTest test : alike) {
                    fates.put(test, fate(run.byTest().getOrDefault(test.name(), Sampled.NOTHING), setting));
                }
            }
        }
        return fates;
    }

    private static Verdict.Fate fate(Sampled sampled, Setting setting) {
        if (!sampled.forbidden().isEmpty()) {
            return new Verdict.Fate(setting.forks(), sampled.forbidden().get(0));
        }
        return new Verdict.Fate(
                0, sampled.errors().isEmpty() ? "" : sampled.errors().get(0));
    }

    /** The mismatches between the tests and the catalogue. */
    static List<String> checkTwins(List<StressTest> tests) {
        List<String> problems = new ArrayList<>();
        for (StressTest test : tests) {
            for (String twin : test.twins()) {
                if (Catalogue.rows().stream()
                        .noneMatch(row -> row.name().equals(twin) && row.layer() == Row.Layer.JCSTRESS)) {
                    problems.add(
                            test.name() + " names the twin " + twin + ", which is no jcstress row of the catalogue");
                }
            }
        }
        for (Row row : Catalogue.rows()) {
            if (row.layer() == Row.Layer.JCSTRESS
                    && tests.stream()
                            .noneMatch(test -> test.name().equals(row.expected())
                                    && test.twins().contains(row.name()))) {
                problems.add(
                        "row " + row.name() + " expects " + row.expected() + " to catch it, which does not name it");
            }
        }
        return problems;
    }
}
