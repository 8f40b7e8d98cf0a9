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
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** {@code ./sluice bench records}: trades by the million beside objects, and two objects written and read in several ways. */
public final class RecordsBench {
    private static final double TIMES_OBJECTS = 5;
    private static final int MOST_BYTES_OF_A_TRADE = 48;
    private static final double LONGEST_PAUSE_MILLIS = 10;
    private static final double TIMES_JAVA = 100;
    private static final double TIMES_BYTE_BUFFER = 2;
    private static final int MOST_BYTES_OF_THE_OBJECT = 185;

    private static final int MOST_BYTES_OF_A_GRAPH = 160;
    private static final double MOST_NANOS_OF_A_GRAPH = 300;

    private static final String BOUND = "bound";
    private static final String BOUND_WORDS = "bound: copies of the arrays, objects that are read";

    private static final List<String> TRADES = List.of("objects", "kept", "anew", "anew-on-heap");
    private static final List<String> OBJECTS =
            List.of("java", "byte-buffer", "codec", "byte-buffer-direct", "codec-direct", BOUND);
    private static final List<String> JAVA = List.of("java", "externalizable");
    private static final List<String> GRAPHS = List.of("java", "externalizable", "fory", "codec", "codec-slot");

    /** The size of a measurement. */
    record Size(int trades, int rounds, String heap, int javaCalls, int calls, int passes) {
        static final Size FULL = new Size(50_000_000, 4, "-Xmx6g", 20_480, 1_024_000, 5);
        static final Size QUICK = new Size(1_000_000, 3, "-Xmx512m", 2_048, 204_800, 1);
    }

    /**
     * Trades in one way.
     *
     * @param how objects, a table that is filled again, or one made anew
     * @param firstMillis the first round, in which the memory is touched for the first time and the code is compiled
     * @param fillMillis to make and fill them, median of the later rounds
     * @param scanMillis to scan them, median of the later rounds
     * @param longestPauseMillis of the garbage collector in the whole run
     */
    record TradesLine(String how, double firstMillis, double fillMillis, double scanMillis, double longestPauseMillis) {
        double millis() {
            return fillMillis + scanMillis;
        }
    }

    /**
     * An object of an article in one way: medians of the rounds.
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
     * Each way once, in JVMs that ran one after the other. Ratios are taken within a pass.
     *
     * @param trades the trades
     * @param objects the object of July 2012
     * @param graphs the object of October 2013
     */
    record Pass(List<TradesLine> trades, List<ObjectLine> objects, List<ObjectLine> graphs) {
        TradesLine trade(String how) {
            return trades.stream()
                    .filter(line -> line.how().equals(how))
                    .findFirst()
                    .orElseThrow();
        }

        ObjectLine object(String how) {
            return line(objects, how);
        }

        ObjectLine graph(String how) {
            return line(graphs, how);
        }

        private static ObjectLine line(List<ObjectLine> lines, String how) {
            return lines.stream()
                    .filter(line -> line.how().equals(how))
                    .findFirst()
                    .orElseThrow();
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
     * @param passes each way, pass by pass
     * @param checks what had to hold
     */
    record Result(
            String title,
            String date,
            boolean quick,
            boolean complete,
            String summary,
            Machine machine,
            List<Pass> passes,
            List<Check> checks) {}

    private RecordsBench() {}

    /**
     * The text of {@code --help}.
     *
     * @return lines of text
     */
    public static String usage() {
        return """
                usage: ./sluice bench records [--quick] [--json OUT]

                50 million trades of 42 bytes: filled and scanned as objects, in a table of records that is filled again, and in
                one made anew each round, off the heap and on it; and the objects of two articles on serialisation, written and
                read by Java's own serialisation, by hand over a ByteBuffer, by Apache Fory in a slot of a ring of bytes, and by
                the codec. Beside the object with two arrays stands a bound, which only copies the arrays and allocates what is
                read. Each in a JVM of its own, one after the other, in five passes; a ratio is the median of the passes'.
                About five minutes, and 8 GiB of memory; --quick half a minute and 1 GiB, whose ratios of the trades are not
                judged.
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
        List<Pass> passes = new ArrayList<>();
        for (int pass = 0; pass < size.passes() && !interruption.requested(); pass++) {
            List<TradesLine> trades = new ArrayList<>();
            List<ObjectLine> objects = new ArrayList<>();
            List<ObjectLine> graphs = new ArrayList<>();
            for (String how : TRADES) {
                if (!interruption.requested()) {
                    trades.add(trades(size, how));
                }
            }
            for (String way : OBJECTS) {
                if (!interruption.requested()) {
                    objects.add(objects(size, Serialisation.class, way));
                }
            }
            for (String way : GRAPHS) {
                if (!interruption.requested()) {
                    graphs.add(objects(size, ObjectGraphs.class, way));
                }
            }
            if (graphs.size() == GRAPHS.size()) {
                passes.add(new Pass(trades, objects, graphs));
            }
        }
        List<Check> checks = passes.isEmpty() ? List.of() : checks(passes, quick);
        return new Result(
                "Records", date, quick, !interruption.requested(), Check.summary(checks), machine, passes, checks);
    }

    private static TradesLine trades(Size size, String how) throws IOException, InterruptedException {
        ChildRun run = ChildRun.of(
                Trades.class,
                List.of(size.heap(), "-XX:MaxDirectMemorySize=5g"),
                how,
                Integer.toString(size.trades()),
                Integer.toString(size.rounds()));
        return new TradesLine(
                how,
                (run.median("first", 0) + run.median("first", 1)) / 1e6,
                run.median("round", 0) / 1e6,
                run.median("round", 1) / 1e6,
                run.longestPauseMillis());
    }

    private static ObjectLine objects(Size size, Class<?> child, String way) throws IOException, InterruptedException {
        int calls = JAVA.contains(way) ? size.javaCalls() : size.calls();
        ChildRun run = ChildRun.of(child, List.of("-Xmx512m"), way, Integer.toString(calls));
        return new ObjectLine(way, run.median("round", 0), run.median("round", 1), (int) run.median("round", 2));
    }

    static List<Check> checks(List<Pass> passes, boolean quick) {
        List<Check> checks = new ArrayList<>(tradeChecks(passes, quick));
        checks.addAll(objectChecks(passes));
        checks.addAll(graphChecks(passes));
        return checks;
    }

    private static List<Check> tradeChecks(List<Pass> passes, boolean quick) {
        List<Check> checks = new ArrayList<>();
        if (!quick) {
            Ratio kept = new Ratio(
                    passes,
                    pass -> pass.trade("objects").millis() / pass.trade("kept").millis());
            Ratio anew = new Ratio(
                    passes,
                    pass -> pass.trade("objects").millis() / pass.trade("anew").millis());
            checks.add(new Check(
                    text(
                            "a table filled again and scanned is %s times as fast as objects, at least %.0f; made anew %s times",
                            kept, TIMES_OBJECTS, anew),
                    kept.median() >= TIMES_OBJECTS));
        }
        int bytes = Trades.CODEC.size();
        checks.add(new Check(
                text("a trade takes %d bytes, at most %d", bytes, MOST_BYTES_OF_A_TRADE),
                bytes <= MOST_BYTES_OF_A_TRADE));
        double pause = passes.stream()
                .mapToDouble(pass -> pass.trade("kept").longestPauseMillis())
                .max()
                .orElseThrow();
        checks.add(new Check(
                text(
                        "the collector's longest pause beside the table was %.1f ms, at most %.0f",
                        pause, LONGEST_PAUSE_MILLIS),
                pause <= LONGEST_PAUSE_MILLIS));
        return checks;
    }

    private static List<Check> objectChecks(List<Pass> passes) {
        Ratio java = new Ratio(
                passes,
                pass -> pass.object("java").nanos() / pass.object("codec").nanos());
        Ratio buffer = new Ratio(
                passes,
                pass -> pass.object("byte-buffer").nanos()
                        / pass.object("codec").nanos());
        Ratio direct = new Ratio(
                passes,
                pass -> pass.object("byte-buffer-direct").nanos()
                        / pass.object("codec-direct").nanos());
        Ratio bound = new Ratio(
                passes,
                pass -> pass.object("byte-buffer").nanos() / pass.object(BOUND).nanos());
        int bytes = passes.get(0).object("codec").bytes();
        return List.of(
                new Check(
                        text("the codec is %s times as fast as Java's serialisation, at least %.0f", java, TIMES_JAVA),
                        java.median() >= TIMES_JAVA),
                new Check(
                        text(
                                "the codec is %s times as fast as a ByteBuffer by hand, at least %.0f; off the heap %s times; the bound %s times",
                                buffer, TIMES_BYTE_BUFFER, direct, bound),
                        buffer.median() >= TIMES_BYTE_BUFFER),
                new Check(
                        text("the object takes %d bytes, at most %d", bytes, MOST_BYTES_OF_THE_OBJECT),
                        bytes <= MOST_BYTES_OF_THE_OBJECT));
    }

    private static List<Check> graphChecks(List<Pass> passes) {
        List<Check> checks = new ArrayList<>();
        for (String how : List.of("fory", "codec-slot")) {
            double nanos = median(passes, pass -> pass.graph(how).nanos());
            checks.add(new Check(
                    text(
                            "the object with strings is written to a slot and read by %s in %.0f ns, below %.0f",
                            how, nanos, MOST_NANOS_OF_A_GRAPH),
                    nanos < MOST_NANOS_OF_A_GRAPH));
        }
        int bytes = passes.get(0).graph("codec-slot").bytes();
        checks.add(new Check(
                text("it takes %d bytes by the codec, at most %d", bytes, MOST_BYTES_OF_A_GRAPH),
                bytes <= MOST_BYTES_OF_A_GRAPH));
        return checks;
    }

    /** A ratio in each pass. */
    private record Ratio(List<Pass> passes, ToDoubleFunction<Pass> of) {
        double median() {
            return RecordsBench.median(passes, of);
        }

        /** The median, and the lowest and the highest. */
        @Override
        public String toString() {
            DoubleSummaryStatistics all = passes.stream().mapToDouble(of).summaryStatistics();
            return text("%.1f (%.1f to %.1f)", median(), all.getMin(), all.getMax());
        }
    }

    private static double median(List<Pass> passes, ToDoubleFunction<Pass> of) {
        double[] values = passes.stream().mapToDouble(of).sorted().toArray();
        return values[values.length / 2];
    }

    static List<Table> tables(Result result) {
        List<Pass> passes = result.passes();
        if (passes.isEmpty()) {
            return List.of();
        }
        List<List<String>> trades = new ArrayList<>();
        for (String how : TRADES) {
            trades.add(List.of(
                    how,
                    text("%,.0f", median(passes, pass -> pass.trade(how).firstMillis())),
                    text("%,.0f", median(passes, pass -> pass.trade(how).fillMillis())),
                    text("%,.0f", median(passes, pass -> pass.trade(how).scanMillis())),
                    text("%,.0f", median(passes, pass -> pass.trade(how).millis())),
                    text("%.1f", median(passes, pass -> pass.trade(how).longestPauseMillis()))));
        }
        trades.add(List.of("the article of October 2012, objects", "", "", "", "23,074", ""));
        trades.add(List.of("the article of October 2012, off the heap", "", "", "", "534", ""));
        List<List<String>> objects = new ArrayList<>();
        for (String how : OBJECTS) {
            objects.add(row(how.equals(BOUND) ? BOUND_WORDS : how, passes, pass -> pass.object(how)));
        }
        objects.add(List.of("the article of July 2012, Java's serialisation", "", "", "10,301", "340"));
        objects.add(List.of("the article of July 2012, ByteBuffer", "", "", "354", "185"));
        objects.add(List.of("the article of July 2012, Unsafe", "", "", "77", "185"));
        List<List<String>> graphs = new ArrayList<>();
        for (String how : GRAPHS) {
            graphs.add(row(how, passes, pass -> pass.graph(how)));
        }
        graphs.add(
                List.of("the article of October 2013, from the largest to the smallest", "", "", "", "319, 205, 160"));
        return List.of(
                new Table(
                        (result.quick() ? "1" : "50") + " million trades, medians",
                        List.of(
                                "",
                                "first round, ms",
                                "make and fill, ms",
                                "scan, ms",
                                "together, ms",
                                "longest pause, ms"),
                        trades),
                new Table(
                        "one object with two arrays of ten, medians",
                        List.of("", "write, ns", "read, ns", "together, ns", "bytes"),
                        objects),
                new Table(
                        "one object with three strings, medians",
                        List.of("", "write, ns", "read, ns", "together, ns", "bytes"),
                        graphs));
    }

    private static List<String> row(String how, List<Pass> passes, Function<Pass, ObjectLine> line) {
        return List.of(
                how,
                text("%,.1f", median(passes, pass -> line.apply(pass).writeNanos())),
                text("%,.1f", median(passes, pass -> line.apply(pass).readNanos())),
                text("%,.1f", median(passes, pass -> line.apply(pass).nanos())),
                Integer.toString(line.apply(passes.get(0)).bytes()));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
