package io.sluice.perf.compare;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Pinning;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
            @Nullable Path csv) {

        static Options parse(List<String> arguments) throws UsageException {
            List<Row> rows = Rows.all();
            Set<String> peers = null;
            int near = FULL_NEAR;
            List<Path> jdks = new ArrayList<>();
            List<String> flags = new ArrayList<>();
            Map<String, Path> variants = new LinkedHashMap<>();
            Path csv = null;
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
                    case "--csv" -> csv = Path.of(value(arguments, ++i, option));
                    default ->
                        throw new UsageException(
                                "unknown argument '" + option
                                        + "'; allowed are --quick, --full, --rows, --peers, --near, --jdk, --flag, --variant, --csv");
                }
            }
            if (jdks.isEmpty()) {
                jdks.add(Path.of(System.getProperty("java.home")));
            }
            return new Options(rows, peers, near, jdks, flags, variants, csv);
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
                                              [--jdk HOME]... [--flag FLAG]...
                                              [--variant NAME=FOLDER]... [--csv OUT]
                """;
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
        return compare(options, System.out);
    }

    private static int compare(Options options, PrintStream out)
            throws IOException, InterruptedException, UsageException {
        out.println("threads " + Pinning.description());
        StringBuilder csv = new StringBuilder("jdk,row,round,contestant,value,hop_before,hop_after\n");
        boolean all = true;
        Band near = Band.here();
        out.println(String.format(
                Locale.ROOT, "near is %.0f to %.0f ns one way between the cores", near.low(), near.high()));
        for (Path jdk : options.jdks()) {
            for (Row row : options.rows()) {
                Driver driver = new Driver(
                        jdk,
                        options.flags(),
                        Path.of(System.getProperty("java.io.tmpdir"), "sluice-bench"),
                        System.nanoTime(),
                        near,
                        System.err::println);
                List<Visited> entries = options.entries(row);
                Measurement measurement = driver.measure(row, entries, options.near());
                all &= print(out, jdk, row, entries, measurement);
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
        }
        if (options.csv() != null) {
            Files.writeString(options.csv(), csv, StandardCharsets.UTF_8);
        }
        out.println(all ? "every target is held" : "not every target is held");
        return all ? DONE : CHECK_FAILED;
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
                    "  %-40s %12.3f M%s   %6.2f x %s (%.2f to %.2f, %d rounds)",
                    entry.label(),
                    values.median() / 1e6,
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
