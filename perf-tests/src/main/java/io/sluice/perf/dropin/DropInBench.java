package io.sluice.perf.dropin;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.batching.Check;
import io.sluice.perf.batching.Table;
import io.sluice.perf.compare.Probe;
import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * {@code ./sluice bench drop-in}: programs that were compiled against LMAX's Disruptor run on its jar and on ours in alternation, each in a
 * JVM of its own.
 */
public final class DropInBench {
    /** The word after {@code bench}: {@value}. */
    public static final String NAME = "drop-in";

    private static final int EVENTS = 100_000_000;
    private static final int LOG_CALLS = 1_000_000;
    private static final int SLOW_EVENTS = 20_000;
    private static final int SECONDS = 10;
    private static final int RUNS = 7;
    private static final int JVMS = 3;
    private static final int PROBE_MILLIS = 20;
    private static final int LEAST_EVENTS = 1_000;
    private static final double MEDIAN_OF_SHAPES = 1.5;
    private static final List<String> GROUPS = List.of(Case.SHAPES, Case.BOUND, Case.FULL_RING, Case.IDLE, Case.LOG4J);

    /**
     * One figure of one case, over all runs.
     *
     * @param jdk the JDK
     * @param row the case
     * @param unit of the figures
     * @param bound what has to hold
     * @param judged whether it is like with like, so that the bound counts
     * @param holds whether it does
     * @param disruptor the Disruptor's figures
     * @param dropIn the drop-in's
     * @param lower the lower quartile of the ratios, run by run
     * @param ratio their median
     * @param upper their upper quartile
     * @param hops one way between the cores before each pair of runs, in nanoseconds; NaN with one processor
     */
    record Line(
            String jdk,
            String row,
            String unit,
            String bound,
            boolean judged,
            boolean holds,
            List<Double> disruptor,
            List<Double> dropIn,
            double lower,
            double ratio,
            double upper,
            List<Double> hops) {}

    /**
     * Everything that was measured.
     *
     * @param title what it is
     * @param date when
     * @param complete whether it was not interrupted
     * @param summary what it says in short
     * @param machine where
     * @param loadAtEnd how many threads wanted to run at the end, averaged over a minute
     * @param lines the figures
     * @param checks what had to hold
     */
    record Result(
            String title,
            String date,
            boolean complete,
            String summary,
            Machine machine,
            double loadAtEnd,
            List<Line> lines,
            List<Check> checks) {}

    /** The size of a measurement. */
    record Size(int events, int logCalls, int slowEvents, int idleMillis, int runs, int jvms) {
        int of(Case one) {
            return switch (one.group()) {
                case Case.FULL_RING -> slowEvents;
                case Case.IDLE -> idleMillis;
                case Case.LOG4J -> logCalls;
                default -> events;
            };
        }
    }

    /**
     * The runs of a case, in the order in which they were made.
     *
     * @param theirs the figures of the Disruptor's
     * @param ours the figures of the drop-in's
     * @param hops the distance between the cores before each pair
     */
    record Runs(List<double[]> theirs, List<double[]> ours, List<Double> hops) {
        /** The same without a last run whose counterpart was interrupted. */
        Runs wholePairs() {
            int pairs = Math.min(theirs.size(), ours.size());
            return new Runs(theirs.subList(0, pairs), ours.subList(0, pairs), hops.subList(0, pairs));
        }
    }

    private final PrintStream out;
    private final Size size;
    private final List<String> flags;
    private final Interruption interruption;
    private final List<Line> lines = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();

    private DropInBench(PrintStream out, Size size, List<String> flags, Interruption interruption) {
        this.out = out;
        this.size = size;
        this.flags = flags;
        this.interruption = interruption;
    }

    /**
     * The text of {@code --help}.
     *
     * @return lines of text
     */
    public static String usage() {
        return """
                usage: ./sluice bench drop-in [shapes | bound | full-ring | idle | log4j] [--events N] [--runs N]
                                              [--jvms N] [--seconds N] [--rows ID,...] [--jdk HOME]...
                                              [--flag FLAG]... [--json OUT]

                Programs that were compiled against LMAX's Disruptor, on its jar and on sluice-disruptor-api in alternation, each in
                a JVM of its own, which blocks while the other runs. Nobody is pinned, nothing is warmed up, each run is printed with
                the distance between the cores, and each checks its counts and sums. The ratio is that of a run to the other jar's
                run beside it. One pair of JVMs may be fast where the next is slow, so each row has several pairs.

                shapes     those of LMAX's own throughput tests, consumers yield (the default): each must be as fast, and the
                           median of all half as fast again
                bound      three shapes by loops without a jar, beside the Disruptor: what any jar can reach there
                full-ring  64 threads, a full ring and a slow consumer, bare and under log4j2: half the processor time, as fast
                idle       what a ring with the default strategy takes from a core while nothing comes: 0.2 %% at most
                log4j      all-async loggers, 1, 4 and 16 threads, to nothing and to a random-access file, as fast as they go
                           and at a pace that leaves room: as fast, and the 99th percentile of a call as low, which is not
                           judged where the Disruptor drops events

                  --events N         so many events a run, 1000 to 1000000000 (default %d, log4j %d,
                                     full-ring %d)
                  --runs N           so many runs of each jar in each JVM, 1 to 1000 (default %d)
                  --jvms N           so many JVMs of each jar and row, one after the other, 1 to 100 (default %d)
                  --seconds N        how long a run of idle is, 1 to 3600 (default %d)
                  --rows ID,...      only these rows: %s
                  --jdk HOME         on this JDK; may be given again (default the one that runs ./sluice)
                  --flag FLAG        a further flag for both JVMs; may be given again
                  --json OUT         write every figure to the file OUT

                Exit status: 0 everything that must hold is held; 1 not; 2 bad usage, or another measurement runs; 130 on Ctrl-C.

                """.formatted(
                        EVENTS,
                        LOG_CALLS,
                        SLOW_EVENTS,
                        RUNS,
                        JVMS,
                        SECONDS,
                        Case.all().stream().map(Case::id).collect(Collectors.joining(", ")));
    }

    /**
     * Measures.
     *
     * @param given what follows {@code bench drop-in}
     * @param out for the figures
     * @return the exit status
     * @throws Exception if an argument is wrong, another measurement runs, or a program fails
     */
    public static int run(List<String> given, PrintStream out) throws Exception {
        boolean named = !given.isEmpty() && GROUPS.contains(given.get(0));
        String group = named ? given.get(0) : Case.SHAPES;
        Arguments arguments = Arguments.parse(
                named ? given.subList(1, given.size()) : given,
                List.of(),
                List.of("--events", "--runs", "--jvms", "--seconds", "--rows", Arguments.JDK, "--flag"),
                List.of("--json"));
        Size size = new Size(
                arguments.number("--events", LEAST_EVENTS, 1_000_000_000, EVENTS),
                arguments.number("--events", LEAST_EVENTS, 1_000_000_000, LOG_CALLS),
                arguments.number("--events", LEAST_EVENTS, 1_000_000_000, SLOW_EVENTS),
                1_000 * arguments.number("--seconds", 1, 3_600, SECONDS),
                arguments.number("--runs", 1, 1_000, RUNS),
                arguments.number("--jvms", 1, 100, JVMS));
        List<Case> cases = cases(group, arguments.list("--rows"));
        List<Path> jdks = arguments.jdks();
        String command = ("./sluice bench " + NAME + " " + String.join(" ", given)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            DropInBench bench = new DropInBench(out, size, arguments.values("--flag"), interruption);
            Result result = bench.measure(cases, jdks, command);
            arguments.write("--json", Json.text(result));
            return Check.conclude(
                    tables(result.lines()), result.checks(), Map.of(), result.summary(), result.complete(), out);
        } finally {
            lock.close();
        }
    }

    static List<Case> cases(String group, List<String> rows) throws UsageException {
        List<Case> ofGroup =
                Case.all().stream().filter(one -> one.group().equals(group)).toList();
        List<Case> cases = new ArrayList<>();
        for (String row : rows) {
            cases.add(ofGroup.stream()
                    .filter(one -> one.id().equals(row))
                    .findFirst()
                    .orElseThrow(() -> new UsageException("--rows must name rows of "
                            + ofGroup.stream().map(Case::id).collect(Collectors.joining(", ")) + ", but names '" + row
                            + "'")));
        }
        return rows.isEmpty() ? ofGroup : cases;
    }

    static Result measure(
            List<Case> cases, List<Path> jdks, Size size, String command, Interruption interruption, PrintStream out)
            throws IOException, InterruptedException {
        return new DropInBench(out, size, List.of(), interruption).measure(cases, jdks, command);
    }

    private Result measure(List<Case> cases, List<Path> jdks, String command) throws IOException, InterruptedException {
        Machine machine = Machine.here(
                jdks, ChildJvm.FLAGS, command, "none is pinned", List.of("LMAX Disruptor", "Agrona", "Log4j"));
        Head.print(machine, out);
        String date = Head.now();
        List<Case> shapes = Case.all().stream()
                .filter(one -> one.group().equals(Case.SHAPES))
                .toList();
        for (Path jdk : jdks) {
            List<Double> ratios = new ArrayList<>();
            for (Case one : cases) {
                if (!interruption.requested()) {
                    alternate(one, jdk).ifPresent(ratios::add);
                }
            }
            if (cases.equals(shapes) && ratios.size() == shapes.size()) {
                checks.add(medianOfShapes(ratios));
            }
        }
        return new Result(
                "The drop-in",
                date,
                !interruption.requested(),
                Check.summary(checks),
                machine,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(),
                List.copyOf(lines),
                List.copyOf(checks));
    }

    static Check medianOfShapes(List<Double> ratios) {
        double median = Quartiles.of(
                        ratios.stream().mapToDouble(Double::doubleValue).toArray())
                .median();
        return new Check(
                text("the median of %d shapes is %.2f, at least %.1f", ratios.size(), median, MEDIAN_OF_SHAPES),
                median >= MEDIAN_OF_SHAPES);
    }

    /** Returns the median ratio of the first figure. */
    private Optional<Double> alternate(Case one, Path jdk) throws IOException, InterruptedException {
        out.println();
        out.println(one.id() + ": " + one.title() + ", JDK " + jdk);
        Runs runs = new Runs(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        try {
            for (int jvm = 0; jvm < size.jvms() && !interruption.requested(); jvm++) {
                alternate(one, jdk, jvm, runs);
            }
        } catch (IOException e) {
            if (!interruption.requested()) {
                throw e;
            }
        }
        Runs pairs = runs.wholePairs();
        if (pairs.ours().isEmpty()) {
            return Optional.empty();
        }
        for (int i = 0; i < one.measures().size(); i++) {
            Line line = line(one, i, String.valueOf(jdk.getFileName()), pairs);
            lines.add(line);
            if (line.judged()) {
                checks.add(check(one, one.measures().get(i), line));
            } else {
                out.println("not judged: " + one.id() + ", " + line.unit() + ", since "
                        + (one.group().equals(Case.BOUND)
                                ? "it is a bound: the bare loop has " + ratioText(line) + " of the Disruptor's"
                                : "the Disruptor dropped events, and a call that drops its event returns at once"));
            }
        }
        return Optional.of(lines.get(lines.size() - one.measures().size()).ratio());
    }

    /** One JVM for each jar; each runs while the other blocks. */
    private void alternate(Case one, Path jdk, int jvm, Runs runs) throws IOException, InterruptedException {
        try (ChildJvm disruptor = new ChildJvm(jdk, Jar.DISRUPTOR, one, size.of(one), flags);
                ChildJvm other = new ChildJvm(jdk, one.jars().get(1), one, size.of(one), flags)) {
            for (int run = 0; run < size.runs() && !interruption.requested(); run++) {
                double hop = Pinning.available() < 2 ? Double.NaN : Probe.oneWayNanos(PROBE_MILLIS);
                runs.hops().add(hop);
                boolean theyBegin = (jvm + run) % 2 == 0;
                for (boolean they : new boolean[] {theyBegin, !theyBegin}) {
                    double[] figures = (they ? disruptor : other).run();
                    (they ? runs.theirs() : runs.ours()).add(figures);
                    print(
                            one,
                            text("JVM %d, run %d, hop %s", jvm, run, Double.isNaN(hop) ? "-" : text("%3.0f ns", hop)),
                            one.jars().get(they ? 0 : 1),
                            figures);
                }
            }
        }
    }

    private void print(Case one, String run, Jar jar, double[] figures) {
        StringBuilder line = new StringBuilder(text("  %s, %-9s", run, jar.label()));
        for (int i = 0; i < figures.length; i++) {
            Case.Measure measure = one.measures().get(i);
            line.append(text("  %14s %s", text(measure.format(), figures[i]), measure.unit()));
        }
        out.println(line);
    }

    static Line line(Case one, int index, String jdk, Runs runs) {
        Case.Measure measure = one.measures().get(index);
        List<Double> theirs = column(runs.theirs(), index);
        List<Double> ours = column(runs.ours(), index);
        double[] ratios = new double[ours.size()];
        for (int run = 0; run < ratios.length; run++) {
            ratios[run] = ours.get(run) / theirs.get(run);
        }
        Quartiles quartiles = Quartiles.of(ratios);
        return new Line(
                jdk,
                one.id(),
                measure.unit(),
                measure.bound(),
                !one.group().equals(Case.BOUND) && (!measure.equals(Case.Measure.P99) || !drops(one, runs.theirs())),
                measure.holds(quartiles.median(), median(ours)),
                theirs,
                ours,
                quartiles.lower(),
                quartiles.median(),
                quartiles.upper(),
                runs.hops());
    }

    private static boolean drops(Case one, List<double[]> runs) {
        int lost = one.measures().indexOf(Case.Measure.LOST);
        return lost >= 0 && runs.stream().anyMatch(figures -> figures[lost] > 0);
    }

    private static Check check(Case one, Case.Measure measure, Line line) {
        return new Check(
                one.id() + ", " + measure.unit() + ": "
                        + (measure.isAbsolute()
                                ? text(measure.format(), median(line.dropIn()))
                                : text("%.2f of the Disruptor's", line.ratio()))
                        + ", " + measure.bound(),
                line.holds());
    }

    private static List<Double> column(List<double[]> runs, int index) {
        return runs.stream().map(figures -> figures[index]).toList();
    }

    private static double median(List<Double> figures) {
        return Quartiles.of(figures.stream().mapToDouble(Double::doubleValue).toArray())
                .median();
    }

    static List<Table> tables(List<Line> lines) {
        List<List<String>> rows = new ArrayList<>();
        for (Line line : lines) {
            String format = Case.all().stream()
                    .flatMap(one -> one.measures().stream())
                    .filter(measure -> measure.unit().equals(line.unit()))
                    .findFirst()
                    .orElseThrow()
                    .format();
            rows.add(List.of(
                    line.row(),
                    line.unit(),
                    text(format, median(line.disruptor())),
                    text(format, median(line.dropIn())),
                    ratioText(line),
                    line.jdk()));
        }
        return List.of(new Table(
                "medians of the runs; ratio of the drop-in, or of the bare loop, to the Disruptor, run by run, with its quartiles",
                List.of("", "", "Disruptor", "the other", "ratio", "JDK"),
                rows));
    }

    private static String ratioText(Line line) {
        // the figure of a run is 0 where it is less than can be counted
        return DoubleStream.of(line.lower(), line.ratio(), line.upper()).allMatch(Double::isFinite)
                ? text("%.2f (%.2f to %.2f)", line.ratio(), line.lower(), line.upper())
                : "none, of 0";
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
