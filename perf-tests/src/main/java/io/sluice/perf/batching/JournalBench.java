package io.sluice.perf.batching;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.report.Glossary;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Page;
import io.sluice.perf.report.svg.BarChart;
import io.sluice.perf.report.svg.Labels;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice bench journal}: append beside a bare loop, group commit, and the methods of sequential input and output. */
public final class JournalBench {
    static final List<String> OUTPUTS = List.of("--json", "--html");

    /** The share of the bare loop's rate that the journal must reach. */
    static final double LEAST_SHARE = 0.9;

    /** Group commit must have this many times the events a second of one {@code force} each, where a {@code force} is dear. */
    static final double LEAST_RATIO = 20;

    static final double DEAR_NANOS = 100_000;

    /** The longest batch with a roll may take this many times as long as the longest batch without one. */
    static final double LONGEST_ROLL = 2;

    /** A loop that does less may take this many times as long as one that does more, where the disk alone decides. */
    static final double DISK_NOISE = 1.1;

    private static final int GROUP_ROUNDS = 5;

    /** The size of a measurement. */
    record Size(long appendBytes, int appendRounds, long groupNanos, long pages, int ioRounds, int rolls, int segment) {
        static final Size FULL = new Size(128L << 20, 11, TimeUnit.SECONDS.toNanos(3), 64 << 10, 5, 100, 8 << 20);
        static final Size QUICK = new Size(8L << 20, 5, TimeUnit.MILLISECONDS.toNanos(300), 1 << 10, 3, 4, 1 << 20);
    }

    /**
     * A line of the table of methods: medians, in bytes of payload a second.
     *
     * @param method how
     * @param write written
     * @param read read
     * @param writes quartiles of the rounds' rates of writing
     * @param reads the same of reading
     */
    record IoLine(String method, double write, double read, Quartiles writes, Quartiles reads) {}

    /**
     * Everything that was measured.
     *
     * @param title what it is
     * @param date when
     * @param quick whether it is a quick run, whose figures are for looking at only
     * @param complete whether it was not interrupted
     * @param summary what it says in short
     * @param machine where
     * @param fileSystem the file system's type, and the folder
     * @param append rounds of appending
     * @param group rounds of group commit
     * @param rolls batches with and without a roll, or null if it was not come to
     * @param methods sequential reading and writing
     * @param checks what had to hold
     */
    record Result(
            String title,
            String date,
            boolean quick,
            boolean complete,
            String summary,
            Machine machine,
            String fileSystem,
            List<AppendRates.Round> append,
            List<GroupCommit.Result> group,
            RollStalls.@Nullable Result rolls,
            List<IoLine> methods,
            List<Check> checks) {
        /** The meanings of the words. */
        Map<String, String> words() {
            return Glossary.of("bare loop encoding loop force group commit roll");
        }
    }

    private JournalBench() {}

    /**
     * The text of {@code --help}.
     *
     * @return lines of text
     */
    public static String usage() {
        return """
                usage: ./sluice bench journal [--quick] [--folder DIR] [--json OUT] [--html OUT]

                The journal on the file system of DIR (default the folder of temporary files): append beside a bare loop
                over a FileChannel, round by round; what a force costs, and group commit beside one force for each event;
                the longest batch with a roll to the next segment beside the longest without; writing and reading by RandomAccessFile, buffered stream, channel and mapping beside the journal. About two
                minutes and 1 GiB of room; --quick a few seconds and 50 MiB.
                """;
    }

    /**
     * Measures.
     *
     * @param given what follows {@code bench journal}
     * @param out for the tables
     * @return the exit status
     * @throws Exception if an argument is wrong, another measurement runs, or something fails
     */
    public static int run(List<String> given, PrintStream out) throws Exception {
        Arguments request = Arguments.parse(given, List.of(Arguments.QUICK), List.of("--folder"), OUTPUTS);
        String command = ("./sluice bench journal " + String.join(" ", given)).strip();
        Path chosen = request.folder("--folder");
        Path parent = chosen == null ? Path.of(System.getProperty("java.io.tmpdir")) : chosen;
        MeasurementLock lock = MeasurementLock.take(command);
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            Result result = measure(
                    request.has(Arguments.QUICK) ? Size.QUICK : Size.FULL,
                    request.has(Arguments.QUICK),
                    parent,
                    command,
                    interruption,
                    out);
            request.write("--json", Json.text(result));
            request.write("--html", html(result));
            return Check.conclude(
                    tables(result), result.checks(), result.words(), result.summary(), result.complete(), out);
        } finally {
            lock.close();
        }
    }

    /**
     * Measures as a part of another command, which has the machine for itself, on the file system of temporary files.
     *
     * @param quick whether it is a quick run
     * @param command for the report
     * @param interruption asked between the parts
     * @param out where to say what is measured on
     * @return what was found
     * @throws Exception if something fails
     */
    public static Findings find(boolean quick, String command, Interruption interruption, PrintStream out)
            throws Exception {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        Result result = measure(quick ? Size.QUICK : Size.FULL, quick, parent, command, interruption, out);
        List<Table> tables = new ArrayList<>(tables(result));
        if (!result.checks().isEmpty()) {
            tables.add(Check.aims(
                    "what `./sluice bench journal` asks for; it depends on the disk and the processor",
                    result.checks()));
        }
        return new Findings(tables, orders(result.append(), result.group()), plots(result.methods()));
    }

    /** The checks that hold on any machine, since in each pair one side does all the work of the other, and more. */
    static List<Check> orders(List<AppendRates.Round> append, List<GroupCommit.Result> group) {
        List<Check> orders = new ArrayList<>();
        if (!append.isEmpty()) {
            orders.add(noSlower("the bare loop", "the encoding loop", append, AppendRates.Round::encodingToBare));
            orders.add(noSlower("the encoding loop", "the journal", append, AppendRates.Round::forcedToEncoding));
        }
        if (!group.isEmpty()) {
            Quartiles times = quartiles(group, GroupCommit.Result::ratio);
            orders.add(new Check(
                    String.format(
                            Locale.ROOT,
                            "group commit has no fewer events a second than one force each: %.1f (%.1f to %.1f) times as many,"
                                    + " %d rounds",
                            times.median(),
                            times.lower(),
                            times.upper(),
                            times.count()),
                    times.upper() >= 1));
        }
        return orders;
    }

    /** The order is contradicted only where three of four rounds contradict it, as with the lab's other orders. */
    private static Check noSlower(
            String less, String more, List<AppendRates.Round> append, ToDoubleFunction<AppendRates.Round> ratio) {
        Quartiles times = quartiles(append, ratio);
        return new Check(
                String.format(
                        Locale.ROOT,
                        "%s takes at most %.1f times as long as %s, until forced: ratio %.2f (%.2f to %.2f, %d rounds)",
                        less,
                        DISK_NOISE,
                        more,
                        times.median(),
                        times.lower(),
                        times.upper(),
                        times.count()),
                times.lower() <= DISK_NOISE);
    }

    static Result measure(
            Size size, boolean quick, Path parent, String command, Interruption interruption, PrintStream out)
            throws Exception {
        Machine machine = Machine.own(command, Pinning.description() + "; here none is", List.of("Agrona"));
        Head.print(machine, out);
        String date = Head.now();
        Path folder = made(parent);
        List<AppendRates.Round> append = new ArrayList<>();
        List<IoLine> methods = new ArrayList<>();
        List<GroupCommit.Result> group = new ArrayList<>();
        RollStalls.Result rolls = null;
        try {
            AppendRates.measure(folder, size.appendBytes(), 0); // warms up
            for (int round = 0; round < size.appendRounds() && !interruption.requested(); round++) {
                append.add(AppendRates.measure(folder, size.appendBytes(), round));
            }
            for (int round = 0; round < GROUP_ROUNDS && !interruption.requested(); round++) {
                group.add(GroupCommit.measure(folder, size.groupNanos() / GROUP_ROUNDS));
            }
            if (!interruption.requested()) {
                rolls = RollStalls.measure(folder.resolve("rolls"), size.rolls(), size.segment());
            }
            methods.addAll(methods(folder, size, interruption));
        } finally {
            Folders.removeJournal(folder);
        }
        List<Check> checks = checks(append, group, rolls);
        return new Result(
                "The journal",
                date,
                quick,
                !interruption.requested(),
                summary(append, group, checks),
                machine,
                Files.getFileStore(parent).type() + ", " + parent,
                append,
                group,
                rolls,
                methods,
                checks);
    }

    private static String summary(List<AppendRates.Round> append, List<GroupCommit.Result> group, List<Check> checks) {
        StringBuilder summary = new StringBuilder();
        if (!append.isEmpty()) {
            summary.append(String.format(
                    Locale.ROOT,
                    "The journal appends at %.1f %% of the bare loop's rate. ",
                    median(append, AppendRates.Round::forcedToBare) * 100));
        }
        if (!group.isEmpty()) {
            summary.append(String.format(
                    Locale.ROOT,
                    "Group commit has %.1f times the events of one force each. ",
                    quartiles(group, GroupCommit.Result::ratio).median()));
        }
        return summary + Check.summary(checks);
    }

    private static Path made(Path parent) throws UsageException {
        try {
            return Files.createTempDirectory(parent, "sluice-journal-bench-");
        } catch (IOException e) {
            throw new UsageException("no folder can be made in '" + parent + "': " + e.getMessage());
        }
    }

    private static List<IoLine> methods(Path folder, Size size, Interruption interruption) throws IOException {
        List<SequentialIo> all = SequentialIo.all();
        double[][][] seconds = new double[all.size()][2][size.ioRounds()];
        for (int round = 0; round < size.ioRounds(); round++) {
            for (int i = 0; i < all.size(); i++) {
                if (interruption.requested()) {
                    return List.of();
                }
                double[] one = one(all.get(i), folder.resolve("io"), size.pages());
                seconds[i][0][round] = one[0];
                seconds[i][1][round] = one[1];
            }
        }
        List<IoLine> lines = new ArrayList<>();
        double bytes = (double) size.pages() * SequentialIo.PAGE;
        for (int i = 0; i < all.size(); i++) {
            Quartiles writes = rates(bytes, seconds[i][0]);
            Quartiles reads = rates(bytes, seconds[i][1]);
            lines.add(new IoLine(all.get(i).title(), writes.median(), reads.median(), writes, reads));
        }
        return lines;
    }

    private static Quartiles rates(double bytes, double[] seconds) {
        return Quartiles.of(Arrays.stream(seconds).map(each -> bytes / each).toArray());
    }

    private static double[] one(SequentialIo method, Path path, long pages) throws IOException {
        try {
            method.prepare(path, pages);
            long start = System.nanoTime();
            method.write(path, pages);
            long written = System.nanoTime();
            method.closeJournal();
            long open = System.nanoTime();
            long sum = method.read(path, pages);
            long read = System.nanoTime();
            if (sum != SequentialIo.sum(pages)) {
                throw new IOException(method.title() + " read something else than it wrote");
            }
            return new double[] {(written - start) / 1e9, (read - open) / 1e9};
        } finally {
            method.remove(path);
        }
    }

    private static List<String> rollLine(String what, RollStalls.Batches batches) {
        return List.of(
                what,
                String.format(Locale.ROOT, "%,d", batches.count()),
                Labels.nanos(batches.nanos().median()),
                Labels.nanos(batches.nanos().lower()) + " to "
                        + Labels.nanos(batches.nanos().upper()),
                Labels.nanos(batches.longestNanos()),
                Labels.nanos(batches.longestAppendNanos()));
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String range(Quartiles values) {
        return whole(values.lower()) + " to " + whole(values.upper());
    }

    private static <T> Quartiles quartiles(List<T> rounds, ToDoubleFunction<T> what) {
        return Quartiles.of(rounds.stream().mapToDouble(what).toArray());
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static double median(List<AppendRates.Round> rounds, ToDoubleFunction<AppendRates.Round> what) {
        return median(rounds.stream().mapToDouble(what).toArray());
    }

    static List<Check> checks(
            List<AppendRates.Round> append, List<GroupCommit.Result> group, RollStalls.@Nullable Result rolls) {
        List<Check> checks = new ArrayList<>();
        if (!append.isEmpty()) {
            double bare = median(append, AppendRates.Round::forcedToBare);
            double encoding = median(append, AppendRates.Round::forcedToEncoding);
            checks.add(new Check(
                    String.format(
                            Locale.ROOT,
                            "append, forced at the end, at %.1f %% of the bare loop's rate, or where copying and checksums"
                                    + " leave less to reach, at %.1f %% of that of the encoding loop; at least %.0f %%",
                            bare * 100,
                            encoding * 100,
                            LEAST_SHARE * 100),
                    Math.max(bare, encoding) >= LEAST_SHARE));
        }
        if (!group.isEmpty()) {
            double ratio = quartiles(group, GroupCommit.Result::ratio).median();
            double force = quartiles(group, GroupCommit.Result::forceNanos).median();
            boolean dear = force >= DEAR_NANOS;
            checks.add(new Check(
                    String.format(
                            Locale.ROOT,
                            "group commit %.1f times the events of one force each, %s; a force costs %s",
                            ratio,
                            dear
                                    ? String.format(Locale.ROOT, "at least %.0f", LEAST_RATIO)
                                    : "asked for only where a force costs " + Labels.nanos(DEAR_NANOS) + " or more",
                            Labels.nanos(force)),
                    !dear || ratio >= LEAST_RATIO));
        }
        if (rolls != null) {
            checks.add(new Check(
                    String.format(
                            Locale.ROOT,
                            "over %d rolls the longest batch with one took %.2f times the longest without, at most %.0f",
                            rolls.rolls(),
                            rolls.ratio(),
                            LONGEST_ROLL),
                    rolls.ratio() <= LONGEST_ROLL));
        }
        return checks;
    }

    static List<Table> tables(Result result) {
        List<Table> tables = new ArrayList<>();
        List<AppendRates.Round> append = result.append();
        if (!append.isEmpty()) {
            tables.add(new Table(
                    String.format(
                            Locale.ROOT,
                            "append, medians of %d rounds on %s; blocks of %d KiB, records of %d bytes and a header of 32;"
                                    + " bytes of file; the encoding loop is the bare one, but copies the records and computes"
                                    + " their CRC-32C",
                            append.size(),
                            result.fileSystem(),
                            AppendRates.BLOCK >> 10,
                            AppendRates.RECORD),
                    List.of(
                            "",
                            "bare loop, MB/s",
                            "encoding loop, MB/s",
                            "journal, MB/s",
                            "journal to bare",
                            "journal to encoding"),
                    List.of(
                            List.of(
                                    "until written",
                                    megabytes(median(append, AppendRates.Round::bareWritten)),
                                    megabytes(median(append, AppendRates.Round::encodingWritten)),
                                    megabytes(median(append, AppendRates.Round::journalWritten)),
                                    share(append, AppendRates.Round::writtenToBare),
                                    share(append, AppendRates.Round::writtenToEncoding)),
                            List.of(
                                    "until forced",
                                    megabytes(median(append, AppendRates.Round::bareForced)),
                                    megabytes(median(append, AppendRates.Round::encodingForced)),
                                    megabytes(median(append, AppendRates.Round::journalForced)),
                                    share(append, AppendRates.Round::forcedToBare),
                                    share(append, AppendRates.Round::forcedToEncoding)))));
        }
        List<GroupCommit.Result> group = result.group();
        if (!group.isEmpty()) {
            Quartiles force = quartiles(group, GroupCommit.Result::forceNanos);
            Quartiles oneEach = quartiles(group, GroupCommit.Result::oneEach);
            Quartiles together = quartiles(group, GroupCommit.Result::group);
            Quartiles ratio = quartiles(group, GroupCommit.Result::ratio);
            tables.add(new Table(
                    String.format(
                            Locale.ROOT,
                            "durable events of %d bytes, medians and quartiles of %d rounds; a force of one 4 KiB block costs %s (%s to"
                                    + " %s)",
                            GroupCommit.EVENT,
                            group.size(),
                            Labels.nanos(force.median()),
                            Labels.nanos(force.lower()),
                            Labels.nanos(force.upper())),
                    List.of("", "events/s", "quartiles", "to one each", "quartiles", "events a force"),
                    List.of(
                            List.of(
                                    "one force for each event",
                                    whole(oneEach.median()),
                                    range(oneEach),
                                    "1.0",
                                    "",
                                    "1.0"),
                            List.of(
                                    "group commit, " + GroupCommit.PRODUCERS + " producers",
                                    whole(together.median()),
                                    range(together),
                                    String.format(Locale.ROOT, "%.1f", ratio.median()),
                                    String.format(Locale.ROOT, "%.1f to %.1f", ratio.lower(), ratio.upper()),
                                    String.format(
                                            Locale.ROOT,
                                            "%.1f",
                                            quartiles(group, GroupCommit.Result::eventsAForce)
                                                    .median())))));
        }
        RollStalls.Result rolls = result.rolls();
        if (rolls != null) {
            tables.add(new Table(
                    String.format(
                            Locale.ROOT,
                            "a batch of %d KiB appended and forced; %d rolls to the next segment of %d MiB, prepared ahead",
                            RollStalls.BATCH >> 10,
                            rolls.rolls(),
                            rolls.segment() >> 20),
                    List.of("", "batches", "median", "quartiles", "longest", "longest append"),
                    List.of(rollLine("without a roll", rolls.without()), rollLine("with a roll", rolls.with()))));
        }
        if (!result.methods().isEmpty()) {
            List<List<String>> rows = new ArrayList<>();
            for (IoLine line : result.methods()) {
                rows.add(List.of(
                        line.method(),
                        megabytes(line.write()),
                        megabytes(line.writes().lower()) + " to "
                                + megabytes(line.writes().upper()),
                        megabytes(line.read()),
                        megabytes(line.reads().lower()) + " to "
                                + megabytes(line.reads().upper())));
            }
            tables.add(new Table(
                    "sequential writing and reading in pages of 4 KiB, nothing forced, files allocated before; medians and quartiles"
                            + " of " + result.methods().get(0).writes().count() + " rounds",
                    List.of("", "write, MB/s", "quartiles", "read, MB/s", "quartiles"),
                    rows));
        }
        return tables;
    }

    /** The rates of the methods, writing and reading, as multiples of the rate at which the first one writes. */
    static List<Findings.Plot> plots(List<IoLine> methods) {
        if (methods.isEmpty()) {
            return List.of();
        }
        double first = methods.get(0).write();
        BarChart bars = new BarChart(
                "Rates of sequential writing and reading",
                "rate, more is better",
                "ratio",
                methods.get(0).method() + " writing, " + megabytes(first) + " MB/s");
        for (IoLine line : methods) {
            add(bars, line.method() + ", writing", line.writes(), first);
        }
        for (IoLine line : methods) {
            add(bars, line.method() + ", reading", line.reads(), first);
        }
        return List.of(new Findings.Plot("Rates of the methods: bars; quartiles: lines.", bars::svg));
    }

    private static void add(BarChart bars, String name, Quartiles rates, double first) {
        bars.add(
                name,
                rates.lower() / first,
                rates.median() / first,
                rates.upper() / first,
                name.startsWith("journal"),
                0,
                0);
    }

    static String html(Result result) {
        Page page = new Page(result.title());
        Map<String, String> more = new LinkedHashMap<>(result.quick() ? Head.QUICK : Map.of());
        more.put("file system", result.fileSystem());
        page.columns(() -> {
            Head.write(page, result.complete(), result.summary(), result.date(), result.machine(), more);
            plots(result.methods()).forEach(plot -> page.figure(plot.caption(), plot.drawing()));
            tables(result).forEach(table -> table.addTo(page));
            Check.addTo(page, result.checks());
        });
        return page.glossary(result.words()).text();
    }

    private static String megabytes(double bytes) {
        return String.format(Locale.ROOT, "%,.0f", bytes / 1e6);
    }

    /** The median and, behind it, the quartiles. */
    private static String share(List<AppendRates.Round> rounds, ToDoubleFunction<AppendRates.Round> ratio) {
        Quartiles all = Quartiles.of(rounds.stream().mapToDouble(ratio).toArray());
        return String.format(
                Locale.ROOT, "%.1f %% (%.1f to %.1f)", all.median() * 100, all.lower() * 100, all.upper() * 100);
    }
}
