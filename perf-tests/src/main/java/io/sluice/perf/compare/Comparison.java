package io.sluice.perf.compare;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.report.ContestantResult;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A suite of rows, measured as its options say: {@code ./sluice bench compare} and others. */
public final class Comparison {
    private static final List<String> QUICK_ROWS = List.of("1p1c", "1p1c-1024");
    private static final List<String> QUICK_PEERS = List.of("sluice", "sluice-10", "lmax", "jctools-spsc");
    private static final int QUICK_NEAR = 12;
    private static final int FULL_NEAR = 30;

    /** Exit status: a peer is better where Sluice was to be as good at least. */
    public static final int LOST = 3;

    private static final String CONFIGURATION =
            "every ring of Sluice is built by one call of its builder, which sets the capacity, singleProducer or"
                    + " multiProducer, consumersIdle and producersIdle, as the row says, and nothing else";

    private record Options(
            List<Row> rows,
            @Nullable Set<String> peers,
            int near,
            List<Path> jdks,
            List<String> flags,
            Map<String, Path> variants,
            @Nullable Path json,
            @Nullable Path html,
            @Nullable Path csv,
            @Nullable Path svg) {

        static Options parse(String suite, List<String> arguments) throws UsageException {
            List<Row> rows = Rows.suite(suite);
            Set<String> peers = null;
            int near = FULL_NEAR;
            List<Path> jdks = new ArrayList<>();
            List<String> flags = new ArrayList<>();
            Map<String, Path> variants = new LinkedHashMap<>();
            Path json = null;
            Path html = null;
            Path csv = null;
            Path svg = null;
            for (int i = 0; i < arguments.size(); i++) {
                String option = arguments.get(i);
                switch (option) {
                    case "--full" -> {
                        // the default, said aloud
                    }
                    case "--quick" -> {
                        if (suite.equals(Row.COMPARE)) {
                            rows = named(suite, QUICK_ROWS);
                            peers = new LinkedHashSet<>(QUICK_PEERS);
                        }
                        near = QUICK_NEAR;
                    }
                    case "--rows" -> rows = named(suite, list(arguments, ++i, option));
                    case "--peers" -> peers = new LinkedHashSet<>(list(arguments, ++i, option));
                    case "--near" -> near = positive(value(arguments, ++i, option));
                    case "--jdk" -> jdks.add(Driver.jdk(value(arguments, ++i, option)));
                    case "--flag" -> flags.add(value(arguments, ++i, option));
                    case "--variant" -> variant(value(arguments, ++i, option), variants);
                    case "--without" -> without(list(arguments, ++i, option), variants);
                    case "--json" -> json = Path.of(value(arguments, ++i, option));
                    case "--html" -> html = Path.of(value(arguments, ++i, option));
                    case "--csv" -> csv = Path.of(value(arguments, ++i, option));
                    case "--svg" -> svg = Path.of(value(arguments, ++i, option));
                    default ->
                        throw new UsageException(
                                "unknown argument '" + option
                                        + "'; allowed are --quick, --full, --rows, --peers, --near, --jdk, --flag, --variant, --without, --json, --html, --csv, --svg");
                }
            }
            if (jdks.isEmpty()) {
                jdks.add(Path.of(System.getProperty("java.home")));
            }
            return new Options(rows, peers, near, jdks, flags, variants, json, html, csv, svg);
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

        private static List<Row> named(String suite, List<String> ids) throws UsageException {
            List<Row> rows = new ArrayList<>();
            for (String id : ids) {
                rows.add(Rows.named(suite, id));
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

        private static void variant(String value, Map<String, Path> variants) throws UsageException {
            int at = value.indexOf('=');
            Path ahead = at < 1 ? null : Path.of(value.substring(at + 1));
            if (ahead == null || !Files.isDirectory(ahead)) {
                throw new UsageException(
                        "--variant is '" + value + "', allowed is NAME=FOLDER with a folder of classes");
            }
            variants.put(value.substring(0, at), ahead);
        }

        private static void without(List<String> names, Map<String, Path> variants) throws UsageException {
            for (String name : names) {
                if (!Ablations.names().contains(name)) {
                    throw new UsageException(
                            "--without names '" + name + "', allowed are " + String.join(", ", Ablations.names()));
                }
                try {
                    variants.put(
                            name, Ablations.write(name, Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench")));
                } catch (IOException e) {
                    throw new UsageException("--without " + name + ": its classes can not be written: " + e);
                }
            }
        }

        void check() throws UsageException {
            for (Row row : rows) {
                entries(row);
            }
            if (json != null) {
                Outputs.check("--json", json);
            }
            if (html != null) {
                Outputs.check("--html", html);
            }
            if (csv != null) {
                Outputs.check("--csv", csv);
            }
            if (svg != null) {
                Outputs.check("--svg", svg);
            }
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

    private Comparison() {}

    /**
     * The options, for people.
     *
     * @return what {@code --help} says
     */
    public static String usage() {
        return """
                usage: ./sluice bench compare [--quick | --full] [--rows ID,...] [--peers ID,...] [--near N] [--jdk HOME]...
                                              [--json OUT] [--html OUT] [--csv OUT] [--svg OUT] [--flag FLAG]...
                                              [--without NAME,...] [--variant NAME=DIR]...
                       ./sluice bench limiter, ./sluice bench ordered, with the same options

                Measures Sluice and its peers on the same work: each in a warm JVM of its own, visited in random order,
                100 ms each, with a probe of the distance between the cores before and after. Figures are compared within
                a round, and only where the cores were near at both ends; every payload is summed up and verified. Before
                it is measured, a JVM of Sluice has run other handlers, both producer types, a full ring and a failure.
                With limiter: rate limiters instead, nanoseconds a granted permit, and how far their rates are off.
                With ordered: the ordered scheduler beside the algorithm as published, a lock, and a sequencing thread.

                  --quick            %d contestants, 2 rows, %d near rounds: about three minutes
                  --full             every row, %d near rounds (the default)
                  --rows ID,...      only these rows: %s
                  --peers ID,...     only these contestants, and each row's reference
                  --near N           so many near rounds, 1 to 10000
                  --jdk HOME         on this JDK; may be given again (default the one that runs ./sluice)
                  --json OUT         write every figure to the file OUT
                  --html OUT         write a report with plots to the file OUT
                  --csv OUT          write every sample to the file OUT
                  --svg OUT          write the plots of the ratios to the file OUT
                  --flag FLAG        a further flag for every contestant's JVM; may be given again
                  --without NAME,... measure Sluice also with a choice taken back: %s
                  --variant NAME=DIR measure Sluice also with the classes of the folder DIR ahead of the shipped ones

                Exit status: 0 every target between those that took part is held; 1 one is not, or had too few near rounds; 3 a
                peer is better where Sluice was to be as good at least; 2 bad usage, or another measurement runs; 130 on Ctrl-C,
                with what there is by then.

                """.formatted(
                        QUICK_PEERS.size(),
                        QUICK_NEAR,
                        FULL_NEAR,
                        Rows.all().stream().map(Row::id).collect(Collectors.joining(", ")),
                        String.join(", ", Ablations.names()));
    }

    /**
     * Measures a suite. Nothing else may measure on this machine meanwhile.
     *
     * @param suite the word after {@code bench}
     * @param arguments what follows that word
     * @param out where figures go
     * @param rest what the suite measures beyond its rows, and whether that holds
     * @return an exit status of {@link Verb}
     * @throws Exception {@link UsageException} for bad arguments, or what a contestant threw
     */
    public static int run(String suite, List<String> arguments, PrintStream out, Predicate<PrintStream> rest)
            throws Exception {
        Options options = Options.parse(suite, arguments);
        options.check();
        String command = ("./sluice bench " + suite + " " + String.join(" ", arguments)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try {
            int status = compare(options, command, out);
            return status != Verb.DONE || rest.test(out) ? status : Verb.CHECK_FAILED;
        } finally {
            lock.close();
        }
    }

    private static int compare(Options options, String command, PrintStream out) throws Exception {
        String home = System.getProperty("sluice.home");
        Machine machine = Machine.here(
                options.jdks(), home == null ? null : Path.of(home), command, "threads " + Pinning.description());
        out.println(machine.load());
        out.println(machine.pinning());
        out.println(CONFIGURATION);
        String date = OffsetDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        StringBuilder csv = new StringBuilder("jvm,row,round,contestant,value,hop_before,hop_after\n");
        List<RowResult> results = new ArrayList<>();
        AtomicReference<Driver> driving = new AtomicReference<>();
        boolean complete = true;
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {
            Driver driver = driving.get();
            if (driver != null) {
                driver.stop();
            }
        })) {
            Band near = Band.here(interruption::requested);
            out.println(near.description());
            TimeLeft left = new TimeLeft(options.jdks().size() * options.rows().size());
            for (int i = 0; i < options.jdks().size() && complete; i++) {
                for (Row row : options.rows()) {
                    left.begin();
                    Driver driver = new Driver(
                            options.jdks().get(i),
                            options.flags(),
                            Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench"),
                            System.nanoTime(),
                            near,
                            line -> System.err.println(left + line));
                    driving.set(driver);
                    if (interruption.requested()) {
                        driver.stop();
                    }
                    List<Visited> visited = options.entries(row);
                    Measurement measurement = driver.measure(row, visited, options.near());
                    List<String> notes = new ArrayList<>(row.notes(measurement));
                    notes.add(CONFIGURATION);
                    notes.add(near.description());
                    RowResult result = RowResults.of(
                            row, visited, measurement, machine.jvms().get(i), options.near(), notes);
                    left.end();
                    results.add(result);
                    print(out, result, measurement);
                    row.notes(measurement).forEach(note -> out.println("  " + note));
                    append(csv, machine.jvms().get(i), row, measurement);
                    if (interruption.requested()) {
                        complete = false;
                        break;
                    }
                }
            }
            Report report = new Report("Comparison", date, complete, machine, results);
            if (options.json() != null) {
                Outputs.write("--json", options.json(), Json.write(report));
            }
            if (options.html() != null) {
                Outputs.write("--html", options.html(), HtmlReport.write(report));
            }
            if (options.csv() != null) {
                Outputs.write("--csv", options.csv(), csv.toString());
            }
            if (options.svg() != null) {
                Outputs.write("--svg", options.svg(), HtmlReport.svg(report));
            }
        }
        if (!complete) {
            out.println("stopped before the end: this is what there was by then");
            return Verb.INTERRUPTED;
        }
        out.println(verdict(results));
        return status(results);
    }

    /**
     * What the rows say together, for people.
     *
     * @param results the rows
     * @return one line
     */
    public static String verdict(List<RowResult> results) {
        return switch (status(results)) {
            case Verb.DONE -> "every target between those that took part is held";
            case LOST -> "not every target is held, and a peer is better than Sluice";
            default -> "not every target is held";
        };
    }

    /**
     * The exit status of the rows together.
     *
     * @param results the rows
     * @return {@link #LOST} if a peer is better, else {@link Verb#CHECK_FAILED} if a target is not held, else {@link Verb#DONE}
     */
    public static int status(List<RowResult> results) {
        if (results.stream().anyMatch(RowResult::loses)) {
            return LOST;
        }
        return results.stream().allMatch(RowResult::holds) ? Verb.DONE : Verb.CHECK_FAILED;
    }

    private static void append(StringBuilder csv, String jvm, Row row, Measurement measurement) {
        for (Measurement.Sample sample : measurement.samples()) {
            csv.append(String.format(
                    Locale.ROOT,
                    "%s,%s,%d,%s,%.1f,%.1f,%.1f%n",
                    jvm.replace(',', ' '),
                    row.id(),
                    sample.round(),
                    sample.contestant(),
                    sample.value(),
                    sample.hopBefore(),
                    sample.hopAfter()));
        }
    }

    private static void print(PrintStream out, RowResult row, Measurement measurement) {
        Quartiles hops = measurement.hops();
        out.println();
        out.println(row.id() + ": " + row.title() + ", " + row.jvm());
        out.println(String.format(
                Locale.ROOT, "  hop %.0f ns (quartiles %.0f to %.0f)", hops.median(), hops.lower(), hops.upper()));
        for (ContestantResult one : row.contestants()) {
            out.println(String.format(
                    Locale.ROOT,
                    "  %-44s %11.3f %s   %6.2f x %s (%.2f to %.2f, %d rounds)",
                    one.label(),
                    row.lessIsBetter() ? one.nearMedian() : one.nearMedian() / 1e6,
                    row.lessIsBetter() ? row.unit() : "M " + row.unit(),
                    one.ratio().median(),
                    row.reference(),
                    one.ratio().lower(),
                    one.ratio().upper(),
                    one.ratio().rounds()));
        }
        row.measurable().forEach(target -> out.println("  " + target.sentence()));
    }
}
