package io.sluice.perf.compare;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.HtmlReport;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Report;
import io.sluice.perf.report.RowResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** A suite of rows, measured as its options say: {@code ./sluice bench compare} and others. */
public final class Comparison {
    private static final List<String> QUICK_ROWS = List.of("1p1c", "1p1c-1024");
    private static final List<String> QUICK_PEERS = List.of("sluice", "sluice-10", "lmax", "lmax-10", "jctools-spsc");
    private static final int QUICK_NEAR = 12;
    private static final int FULL_NEAR = 30;
    private static final int QUICK_JVMS = 3;
    private static final int FULL_JVMS = 10;
    private static final int MOST_NEAR = 10_000;

    private static final String CONFIGURATION =
            "every ring of Sluice is built by one call of its builder, which sets the capacity, singleProducer or"
                    + " multiProducer, consumersIdle and producersIdle, as the row says, and nothing else";

    /** The option that names a file for published figures. */
    public static final String PUBLISHED = "--published";

    private Comparison() {}

    /** The note on the JVMs of a run. */
    static String jvms(int near, int jvms) {
        return String.format(
                Locale.ROOT,
                "%d JVMs a contestant at least, one after the other%s",
                Math.min(near, jvms),
                Math.min(near, jvms) < FULL_JVMS ? ": too few to know how far the figures are sure" : "");
    }

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
                       ./sluice bench limiter, ./sluice bench ordered, ./sluice bench aeron, with the same options

                Measures Sluice and its peers on the same work: each in a warm JVM of its own, visited in random order,
                100 ms each, with a probe of the distance between the cores before and after. Rings that move events live on from
                sample to sample, and their processes are stopped in between. Figures are compared within
                a round, and only where the cores were near at both ends; every payload is summed up and verified. Before
                it is measured, a JVM of Sluice has run other handlers, both producer types, a full ring and a failure.
                With limiter: rate limiters instead, nanoseconds a granted permit, and how far their rates are off.
                With ordered: the ordered scheduler beside the algorithm as published, a lock, and a sequencing thread.
                With aeron: from ring to ring by Aeron, over IPC and UDP on loopback, beside Aeron alone.

                  --quick            %d contestants, 2 rows, %d near rounds: about three minutes
                  --full             every row but those that are measured by name only, %d near rounds (the default)
                  --rows ID,...      only these rows: %s
                                     by name only: %s
                  --peers ID,...     only these contestants, and each row's reference
                  --near N           so many near rounds, 1 to 10000
                  --jvms N           so many JVMs a contestant at least, one after the other, 1 to 10000 (default %d, --quick %d)
                  --jdk HOME         on this JDK; may be given again (default the one that runs ./sluice)
                  --json OUT         write every figure to the file OUT
                  --html OUT         write a report with plots to the file OUT
                  --csv OUT          write every sample to the file OUT
                  --svg OUT          write the plots of the ratios to the file OUT
                  --published OUT    write the figures that guard later runs to the file OUT: those of now, and older ones
                  --flag FLAG        a further flag for every contestant's JVM; may be given again
                  --without NAME,... measure Sluice also with a choice taken back: %s
                  --variant NAME=DIR measure Sluice also with the classes of the folder DIR ahead of the shipped ones

                Exit status: 0 every target between those that took part is held; 1 one is not, or had too few near rounds, or is
                worse than nine tenths of the figure that was published last; 3 a peer is better where Sluice was to be as good
                at least; 4 a quick run beside other programs, which is not judged; 2 bad usage, or another measurement runs;
                130 on Ctrl-C, with what there is by then.

                """.formatted(
                        QUICK_PEERS.size(),
                        QUICK_NEAR,
                        FULL_NEAR,
                        ids(false),
                        ids(true),
                        FULL_JVMS,
                        QUICK_JVMS,
                        String.join(", ", Ablations.names()));
    }

    private static String ids(boolean onRequest) {
        return Rows.all().stream()
                .filter(row -> row.isOnRequest() == onRequest)
                .map(Row::id)
                .collect(Collectors.joining(", "));
    }

    /**
     * Measures a suite. Nothing else may measure on this machine meanwhile.
     *
     * @param suite the word after {@code bench}
     * @param given what follows that word
     * @param out where figures go
     * @param rest measures the part of the suite beyond its rows, and tells whether that holds
     * @return an exit status of {@link Verb}
     * @throws Exception {@link UsageException} for bad arguments, or what a contestant threw
     */
    public static int run(String suite, List<String> given, PrintStream out, Predicate<PrintStream> rest)
            throws Exception {
        Arguments arguments = Arguments.parse(
                given,
                List.of("--full", Arguments.QUICK),
                List.of("--rows", "--peers", "--near", "--jvms", Arguments.JDK, "--flag", "--variant", "--without"),
                List.of("--json", "--html", "--csv", "--svg", PUBLISHED));
        String command = ("./sluice bench " + suite + " " + String.join(" ", given)).strip();
        MeasuredRows.Plan plan = plan(suite, command, arguments);
        MeasurementLock lock = MeasurementLock.take(command);
        try {
            SampleTable csv = new SampleTable();
            int status = MeasuredRows.measure(
                    plan,
                    out,
                    (jdk, row, measurement, result) -> {
                        print(out, result, measurement);
                        row.notes(measurement).forEach(note -> out.println("  " + note));
                        List<String> contestants = result.contestants().stream()
                                .map(ContestantResult::id)
                                .toList();
                        RowResults.toVariants(contestants, measurement).forEach(line -> out.println("  " + line));
                        csv.add(result.jvm(), row, measurement);
                    },
                    report -> conclude(report, csv, arguments, out));
            return status != Verb.DONE || rest.test(out) ? status : Verb.CHECK_FAILED;
        } finally {
            lock.close();
        }
    }

    private static int conclude(Report report, SampleTable csv, Arguments arguments, PrintStream out)
            throws UsageException {
        arguments.write("--json", Json.write(report));
        arguments.write("--html", HtmlReport.write(report));
        arguments.write("--csv", csv.toString());
        arguments.write("--svg", HtmlReport.svg(report));
        arguments.write(PUBLISHED, MeasuredRows.published(report));
        return MeasuredRows.conclude(report, out);
    }

    private static MeasuredRows.Plan plan(String suite, String command, Arguments arguments) throws UsageException {
        boolean quick = arguments.has(Arguments.QUICK);
        boolean small = quick && suite.equals(Row.COMPARE);
        List<String> ids = arguments.list("--rows").isEmpty() && small ? QUICK_ROWS : arguments.list("--rows");
        List<String> peers = arguments.list("--peers").isEmpty() && small ? QUICK_PEERS : arguments.list("--peers");
        List<Row> rows = ids.isEmpty() ? Rows.usual(suite) : new ArrayList<>();
        for (String id : ids) {
            rows.add(Rows.named(suite, id));
        }
        int near = arguments.number("--near", 1, MOST_NEAR, quick ? QUICK_NEAR : FULL_NEAR);
        int jvms = arguments.number("--jvms", 1, MOST_NEAR, quick ? QUICK_JVMS : FULL_JVMS);
        Map<String, Path> variants = variants(arguments);
        Map<Row, List<Visited>> visited = new LinkedHashMap<>();
        for (Row row : rows) {
            visited.put(row, visited(row, peers, variants));
        }
        return new MeasuredRows.Plan(
                "sluice bench",
                "Comparison",
                command,
                arguments.jdks(),
                arguments.values("--flag"),
                visited,
                near,
                jvms,
                quick,
                List.of(CONFIGURATION, jvms(near, jvms)));
    }

    private static List<Visited> visited(Row row, List<String> peers, Map<String, Path> variants)
            throws UsageException {
        List<Visited> chosen = new ArrayList<>();
        for (Entry entry : row.entries()) {
            if (peers.isEmpty() || peers.contains(entry.id()) || entry.id().equals(row.reference())) {
                chosen.add(Visited.shipped(entry));
                if (entry.id().startsWith(Entry.SLUICE)) {
                    variants.forEach((name, ahead) -> chosen.add(Visited.variant(entry, name, ahead)));
                }
            }
        }
        if (chosen.size() < 2) {
            throw new UsageException("--peers must name contestants of row " + row.id() + ", which are "
                    + row.entries().stream().map(Entry::id).collect(Collectors.joining(", "))
                    + ", but leaves it without a pair");
        }
        return chosen;
    }

    private static Map<String, Path> variants(Arguments arguments) throws UsageException {
        Map<String, Path> variants = new LinkedHashMap<>();
        for (String value : arguments.values("--variant")) {
            int at = value.indexOf('=');
            if (at < 1 || !Files.isDirectory(Path.of(value.substring(at + 1)))) {
                throw new UsageException(
                        "--variant must be NAME=FOLDER with a folder of classes, but was '" + value + "'");
            }
            variants.put(value.substring(0, at), Path.of(value.substring(at + 1)));
        }
        for (String name : arguments.list("--without")) {
            if (!Ablations.names().contains(name)) {
                throw new UsageException("--without must name some of " + String.join(", ", Ablations.names())
                        + ", but names '" + name + "'");
            }
            try {
                variants.put(
                        name, Ablations.write(name, Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench")));
            } catch (IOException e) {
                throw new UsageException("--without " + name + ": its classes can not be written: " + e);
            }
        }
        return variants;
    }

    private static void print(PrintStream out, RowResult row, Measurement measurement) {
        Quartiles hops = measurement.hops();
        out.println();
        out.println(row.id() + ": " + row.title() + ", " + row.jvm());
        if (hops.count() > 0) {
            out.println(String.format(
                    Locale.ROOT, "  hop %.0f ns (quartiles %.0f to %.0f)", hops.median(), hops.lower(), hops.upper()));
        }
        for (ContestantResult one : row.contestants()) {
            if (one.hasFigure()) {
                out.println(String.format(
                        Locale.ROOT,
                        "  %-44s %11.3f %s%s",
                        one.label(),
                        row.lessIsBetter() ? one.nearMedian() : one.nearMedian() / 1e6,
                        row.lessIsBetter() ? row.unit() : "M " + row.unit(),
                        one.ratio().words(row.reference())));
            }
        }
        row.lines().forEach(line -> out.println("  " + line));
    }
}
