package io.sluice.perf.compare;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Interruption;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.report.HtmlReport;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Outputs;
import io.sluice.perf.report.Report;
import io.sluice.perf.report.RowResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice bench compare}: Sluice and its peers on the same work in the same run. */
public final class Bench implements Verb {
    private static final List<String> QUICK_ROWS = List.of("1p1c", "1p1c-1024");
    private static final List<String> QUICK_PEERS = List.of("sluice", "sluice-10", "lmax", "jctools-spsc");
    private static final int QUICK_NEAR = 12;
    private static final int FULL_NEAR = 30;

    private record Options(
            List<Row> rows,
            @Nullable Set<String> peers,
            int near,
            List<Path> jdks,
            List<String> flags,
            Map<String, Path> variants,
            @Nullable Path csv,
            @Nullable Path json,
            @Nullable Path html) {

        static Options parse(List<String> arguments) throws UsageException {
            List<Row> rows = Rows.all();
            Set<String> peers = null;
            int near = FULL_NEAR;
            List<Path> jdks = new ArrayList<>();
            List<String> flags = new ArrayList<>();
            Map<String, Path> variants = new LinkedHashMap<>();
            Path csv = null;
            Path json = null;
            Path html = null;
            for (int i = 0; i < arguments.size(); i++) {
                String option = arguments.get(i);
                switch (option) {
                    case "--full" -> {
                        // the default, said aloud
                    }
                    case "--quick" -> {
                        rows = named(QUICK_ROWS);
                        peers = new LinkedHashSet<>(QUICK_PEERS);
                        near = QUICK_NEAR;
                    }
                    case "--rows" -> rows = named(list(arguments, ++i, option));
                    case "--peers" -> peers = new LinkedHashSet<>(list(arguments, ++i, option));
                    case "--near" -> near = positive(value(arguments, ++i, option));
                    case "--jdk" -> jdks.add(jdk(value(arguments, ++i, option)));
                    case "--flag" -> flags.add(value(arguments, ++i, option));
                    case "--variant" -> variant(value(arguments, ++i, option), variants);
                    case "--csv" -> csv = output(value(arguments, ++i, option), option);
                    case "--json" -> json = output(value(arguments, ++i, option), option);
                    case "--html" -> html = output(value(arguments, ++i, option), option);
                    default ->
                        throw new UsageException("unknown argument '" + option
                                + "'; allowed are --quick, --full, --rows, --peers, --near, --jdk, --flag, --variant, --csv,"
                                + " --json, --html");
                }
            }
            if (jdks.isEmpty()) {
                jdks.add(Path.of(System.getProperty("java.home")));
            }
            return new Options(rows, peers, near, jdks, flags, variants, csv, json, html);
        }

        private static Path output(String value, String option) throws UsageException {
            Path file = Path.of(value);
            Outputs.check(option, file);
            return file;
        }

        private static String value(List<String> arguments, int i, String option) throws UsageException {
            if (i >= arguments.size()) {
                throw new UsageException(option + " needs a value");
            }
            return arguments.get(i);
        }

        private static List<String> list(List<String> arguments, int i, String option) throws UsageException {
            return List.of(value(arguments, i, option).split(",", -1));
        }

        private static List<Row> named(List<String> ids) throws UsageException {
            List<Row> rows = new ArrayList<>();
            for (String id : ids) {
                rows.add(Rows.named(id));
            }
            return rows;
        }

        private static int positive(String value) throws UsageException {
            try {
                int number = Integer.parseInt(value);
                if (number >= 1 && number <= 10_000) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // said below
            }
            throw new UsageException("--near is '" + value + "', allowed is 1 to 10000");
        }

        private static Path jdk(String value) throws UsageException {
            Path home = Path.of(value).toAbsolutePath();
            if (!Files.isExecutable(home.resolve("bin").resolve("java"))) {
                throw new UsageException("--jdk is '" + value + "', which has no bin/java; allowed is a JDK's folder");
            }
            return home;
        }

        private static void variant(String value, Map<String, Path> variants) throws UsageException {
            int at = value.indexOf('=');
            Path ahead = at < 1 ? null : Path.of(value.substring(at + 1));
            if (ahead == null || !Files.isDirectory(ahead)) {
                throw new UsageException(
                        "--variant is '" + value + "', allowed is NAME=FOLDER with a folder of classes");
            }
            variants.put(value.substring(0, at), ahead);
        }

        List<Visited> entries(Row row) throws UsageException {
            List<Visited> chosen = new ArrayList<>();
            for (Entry entry : row.entries()) {
                if (peers == null || peers.contains(entry.id()) || entry.id().equals(row.reference())) {
                    chosen.add(Visited.shipped(entry));
                    if (entry.id().startsWith("sluice")) {
                        variants.forEach((name, ahead) -> chosen.add(Visited.variant(entry, name, ahead)));
                    }
                }
            }
            if (chosen.size() < 2) {
                throw new UsageException("--peers leaves row " + row.id() + " without a pair; allowed are "
                        + row.entries().stream().map(Entry::id).collect(Collectors.joining(", ")));
            }
            return chosen;
        }
    }

    /** For the service loader. */
    public Bench() {}

    @Override
    public String name() {
        return "bench";
    }

    @Override
    public String summary() {
        return "compare Sluice with its peers on the same work in the same run";
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice bench compare [--quick | --full] [--rows ID,...] [--peers ID,...] [--near N]
                                              [--jdk HOME]... [--json OUT] [--html OUT] [--csv OUT]
                                              [--flag FLAG]... [--variant NAME=FOLDER]...

                Measures Sluice and its peers in warm JVMs of their own, visited in random order, 100 ms each, with a probe
                of the distance between the cores before and after; compares them round by round.

                  --quick           two rows, four contestants, %d rounds with near cores
                  --full            all rows (the default): %s
                  --rows ID,...     only these rows
                  --peers ID,...    only these contestants, and each row's reference
                  --near N          so many rounds with near cores, 1 to 10000 (default %d)
                  --jdk HOME        on this JDK; may be given again (default the one that runs ./sluice)
                  --json OUT        write every figure to the file OUT
                  --html OUT        write a report with plots to the file OUT
                  --csv OUT         write every sample to the file OUT
                  --flag FLAG       a flag for the JVM of every contestant; may be given again
                  --variant N=DIR   measure Sluice also with the classes of the folder DIR ahead of its own, as N

                Exit status: 0 every target is held; 1 one is not; 2 bad usage, or another measurement runs; 130 on Ctrl-C,
                with what there is by then.
                """.formatted(
                QUICK_NEAR, String.join(", ", Rows.all().stream().map(Row::id).toList()), FULL_NEAR);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        if (arguments.isEmpty() || !arguments.get(0).equals("compare")) {
            throw new UsageException("what to compare is missing; allowed is: bench compare");
        }
        Options options = Options.parse(arguments.subList(1, arguments.size()));
        for (Row row : options.rows()) {
            options.entries(row);
        }
        String command = "./sluice bench " + String.join(" ", arguments);
        MeasurementLock lock = MeasurementLock.take(command);
        try {
            return compare(options, command, System.out);
        } finally {
            lock.close();
        }
    }

    private static int compare(Options options, String command, PrintStream out)
            throws IOException, InterruptedException, UsageException {
        String home = System.getProperty("sluice.home");
        Machine machine = Machine.here(
                options.jdks(), home == null ? null : Path.of(home), command, "threads " + Pinning.description());
        out.println(machine.load());
        out.println(machine.pinning());
        String date = OffsetDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        StringBuilder csv = new StringBuilder("jdk,row,round,contestant,value,hop_before,hop_after\n");
        List<RowResult> results = new ArrayList<>();
        boolean all = true;
        boolean complete = true;
        AtomicReference<Driver> driving = new AtomicReference<>();
        try (Interruption interruption = new Interruption(() -> {
            Driver driver = driving.get();
            if (driver != null) {
                driver.stop();
            }
        })) {
            Band near = Band.here();
            out.println(String.format(
                    Locale.ROOT, "near is %.0f to %.0f ns one way between the cores", near.low(), near.high()));
            for (int i = 0; i < options.jdks().size() && complete; i++) {
                Path jdk = options.jdks().get(i);
                for (Row row : options.rows()) {
                    Driver driver = new Driver(
                            jdk,
                            options.flags(),
                            Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench"),
                            System.nanoTime(),
                            near,
                            System.err::println);
                    driving.set(driver);
                    if (interruption.requested()) {
                        driver.stop();
                    }
                    List<Visited> entries = options.entries(row);
                    Measurement measurement = driver.measure(row, entries, options.near());
                    results.add(RowResults.of(
                            row, entries, measurement, machine.jvms().get(i), List.of(), List.of()));
                    all &= print(out, jdk, row, entries, measurement);
                    append(csv, jdk, row, measurement);
                    if (interruption.requested()) {
                        complete = false;
                        break;
                    }
                }
            }
            write(options, csv, new Report("Sluice and its peers", date, complete, machine, results));
        }
        if (!complete) {
            out.println("stopped before the end: this is what there was by then");
            return INTERRUPTED;
        }
        out.println(all ? "every target is held" : "not every target is held");
        return all ? DONE : CHECK_FAILED;
    }

    private static void append(StringBuilder csv, Path jdk, Row row, Measurement measurement) {
        for (Measurement.Sample sample : measurement.samples()) {
            csv.append(String.format(
                    Locale.ROOT,
                    "%s,%s,%d,%s,%.1f,%.1f,%.1f%n",
                    jdk.getFileName(),
                    row.id(),
                    sample.round(),
                    sample.contestant(),
                    sample.value(),
                    sample.hopBefore(),
                    sample.hopAfter()));
        }
    }

    private static void write(Options options, CharSequence csv, Report report) throws UsageException {
        if (options.csv() != null) {
            Outputs.write("--csv", options.csv(), csv.toString());
        }
        if (options.json() != null) {
            Outputs.write("--json", options.json(), Json.write(report));
        }
        if (options.html() != null) {
            Outputs.write("--html", options.html(), HtmlReport.write(report));
        }
    }

    private static boolean print(PrintStream out, Path jdk, Row row, List<Visited> entries, Measurement measurement) {
        out.println();
        out.println(row.id() + ": " + row.title() + ", " + jdk.getFileName());
        out.println(String.format(
                Locale.ROOT,
                "hop %.0f ns (quartiles %.0f to %.0f)",
                measurement.hops().median(),
                measurement.hops().lower(),
                measurement.hops().upper()));
        for (Visited entry : entries) {
            Quartiles values = measurement.values(entry.id(), true);
            Quartiles ratio = measurement.ratio(entry.id(), row.reference());
            out.println(String.format(
                    Locale.ROOT,
                    "  %-40s %12.3f %s%s   %6.2f x %s (%.2f to %.2f, %d rounds)",
                    entry.label(),
                    RowResults.isTime(row) ? values.median() : values.median() / 1e6,
                    RowResults.isTime(row) ? "" : "M",
                    row.unit(),
                    ratio.median(),
                    row.reference(),
                    ratio.lower(),
                    ratio.upper(),
                    ratio.count()));
        }
        boolean all = true;
        for (Target target : row.targets()) {
            Quartiles ratio = measurement.ratio(target.contestant(), target.peer());
            if (ratio.count() > 0) {
                boolean holds = target.holds(ratio);
                all &= holds;
                out.println(String.format(
                        Locale.ROOT,
                        "  %s to %s: %.2f (%.2f to %.2f), must be %s %.2f, stretch %.2f: %s",
                        target.contestant(),
                        target.peer(),
                        ratio.median(),
                        ratio.lower(),
                        ratio.upper(),
                        target.atMost() ? "at most" : "at least",
                        target.must(),
                        target.stretch(),
                        holds ? "holds" : "missed"));
            }
        }
        return all;
    }
}
