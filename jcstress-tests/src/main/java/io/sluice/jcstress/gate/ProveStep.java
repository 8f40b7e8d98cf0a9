package io.sluice.jcstress.gate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One step of {@code ./sluice prove}.
 *
 * @param name unique: what it runs, a dash, the JDK
 * @param jdk the major version of the JDK that runs it
 * @param what what it runs, in words
 * @param kind how it is started
 * @param arguments of a verb: its name and its arguments; of tests: a system property and its value; of Maven: its arguments
 * @param limitMinutes after this it is ended, and has failed
 */
record ProveStep(String name, int jdk, String what, Kind kind, List<String> arguments, int limitMinutes) {
    /** How a step is started. */
    enum Kind {
        /** A verb of the launcher, in a JVM of its own. */
        VERB,
        /** The JUnit tests whose sources name a system property, in a JVM of their own, with that property set. */
        TESTS,
        /** Maven. */
        MAVEN
    }

    private static final Pattern TOTALS = Pattern.compile("\\d+ passed, \\d+ failed, \\d+ skipped.*");
    private static final Pattern MUTATIONS = Pattern.compile("\\d+ mutations: .*|pinned rows before jcstress: .*");
    private static final Pattern EXECUTIONS = Pattern.compile("lincheck \\S+: (\\d+) executions");
    private static final Pattern STATES = Pattern.compile("model \\S+: (\\d+) distinct states");
    private static final Pattern TESTS_RUN = Pattern.compile("(\\d+) tests ran");
    private static final Pattern MAVEN_TESTS =
            Pattern.compile("\\[\\w+] Tests run: (\\d+), Failures: \\d+, Errors: \\d+, Skipped: \\d+");

    ProveStep {
        arguments = List.copyOf(arguments);
    }

    private static final int HOUR = 60;

    /** Everything, at full budget. */
    static List<ProveStep> all() {
        List<ProveStep> steps = new ArrayList<>();
        for (int jdk : new int[] {17, 25}) {
            steps.add(tests(
                    "lincheck",
                    jdk,
                    "Lincheck, as many executions as it makes unless told otherwise",
                    "io.sluice.lincheck.executions",
                    "1000000",
                    24 * HOUR));
            steps.add(tests(
                    "product",
                    jdk,
                    "random programs over all features of the ring",
                    "io.sluice.product.steps",
                    "10000000",
                    12 * HOUR));
            steps.add(tests(
                    "crash",
                    jdk,
                    "states of the device after a crash of the journal",
                    "io.sluice.crash.states",
                    "10000000",
                    12 * HOUR));
            steps.add(
                    tests("naks", jdk, "random senders and receivers", "io.sluice.naks.steps", "10000000", 12 * HOUR));
            steps.add(tests(
                    "ordered",
                    jdk,
                    "random programs over the ordered scheduler",
                    "io.sluice.ordered.steps",
                    "10000000",
                    12 * HOUR));
            steps.add(tests(
                    "programs",
                    jdk,
                    "random programs over one part each, beside a sequential model",
                    "io.sluice.model.steps",
                    "10000000",
                    24 * HOUR));
            steps.add(tests(
                    "drop-in",
                    jdk,
                    "start, publications and shutdown of the drop-in in random order",
                    "io.sluice.dropin.rounds",
                    "10000",
                    2 * HOUR));
            steps.add(verb(
                    "jcstress",
                    jdk,
                    "every claim in every pair of compilers, every twin",
                    12 * HOUR,
                    "jcstress",
                    "--default"));
            steps.add(verb("mutants", jdk, "every mutation", 4 * HOUR, "mutants"));
            steps.add(verb("repeat", jdk, "the concurrency tests fifty times", 24 * HOUR, "repeat", "--times", "50"));
            steps.add(verb("soak", jdk, "random graphs for an hour", 2 * HOUR, "soak", "--minutes", "60"));
            steps.add(verb(
                    "pins",
                    jdk,
                    "every pinned mutation before jcstress at its tough level",
                    240 * HOUR,
                    "mutants",
                    "--pins",
                    "--tough"));
        }
        steps.add(
                0,
                new ProveStep(
                        "models-25",
                        25,
                        "every model, and every broken variant of one",
                        Kind.MAVEN,
                        List.of(
                                "-pl",
                                "jcstress-tests",
                                "-am",
                                "-Dtest=ModelsTest",
                                "-Dsurefire.failIfNoSpecifiedTests=false",
                                "test"),
                        2 * HOUR));
        return List.copyOf(steps);
    }

    static ProveStep verb(String name, int jdk, String what, int limitMinutes, String... arguments) {
        return new ProveStep(name + "-" + jdk, jdk, what, Kind.VERB, List.of(arguments), limitMinutes);
    }

    static ProveStep tests(String name, int jdk, String what, String property, String value, int limitMinutes) {
        return new ProveStep(name + "-" + jdk, jdk, what, Kind.TESTS, List.of(property, value), limitMinutes);
    }

    /**
     * The counts that a step reports.
     *
     * @param lines its output
     */
    String counts(List<String> lines) {
        List<String> counts = new ArrayList<>();
        lines.stream().filter(MUTATIONS.asMatchPredicate()).forEach(counts::add);
        sum(lines, EXECUTIONS, "executions in", counts);
        sum(lines, STATES, "distinct states in", counts);
        if (kind == Kind.TESTS) {
            sum(lines, TESTS_RUN, "", counts);
            counts.add(arguments.get(0) + "=" + arguments.get(1));
        }
        String totals = last(lines, TOTALS);
        if (!totals.isEmpty()) {
            counts.add(totals);
        }
        String maven = last(lines, MAVEN_TESTS);
        if (kind == Kind.MAVEN && !maven.isEmpty()) {
            counts.add(maven.replaceFirst("^\\[\\w+] ", ""));
        }
        return String.join("; ", counts);
    }

    private static String last(List<String> lines, Pattern pattern) {
        return lines.stream().filter(pattern.asMatchPredicate()).reduce("", (before, after) -> after);
    }

    private static void sum(List<String> lines, Pattern pattern, String what, List<String> counts) {
        long sum = 0;
        int found = 0;
        for (String line : lines) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                sum += Long.parseLong(matcher.group(1));
                found++;
            }
        }
        if (found > 0) {
            counts.add(String.format(Locale.ROOT, "%,d ", sum) + (what.isEmpty() ? "tests" : what + " " + found));
        }
    }
}
