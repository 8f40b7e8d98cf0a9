package io.sluice.perf.compare;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code ./sluice bench lmax-perftest}: a number of events in each run, as LMAX's own throughput tests do it, for LMAX and for Sluice in
 * alternation. Nothing is pinned or probed, and there is no target: it shows the figures that anybody gets by running those tests.
 */
public final class Alternation {
    /** The suite of these rows, and the word after {@code bench}: {@value}. */
    public static final String SUITE = "lmax-perftest";

    private static final int EVENTS = 100_000_000;
    private static final int LEAST_EVENTS = 1_000;
    private static final int RUNS = 7;
    /** The system property that says how many events a run has: {@value}. */
    public static final String EVENTS_PROPERTY = "sluice.perftest.events";

    private final PrintStream out;
    private final Path jdk;
    private final List<String> flags;
    private final int runs;
    private final Interruption interruption;

    private Alternation(PrintStream out, Path jdk, List<String> flags, int runs, Interruption interruption) {
        this.out = out;
        this.jdk = jdk;
        this.flags = flags;
        this.runs = runs;
        this.interruption = interruption;
    }

    /**
     * The options, for people.
     *
     * @return what {@code --help} says
     */
    public static String usage() {
        return """
                usage: ./sluice bench lmax-perftest [--events N] [--runs N] [--rows ID,...] [--jdk HOME]... [--flag FLAG]...

                The shapes and the loop of LMAX's own throughput tests, for LMAX and for Sluice in alternation: so many events a
                run, nobody pinned, everybody yields, nothing warmed up, and each run printed. Each library has a JVM of its own,
                which blocks while the other runs. The consumers add the payloads up, and the sums are verified.

                  --events N         so many events a run, 1000 to 1000000000 (default %d)
                  --runs N           so many runs of each library and row, 1 to 1000 (default %d)
                  --rows ID,...      only these rows: %s
                  --jdk HOME         on this JDK; may be given again (default the one that runs ./sluice)
                  --flag FLAG        a further flag for both JVMs; may be given again

                Exit status: 0 all runs ended, whatever their figures; 2 bad usage, or another measurement runs; 130 on Ctrl-C.

                """.formatted(
                        EVENTS, RUNS, Rows.suite(SUITE).stream().map(Row::id).collect(Collectors.joining(", ")));
    }

    /**
     * Measures. Nothing else may measure on this machine meanwhile.
     *
     * @param given what follows the suite's word
     * @param out where figures go
     * @return an exit status of {@link Verb}
     * @throws Exception {@link UsageException} for bad arguments, or what a contestant threw
     */
    public static int run(List<String> given, PrintStream out) throws Exception {
        Arguments arguments = Arguments.parse(
                given, List.of(), List.of("--events", "--runs", "--rows", Arguments.JDK, "--flag"), List.of());
        int events = arguments.number("--events", LEAST_EVENTS, 1_000_000_000, EVENTS);
        int runs = arguments.number("--runs", 1, 1_000, RUNS);
        List<Row> rows = new ArrayList<>();
        for (String id : arguments.list("--rows")) {
            rows.add(Rows.named(SUITE, id));
        }
        List<Path> jdks = arguments.jdks();
        List<String> flags = new ArrayList<>(arguments.values("--flag"));
        flags.add("-D" + EVENTS_PROPERTY + "=" + events);
        MeasurementLock lock =
                MeasurementLock.take(("./sluice bench " + SUITE + " " + String.join(" ", given)).strip());
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            out.println(events + " events a run, " + runs + " runs of each in alternation, not pinned, yielding");
            for (Path jdk : jdks) {
                out.println("JDK " + jdk);
                for (Row row : rows.isEmpty() ? Rows.suite(SUITE) : rows) {
                    new Alternation(out, jdk, flags, runs, interruption).measure(row);
                }
            }
            return interruption.requested() ? Verb.INTERRUPTED : Verb.DONE;
        } finally {
            lock.close();
        }
    }

    private void measure(Row row) throws IOException {
        if (interruption.requested()) {
            return;
        }
        out.println();
        out.println(row.id() + ": " + row.title());
        Map<Entry, ChildProcess> children = new LinkedHashMap<>();
        Map<Entry, List<Double>> figures = new LinkedHashMap<>();
        try {
            for (Entry entry : row.entries()) {
                ChildProcess child = new ChildProcess(
                        jdk,
                        row,
                        Visited.shipped(entry),
                        flags,
                        Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench"));
                children.put(entry, child);
                figures.put(entry, new ArrayList<>());
                child.awaitReady();
            }
            alternate(row, children, figures);
        } catch (IOException e) {
            if (!interruption.requested()) {
                throw e;
            }
        } finally {
            for (ChildProcess child : children.values()) {
                child.close();
            }
        }
    }

    private void alternate(Row row, Map<Entry, ChildProcess> children, Map<Entry, List<Double>> figures)
            throws IOException {
        for (int run = 0; run < runs && !interruption.requested(); run++) {
            for (Map.Entry<Entry, ChildProcess> one : children.entrySet()) {
                double figure = one.getValue().sample(0).figure();
                figures.getOrDefault(one.getKey(), List.of()).add(figure);
                out.println(String.format(
                        Locale.ROOT,
                        "  run %d, %-16s %,15.0f %s",
                        run,
                        one.getKey().label(),
                        figure,
                        row.unit()));
            }
        }
        List<List<Double>> all = List.copyOf(figures.values());
        List<Double> ratios = new ArrayList<>();
        for (int run = 0; run < all.get(all.size() - 1).size(); run++) {
            ratios.add(all.get(all.size() - 1).get(run) / all.get(0).get(run));
        }
        out.println(ratios(ratios));
    }

    /** The result of the runs: each run of Sluice is set beside the run of LMAX just before it. */
    static String ratios(List<Double> ratios) {
        Quartiles quartiles =
                Quartiles.of(ratios.stream().mapToDouble(Double::doubleValue).toArray());
        return quartiles.count() == 0
                ? "  no run ended"
                : String.format(
                        Locale.ROOT,
                        "  Sluice to LMAX, run by run: %s; median %.2f",
                        ratios.stream()
                                .map(ratio -> String.format(Locale.ROOT, "%.2f", ratio))
                                .collect(Collectors.joining(" ")),
                        quartiles.median());
    }
}
