package io.sluice.perf.latency;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.compare.Comparison;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.MeasuredRows;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Rows;
import io.sluice.perf.compare.SampleTable;
import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.Distribution;
import io.sluice.perf.report.Further;
import io.sluice.perf.report.HtmlReport;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Report;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.svg.Labels;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./sluice latency}: round trips and open loop, with percentiles and the cost of the platform by itself; and latency against load
 * and against bursts.
 */
public final class Latency implements Verb {
    private static final int SAMPLES_PER_SECOND = 10;
    private static final int DEFAULT_SECONDS = 3;
    private static final int JVMS = 10;
    private static final int MOST_SECONDS = 3_600;
    private static final int MOST_JVMS = 10_000;
    private static final double[] SHOWN = {50, 90, 99, 99.9, 99.99};

    /** The part to be measured where no row is named. */
    enum Part {
        /** The rows of the plain command. */
        USUAL,
        /** Even loads. */
        LOAD,
        /** Bursts, and the load that changes. */
        BURSTS;

        List<Row> rows() {
            return switch (this) {
                case USUAL -> timed().stream().filter(row -> !row.isOnRequest()).toList();
                case LOAD -> LoadRows.even();
                case BURSTS -> LoadRows.uneven();
            };
        }
    }

    /** The options of the command line. */
    record Options(
            Arguments arguments,
            List<Row> rows,
            List<Path> jdks,
            int seconds,
            int jvms,
            @Nullable Path hlog) {
        static Options parse(List<String> given) throws UsageException {
            Part part = part(given);
            Arguments arguments = Arguments.parse(
                    part == Part.USUAL ? given : given.subList(1, given.size()),
                    List.of(),
                    List.of("--row", Arguments.JDK, "--seconds", "--jvms", "--hlog"),
                    List.of("--html", "--json", "--csv", "--svg", Comparison.PUBLISHED));
            List<String> hlog = arguments.values("--hlog");
            Path folder = hlog.isEmpty() ? null : Path.of(hlog.get(hlog.size() - 1));
            if (folder != null) {
                HistogramLogs.check(folder);
            }
            return new Options(
                    arguments,
                    rows(part, arguments.list("--row")),
                    arguments.jdks(),
                    arguments.number("--seconds", 1, MOST_SECONDS, DEFAULT_SECONDS),
                    arguments.number("--jvms", 1, MOST_JVMS, JVMS),
                    folder);
        }

        private static Part part(List<String> given) throws UsageException {
            String first = given.isEmpty() ? "--" : given.get(0);
            return switch (first) {
                case "load" -> Part.LOAD;
                case "bursts" -> Part.BURSTS;
                default -> {
                    if (!first.startsWith("-")) {
                        throw new UsageException(
                                "what to measure must be load, bursts or left out, but was '" + first + "'");
                    }
                    yield Part.USUAL;
                }
            };
        }

        private static List<Row> rows(Part part, List<String> ids) throws UsageException {
            List<Row> allowed = part == Part.USUAL ? timed() : part.rows();
            List<Row> named = new ArrayList<>();
            for (String id : ids) {
                named.add(allowed.stream()
                        .filter(row -> row.id().equals(id))
                        .findFirst()
                        .orElseThrow(() -> new UsageException(
                                "--row must name rows of " + ids(allowed) + ", but names '" + id + "'")));
            }
            return named.isEmpty() ? part.rows() : named;
        }
    }

    private static List<Row> timed() {
        return Rows.all().stream().filter(Row::isTime).toList();
    }

    /** The ids of a part's rows for one producer. */
    private static String single(Part part) {
        return ids(part.rows().stream()
                .filter(row -> !row.id().endsWith(Family.MULTI.suffix))
                .toList());
    }

    private static String ids(List<Row> rows) {
        return String.join(", ", rows.stream().map(Row::id).toList());
    }

    /** For the service loader. */
    public Latency() {}

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public String summary() {
        return "measure round trips and events at intended times, with percentiles";
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice latency [load | bursts] [--row ID,...] [--jdk HOME]... [--seconds N] [--jvms N] [--hlog DIR]
                                        [--html OUT] [--json OUT] [--csv OUT] [--svg OUT] [--published OUT]

                Measures Sluice and its peers in warm JVMs of their own, visited in random order, 100 ms each, with a probe
                of the distance between the cores before and after. What the platform costs by itself is measured in the
                same rounds by threads that only look at the clock.
                With load: events at intended times, evenly, from %d to %d million a second; p50 and p99 against the rate.
                With bursts: events in bursts, and a load that changes every 5 ms; p50 of all, and of each burst's last.
                Both twice: on rings for one producer, and on rings for several, one at work. Each takes about an hour; name
                rows, or take less of it: ./sluice latency load --seconds 1 --jvms 3 --row open-loop-2m,open-loop-20m

                  --row ID,...   only these rows (default all of latency: %s)
                                 of load: %s, each also with -multi behind it
                                 of bursts: %s, the same
                                 by name only, messages of 8 bytes beside Agrona's: %s
                  --jdk HOME     on this JDK; may be given again (default the one that runs ./sluice)
                  --seconds N    so many seconds of samples with near cores for each contestant, 1 to %d (default %d)
                  --jvms N       so many JVMs a contestant at least, one after the other, 1 to %d (default %d)
                  --hlog DIR     write histogram logs into the folder DIR, a file for each row, JVM and contestant
                  --html OUT     write a report with plots to the file OUT
                  --json OUT     write every figure to the file OUT
                  --csv OUT      write every sample to the file OUT
                  --svg OUT      write the plots against load and size of bursts to the file OUT
                  --published OUT  write the figures that guard later runs to the file OUT: those of now, and older ones

                Exit status: 0 every target is held; 1 one is not, or had too few samples, or is worse than nine tenths of the
                figure that was published last; 3 a peer is better where Sluice was to be as
                good at least; 2 bad usage, or another measurement runs; 130 on Ctrl-C, with what there is by then.
                """.formatted(
                        LoadRows.MILLIONS.get(0),
                        LoadRows.MILLIONS.get(LoadRows.MILLIONS.size() - 1),
                        ids(Part.USUAL.rows()),
                        single(Part.LOAD),
                        single(Part.BURSTS),
                        ids(new WordRows().rows()),
                        MOST_SECONDS,
                        DEFAULT_SECONDS,
                        MOST_JVMS,
                        JVMS);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        String command = ("./sluice latency " + String.join(" ", arguments)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try {
            return measure(options, command, System.out);
        } finally {
            lock.close();
        }
    }

    private static int measure(Options options, String command, PrintStream out) throws Exception {
        MeasuredRows.Plan plan = new MeasuredRows.Plan(
                "sluice latency",
                "Latency",
                command,
                options.jdks(),
                List.of(),
                MeasuredRows.whole(options.rows()),
                options.seconds() * SAMPLES_PER_SECOND,
                options.jvms(),
                false,
                List.of());
        SampleTable csv = new SampleTable();
        return MeasuredRows.measure(
                plan,
                out,
                (jdk, row, measurement, result) -> {
                    print(out, result);
                    row.notes(measurement).forEach(note -> out.println("  " + note));
                    csv.add(result.jvm(), row, measurement);
                    if (options.hlog() != null) {
                        for (Entry entry : row.entries()) {
                            HistogramLogs.write(
                                    options.hlog(),
                                    row.id() + "-" + jdk.getFileName() + "-" + entry.id(),
                                    measurement,
                                    entry.id());
                        }
                    }
                },
                report -> conclude(report, command, csv, options.arguments(), out));
    }

    private static int conclude(Report report, String command, SampleTable csv, Arguments arguments, PrintStream out)
            throws UsageException {
        arguments.write("--json", Json.write(report));
        LoadCurves curves = LoadCurves.of(command, report.rows());
        arguments.write("--html", HtmlReport.write(report, curves::write));
        arguments.write("--svg", curves.svg());
        arguments.write("--csv", csv.toString());
        arguments.write(Comparison.PUBLISHED, MeasuredRows.published(report));
        curves.print(out);
        return MeasuredRows.conclude(report, out);
    }

    private static void print(PrintStream out, RowResult row) {
        out.println();
        out.println(row.id() + ": " + row.title() + ", " + row.jvm());
        StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "  %-40s", ""));
        for (double percentile : SHOWN) {
            head.append(String.format(Locale.ROOT, " %9s", percentile + "%"));
        }
        out.println(head + "       max   p50 to " + row.reference());
        for (ContestantResult one : row.contestants()) {
            row.distributions().stream()
                    .filter(times -> times.name().equals(one.label()))
                    .forEach(times -> out.println(line(times) + one.ratio().words(row.reference())));
            one.further().forEach(further -> out.println("    " + further.name() + ": " + words(further)));
        }
        row.lines().forEach(line -> out.println("  " + line));
    }

    private static String words(Further further) {
        return further.unit().equals("ns")
                ? Labels.nanos(further.median())
                : Labels.number(further.median()) + " " + further.unit();
    }

    private static String line(Distribution times) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-40s", times.name()));
        for (double percentile : SHOWN) {
            line.append(String.format(Locale.ROOT, " %9s", Labels.nanos(times.at(percentile))));
        }
        return line.append(String.format(Locale.ROOT, " %9s", Labels.nanos(times.max())))
                .toString();
    }
}
