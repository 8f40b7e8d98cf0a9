package io.sluice.perf.latency;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Comparison;
import io.sluice.perf.compare.Driver;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowResults;
import io.sluice.perf.compare.Rows;
import io.sluice.perf.compare.Visited;
import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.Distribution;
import io.sluice.perf.report.HtmlReport;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Outputs;
import io.sluice.perf.report.Report;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.svg.Labels;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice latency}: round trips and open loop, with percentiles and what the platform costs by itself. */
public final class Latency implements Verb {
    private static final int SAMPLES_PER_SECOND = 10;
    private static final int DEFAULT_SECONDS = 3;
    private static final int MOST_SECONDS = 3_600;
    private static final double[] SHOWN = {50, 90, 99, 99.9, 99.99};

    /** What the command line asks for. */
    record Options(
            List<Row> rows,
            List<Path> jdks,
            int seconds,
            @Nullable Path hlog,
            @Nullable Path html,
            @Nullable Path json) {

        static Options parse(List<String> arguments) throws UsageException {
            List<Row> rows = new ArrayList<>();
            List<Path> jdks = new ArrayList<>();
            int seconds = DEFAULT_SECONDS;
            Path hlog = null;
            Path html = null;
            Path json = null;
            for (int i = 0; i < arguments.size(); i += 2) {
                String option = arguments.get(i);
                if (!List.of("--row", "--jdk", "--seconds", "--hlog", "--html", "--json")
                        .contains(option)) {
                    throw new UsageException("unknown argument '" + option
                            + "'; allowed are --row, --jdk, --seconds, --hlog, --html, --json");
                }
                if (i + 1 == arguments.size()) {
                    throw new UsageException(option + " needs a value");
                }
                String value = arguments.get(i + 1);
                switch (option) {
                    case "--row" -> rows.addAll(rows(value));
                    case "--jdk" -> jdks.add(Driver.jdk(value));
                    case "--seconds" -> seconds = seconds(value);
                    case "--hlog" -> hlog = Path.of(value);
                    case "--html" -> html = Path.of(value);
                    default -> json = Path.of(value);
                }
            }
            if (jdks.isEmpty()) {
                jdks.add(Path.of(System.getProperty("java.home")));
            }
            return new Options(rows.isEmpty() ? timed() : rows, jdks, seconds, hlog, html, json);
        }

        private static List<Row> timed() {
            return Rows.all().stream().filter(Row::isTime).toList();
        }

        private static List<Row> rows(String value) throws UsageException {
            List<Row> named = new ArrayList<>();
            for (String id : value.split(",", -1)) {
                named.add(timed().stream()
                        .filter(row -> row.id().equals(id))
                        .findFirst()
                        .orElseThrow(() -> new UsageException("--row names '" + id + "', allowed are "
                                + String.join(
                                        ", ", timed().stream().map(Row::id).toList()))));
            }
            return named;
        }

        private static int seconds(String value) throws UsageException {
            try {
                int number = Integer.parseInt(value);
                if (number >= 1 && number <= MOST_SECONDS) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // said below
            }
            throw new UsageException("--seconds is '" + value + "', allowed is 1 to " + MOST_SECONDS);
        }

        void checkOutputs() throws UsageException {
            if (hlog != null) {
                HistogramLogs.check(hlog);
            }
            if (html != null) {
                Outputs.check("--html", html);
            }
            if (json != null) {
                Outputs.check("--json", json);
            }
        }
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

                Measures Sluice and its peers in warm JVMs of their own, visited in random order, 100 ms each, with a probe
                of the distance between the cores before and after. What the platform costs by itself is measured in the
                same rounds by threads that only look at the clock.

                  --row ID,...   only these rows (default all of latency: %s)
                  --jdk HOME     on this JDK; may be given again (default the one that runs ./sluice)
                  --seconds N    so many seconds of samples with near cores for each contestant, 1 to %d (default %d)
                  --hlog DIR     write histogram logs into the folder DIR, a file for each row, JVM and contestant
                  --html OUT     write a report with plots to the file OUT
                  --json OUT     write every figure to the file OUT

                Exit status: 0 every target is held; 1 one is not, or had too few samples; 3 a peer is better where Sluice was to be
                as good at least; 2 bad usage, or another measurement runs; 130 on Ctrl-C, with what there is by then.
                """.formatted(
                String.join(", ", Options.timed().stream().map(Row::id).toList()), MOST_SECONDS, DEFAULT_SECONDS);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        options.checkOutputs();
        String command = "./sluice latency " + String.join(" ", arguments);
        MeasurementLock lock = MeasurementLock.take(command);
        try {
            return measure(options, command.strip(), System.out);
        } finally {
            lock.close();
        }
    }

    private static int measure(Options options, String command, PrintStream out) throws Exception {
        String home = System.getProperty("sluice.home");
        Machine machine = Machine.here(
                options.jdks(), home == null ? null : Path.of(home), command, "threads " + Pinning.description());
        out.println(machine.load());
        out.println(machine.pinning());
        String date = OffsetDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        List<RowResult> results = new ArrayList<>();
        AtomicReference<Driver> driving = new AtomicReference<>();
        boolean complete = true;
        try (Interruption interruption = Interruption.listening("sluice latency", () -> {
            Driver driver = driving.get();
            if (driver != null) {
                driver.stop();
            }
        })) {
            Band near = Band.here(interruption::requested);
            out.println(near.description());
            for (int i = 0; i < options.jdks().size() && complete; i++) {
                Path jdk = options.jdks().get(i);
                for (Row row : options.rows()) {
                    Driver driver = new Driver(
                            jdk,
                            List.of(),
                            Path.of(System.getProperty("java.io.tmpdir"), "sluice-latency"),
                            System.nanoTime(),
                            near,
                            System.err::println);
                    driving.set(driver);
                    if (interruption.requested()) {
                        driver.stop();
                    }
                    List<Visited> visited =
                            row.entries().stream().map(Visited::shipped).toList();
                    Measurement measurement = driver.measure(row, visited, options.seconds() * SAMPLES_PER_SECOND);
                    RowResult result = RowResults.of(
                            row,
                            visited,
                            measurement,
                            machine.jvms().get(i),
                            options.seconds() * SAMPLES_PER_SECOND,
                            List.of(near.description()));
                    results.add(result);
                    print(out, result);
                    if (options.hlog() != null) {
                        for (Visited one : visited) {
                            HistogramLogs.write(
                                    options.hlog(),
                                    row.id() + "-" + jdk.getFileName() + "-" + one.id(),
                                    measurement,
                                    one.id());
                        }
                    }
                    if (interruption.requested()) {
                        complete = false;
                        break;
                    }
                }
            }
            write(options, new Report("Latency", date, complete, machine, results));
        }
        if (!complete) {
            out.println("stopped before the end: this is what there was by then");
            return INTERRUPTED;
        }
        out.println(Comparison.verdict(results));
        return Comparison.status(results);
    }

    private static void write(Options options, Report report) throws UsageException {
        if (options.json() != null) {
            Outputs.write("--json", options.json(), Json.write(report));
        }
        if (options.html() != null) {
            Outputs.write("--html", options.html(), HtmlReport.write(report));
        }
    }

    private static void print(PrintStream out, RowResult row) {
        out.println();
        out.println(row.id() + ": " + row.title() + ", " + row.jvm());
        StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "  %-40s", ""));
        for (double percentile : SHOWN) {
            head.append(String.format(Locale.ROOT, " %9s", percentile + "%"));
        }
        out.println(head + "       max   p50 to " + row.reference());
        for (int i = 0; i < row.contestants().size(); i++) {
            ContestantResult one = row.contestants().get(i);
            Distribution times = row.distributions().get(i);
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-40s", one.label()));
            for (double percentile : SHOWN) {
                line.append(String.format(Locale.ROOT, " %9s", Labels.nanos(times.at(percentile))));
            }
            line.append(String.format(Locale.ROOT, " %9s", Labels.nanos(times.max())));
            out.println(line
                    + String.format(
                            Locale.ROOT,
                            "   %.2f (%.2f to %.2f, %d rounds)",
                            one.ratio().median(),
                            one.ratio().lower(),
                            one.ratio().upper(),
                            one.ratio().rounds()));
        }
        row.measurable().forEach(target -> out.println("  " + target.sentence()));
    }
}
