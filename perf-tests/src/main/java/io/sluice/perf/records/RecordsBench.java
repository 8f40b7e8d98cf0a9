package io.sluice.perf.records;

import io.sluice.cli.Interruption;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.batching.Check;
import io.sluice.perf.batching.Table;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code ./sluice bench records}: trades by the million beside objects, and one object written and read in several ways. */
public final class RecordsBench {
    private static final double TIMES_OBJECTS = 5;
    private static final int MOST_BYTES_OF_A_TRADE = 48;
    private static final double LONGEST_PAUSE_MILLIS = 10;
    private static final double TIMES_JAVA = 100;
    private static final double TIMES_BYTE_BUFFER = 2;
    private static final int MOST_BYTES_OF_THE_OBJECT = 185;

    private static final List<String> WAYS =
            List.of("java", "byte-buffer", "codec", "byte-buffer-direct", "codec-direct");

    /** How much is measured. */
    record Size(int trades, int rounds, String heap, int javaCalls, int calls) {
        static final Size FULL = new Size(50_000_000, 7, "-Xmx6g", 20_000, 1_000_000);
        static final Size QUICK = new Size(1_000_000, 3, "-Xmx512m", 2_000, 200_000);
    }

    /**
     * Trades in one way: medians of the rounds.
     *
     * @param how objects, a table that is filled again, or one made anew
     * @param fillMillis to make and fill them
     * @param scanMillis to scan them
     * @param longestPauseMillis of the garbage collector in the whole run
     */
    record TradesLine(String how, double fillMillis, double scanMillis, double longestPauseMillis) {
        double millis() {
            return fillMillis + scanMillis;
        }
    }

    /**
     * The article's object in one way: medians of the rounds.
     *
     * @param how the way
     * @param writeNanos of one write
     * @param readNanos of one read
     * @param bytes of one
     */
    record ObjectLine(String how, double writeNanos, double readNanos, int bytes) {
        double nanos() {
            return writeNanos + readNanos;
        }
    }

    /**
     * Everything that was measured.
     *
     * @param title what it is
     * @param date when
     * @param quick whether it is a quick run
     * @param complete whether it was not interrupted
     * @param summary what it says in short
     * @param machine where
     * @param trades the trades
     * @param objects the article's object
     * @param checks what had to hold
     */
    record Result(
            String title,
            String date,
            boolean quick,
            boolean complete,
            String summary,
            Machine machine,
            List<TradesLine> trades,
            List<ObjectLine> objects,
            List<Check> checks) {}

    private RecordsBench() {}

    /**
     * What {@code --help} says.
     *
     * @return lines of text
     */
    public static String usage() {
        return """
                usage: ./sluice bench records [--quick] [--json OUT]

                50 million trades of 42 bytes: filled and scanned as objects, in a table of records that is filled again, and in
                one made anew each round; and the object of an article on serialisation, written and read by Java's own
                serialisation, by hand over a ByteBuffer, and by the codec. Each in a JVM of its own. About two minutes, and 8 GiB
                of memory; --quick half a minute and 1 GiB, whose ratios of the trades are not judged.
                """;
    }

    /**
     * Measures.
     *
     * @param given what follows {@code bench records}
     * @param out for the tables
     * @return the exit status
     * @throws Exception if an argument is wrong, another measurement runs, or something fails
     */
    public static int run(List<String> given, PrintStream out) throws Exception {
        Arguments request = Arguments.parse(given, List.of(Arguments.QUICK), List.of(), List.of("--json"));
        String command = ("./sluice bench records " + String.join(" ", given)).strip();
        boolean quick = request.has(Arguments.QUICK);
        MeasurementLock lock = MeasurementLock.take(command);
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            Result result = measure(quick ? Size.QUICK : Size.FULL, quick, command, interruption, out);
            request.write("--json", Json.text(result));
            return Check.conclude(tables(result), result.checks(), Map.of(), result.summary(), result.complete(), out);
        } finally {
            lock.close();
        }
    }

    static Result measure(Size size, boolean quick, String command, Interruption interruption, PrintStream out)
            throws IOException, InterruptedException {
        Machine machine = Machine.own(command, "none is pinned", List.of("Agrona"));
        Head.print(machine, out);
        String date = Head.now();
        List<TradesLine> trades = new ArrayList<>();
        for (String how : List.of("objects", "kept", "anew")) {
            if (!interruption.requested()) {
                ChildRun run = ChildRun.of(
                        Trades.class,
                        List.of(size.heap(), "-XX:MaxDirectMemorySize=5g"),
                        how,
                        Integer.toString(size.trades()),
                        Integer.toString(size.rounds()));
                trades.add(new TradesLine(
                        how, run.median("round", 0) / 1e6, run.median("round", 1) / 1e6, run.longestPauseMillis()));
            }
        }
        List<ObjectLine> objects = new ArrayList<>();
        for (String way : WAYS) {
            if (!interruption.requested()) {
                int calls = way.equals("java") ? size.javaCalls() : size.calls();
                ChildRun run = ChildRun.of(Serialisation.class, List.of("-Xmx512m"), way, Integer.toString(calls));
                objects.add(new ObjectLine(
                        way, run.median("round", 0), run.median("round", 1), (int) run.median("round", 2)));
            }
        }
        List<Check> checks = new ArrayList<>(objects.size() < WAYS.size() ? List.of() : objectChecks(objects));
        if (trades.size() == 3) {
            checks.addAll(tradeChecks(trades, quick));
        }
        return new Result(
                "Records",
                date,
                quick,
                !interruption.requested(),
                Check.summary(checks),
                machine,
                trades,
                objects,
                checks);
    }

    static List<Check> tradeChecks(List<TradesLine> trades, boolean quick) {
        double ratio = trades.get(0).millis() / trades.get(1).millis();
        List<Check> checks = new ArrayList<>();
        if (!quick) {
            checks.add(new Check(
                    text(
                            "a table filled again and scanned is %.1f times as fast as objects, at least %.0f; made anew %.1f times",
                            ratio,
                            TIMES_OBJECTS,
                            trades.get(0).millis() / trades.get(2).millis()),
                    ratio >= TIMES_OBJECTS));
        }
        int bytes = Trades.CODEC.size();
        checks.add(new Check(
                text("a trade takes %d bytes, at most %d", bytes, MOST_BYTES_OF_A_TRADE),
                bytes <= MOST_BYTES_OF_A_TRADE));
        double pause = trades.get(1).longestPauseMillis();
        checks.add(new Check(
                text(
                        "the collector's longest pause beside the table was %.1f ms, at most %.0f",
                        pause, LONGEST_PAUSE_MILLIS),
                pause <= LONGEST_PAUSE_MILLIS));
        return checks;
    }

    static List<Check> objectChecks(List<ObjectLine> objects) {
        ObjectLine codec = objects.get(2);
        double java = objects.get(0).nanos() / codec.nanos();
        double buffer = objects.get(1).nanos() / codec.nanos();
        return List.of(
                new Check(
                        text(
                                "the codec is %.0f times as fast as Java's serialisation, at least %.0f",
                                java, TIMES_JAVA),
                        java >= TIMES_JAVA),
                new Check(
                        text(
                                "the codec is %.1f times as fast as a ByteBuffer by hand, at least %.0f",
                                buffer, TIMES_BYTE_BUFFER),
                        buffer >= TIMES_BYTE_BUFFER),
                new Check(
                        text("the object takes %d bytes, at most %d", codec.bytes(), MOST_BYTES_OF_THE_OBJECT),
                        codec.bytes() <= MOST_BYTES_OF_THE_OBJECT));
    }

    static List<Table> tables(Result result) {
        List<List<String>> trades = new ArrayList<>();
        for (TradesLine line : result.trades()) {
            trades.add(List.of(
                    line.how(),
                    text("%,.0f", line.fillMillis()),
                    text("%,.0f", line.scanMillis()),
                    text("%,.0f", line.millis()),
                    text("%.1f", line.longestPauseMillis())));
        }
        trades.add(List.of("the article of October 2012, objects", "", "", "23,074", ""));
        trades.add(List.of("the article of October 2012, off the heap", "", "", "534", ""));
        List<List<String>> objects = new ArrayList<>();
        for (ObjectLine line : result.objects()) {
            objects.add(List.of(
                    line.how(),
                    text("%,.1f", line.writeNanos()),
                    text("%,.1f", line.readNanos()),
                    text("%,.1f", line.nanos()),
                    Integer.toString(line.bytes())));
        }
        objects.add(List.of("the article of July 2012, Java's serialisation", "", "", "10,301", "340"));
        objects.add(List.of("the article of July 2012, ByteBuffer", "", "", "354", "185"));
        objects.add(List.of("the article of July 2012, Unsafe", "", "", "77", "185"));
        return List.of(
                new Table(
                        (result.quick() ? "1" : "50") + " million trades, medians of the rounds",
                        List.of("", "make and fill, ms", "scan, ms", "together, ms", "longest pause, ms"),
                        trades),
                new Table(
                        "one object with two arrays of ten, medians of the rounds",
                        List.of("", "write, ns", "read, ns", "together, ns", "bytes"),
                        objects));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
