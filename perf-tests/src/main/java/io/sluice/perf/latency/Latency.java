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

/** {@code ./sluice latency}: round trips and open loop, with percentiles and what the platform costs by itself. */
public final class Latency implements Verb {
    private static final int SAMPLES_PER_SECOND = 10;
    private static final int DEFAULT_SECONDS = 3;
    private static final int JVMS = 10;
    private static final int MOST_SECONDS = 3_600;
    private static final double[] SHOWN = {50, 90, 99, 99.9, 99.99};

    /** What the command line asks for. */
    record Options(
            Arguments arguments,
            List<Row> rows,
            List<Path> jdks,
            int seconds,
            @Nullable Path hlog) {
        static Options parse(List<String> given) throws UsageException {
            Arguments arguments = Arguments.parse(
                    given,
                    List.of(),
                    List.of("--row", Arguments.JDK, "--seconds", "--hlog"),
                    List.of("--html", "--json", "--csv", Comparison.PUBLISHED));
            List<String> hlog = arguments.values("--hlog");
            Path folder = hlog.isEmpty() ? null : Path.of(hlog.get(hlog.size() - 1));
            if (folder != null) {
                HistogramLogs.check(folder);
            }
            return new Options(
                    arguments,
                    rows(arguments.list("--row")),
                    arguments.jdks(),
                    arguments.number("--seconds", 1, MOST_SECONDS, DEFAULT_SECONDS),
                    folder);
        }

        private static List<Row> rows(List<String> ids) throws UsageException {
            List<Row> named = new ArrayList<>();
            for (String id : ids) {
                named.add(timed().stream()
                        .filter(row -> row.id().equals(id))
                        .findFirst()
                        .orElseThrow(() -> new UsageException("--row must name rows of "
                                + String.join(
                                        ", ", timed().stream().map(Row::id).toList())
                                + ", but names '" + id + "'")));
            }
            return named.isEmpty() ? timed() : named;
        }
    }

    private static List<Row> timed() {
        return Rows.all().stream().filter(Row::isTime).toList();
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
                usage: ./sluice latency [--row ID,...] [--jdk HOME]... [--seconds N] [--hlog DIR] [--html OUT] [--json OUT]
                                        [--csv OUT] [--published OUT]

                Measures Sluice and its peers in warm JVMs of their own, visited in random order, 100 ms each, with a probe
                of the distance between the cores before and after. What the platform costs by itself is measured in the
                same rounds by threads that only look at the clock.

                  --row ID,...   only these rows (default all of latency: %s)
                  --jdk HOME     on this JDK; may be given again (default the one that runs ./sluice)
                  --seconds N    so many seconds of samples with near cores for each contestant, 1 to %d (default %d)
                  --hlog DIR     write histogram logs into the folder DIR, a file for each row, JVM and contestant
                  --html OUT     write a report with plots to the file OUT
                  --json OUT     write every figure to the file OUT
                  --csv OUT      write every sample to the file OUT
                  --published OUT  write the figures that guard later runs to the file OUT: those of now, and older ones

                Exit status: 0 every target is held; 1 one is not, or had too few samples, or is worse than nine tenths of the
                figure that was published last; 3 a peer is better where Sluice was to be as
                good at least; 2 bad usage, or another measurement runs; 130 on Ctrl-C, with what there is by then.
                """.formatted(String.join(", ", timed().stream().map(Row::id).toList()), MOST_SECONDS, DEFAULT_SECONDS);
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
                JVMS,
                false,
                List.of());
        SampleTable csv = new SampleTable();
        Report report = MeasuredRows.measure(plan, out, (jdk, row, measurement, result) -> {
            print(out, result);
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
        });
        options.arguments().write("--json", Json.write(report));
        options.arguments().write("--html", HtmlReport.write(report));
        options.arguments().write("--csv", csv.toString());
        options.arguments().write(Comparison.PUBLISHED, MeasuredRows.published(report));
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
        }
        row.lines().forEach(line -> out.println("  " + line));
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
