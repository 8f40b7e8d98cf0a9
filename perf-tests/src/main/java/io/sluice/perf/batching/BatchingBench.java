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
import io.sluice.perf.report.svg.Axis;
import io.sluice.perf.report.svg.Labels;
import io.sluice.perf.report.svg.LineChart;
import io.sluice.perf.report.svg.Style;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;

/**
 * {@code ./sluice bench batching}: the article's example, latency against offered load, for real and in virtual time, and
 * sustained throughput.
 */
public final class BatchingBench {
    static final List<String> OUTPUTS = List.of("--json", "--html", "--csv", "--svg");
    static final String VIRTUAL = "--virtual";

    /** Smart batching must sustain this many times the serial throughput. */
    static final double LEAST_RATIO = 10;

    private static final int SUSTAINED_ROUNDS = 5;

    /** The tolerance of "no worse": one part in twenty, and the way from one thread to another. */
    private static final double TOLERANCE = 1.05;

    private static final double TOLERANCE_NANOS = 2_000;

    /**
     * In virtual time: the load in percent up to which no figure of smart batching may be above the timer's at all. Beyond it the device
     * has no time to spare for sends with room left, so an approach that waits for full buffers wins a little: see
     * {@code docs/batching.md}.
     */
    static final double WASTE_BEGINS = 89;

    /** In virtual time, beyond {@link #WASTE_BEGINS}: the most that a figure of smart batching may be, in multiples of the timer's. */
    static final double WASTE = 1.02;

    private static final String TITLE = "Smart batching";
    private static final long SEED = 1;

    /** The turns in virtual time for each turn on the clock: they cost little, and figures near saturation vary much. */
    private static final int VIRTUAL_TURNS = 3;

    /** The size of a measurement. */
    record Size(int bursts, List<Double> loads, int turns, long nanosEach, long warmUpNanos, long sustainedNanos) {
        static final Size FULL = new Size(
                2_000,
                List.of(1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 100.0, 110.0, 120.0),
                7,
                TimeUnit.MILLISECONDS.toNanos(500),
                TimeUnit.SECONDS.toNanos(1),
                TimeUnit.SECONDS.toNanos(3));
        static final Size QUICK = new Size(
                100,
                List.of(1.0, 10.0, 50.0, 90.0, 120.0),
                3,
                TimeUnit.MILLISECONDS.toNanos(200),
                TimeUnit.MILLISECONDS.toNanos(200),
                TimeUnit.MILLISECONDS.toNanos(300));
    }

    /**
     * Everything that was measured.
     *
     * @param title what it is
     * @param date when
     * @param quick whether it is a quick run, whose figures are for looking at only
     * @param complete whether it was not interrupted
     * @param summary what it says in short
     * @param machine where
     * @param example the worked example: the article's table, in virtual time, and for real
     * @param points latency against load
     * @param watches what the host did meanwhile
     * @param virtual latency against load in virtual time
     * @param sustained rounds of throughput; none if only virtual time was asked for
     * @param checks what had to hold
     */
    record Result(
            String title,
            String date,
            boolean quick,
            boolean complete,
            String summary,
            Machine machine,
            List<WorkedExample.Line> example,
            List<Bathtub.Point> points,
            List<Watch> watches,
            List<Bathtub.Point> virtual,
            List<Sustained.Result> sustained,
            List<Check> checks) {
        /** The meanings of the words. */
        Map<String, String> words() {
            return Glossary.of("serial smart batching timer load virtual time saturated");
        }

        /** The points of the plot: the measured ones, or the computed ones if nothing was measured. */
        List<Bathtub.Point> plotted() {
            return points.isEmpty() ? virtual : points;
        }
    }

    private BatchingBench() {}

    /**
     * The text of {@code --help}.
     *
     * @return lines of text
     */
    public static String usage() {
        return """
                usage: ./sluice bench batching [--quick] [--virtual] [--json OUT] [--html OUT] [--csv OUT] [--svg OUT]

                Smart batching on a device that takes its time: the worked example of the article, in virtual time and for
                real; latency against offered load, from 1 to 120 % of the device's rate, beside a lock around the device
                and a timer of 1 ms, in virtual time and for real; and the throughput that is sustained. About three and a
                half minutes; --quick half a minute. --virtual computes what is in virtual time alone, some seconds,
                the same on every machine. --svg writes the plot alone.
                """;
    }

    /**
     * Measures.
     *
     * @param arguments what follows {@code bench batching}
     * @param out for the tables
     * @return the exit status
     * @throws Exception if an argument is wrong, another measurement runs, or something fails
     */
    public static int run(List<String> arguments, PrintStream out) throws Exception {
        Arguments request = Arguments.parse(arguments, List.of(Arguments.QUICK, VIRTUAL), List.of(), OUTPUTS);
        String command = ("./sluice bench batching " + String.join(" ", arguments)).strip();
        boolean quick = request.has(Arguments.QUICK);
        Size size = quick ? Size.QUICK : Size.FULL;
        try (Interruption interruption = Interruption.listening("sluice bench", () -> {})) {
            if (request.has(VIRTUAL)) {
                return finish(compute(size, quick, command, interruption), request, out);
            }
            MeasurementLock lock = MeasurementLock.take(command);
            try {
                return finish(measure(size, quick, command, interruption, out), request, out);
            } finally {
                lock.close();
            }
        }
    }

    /**
     * Measures as a part of another command, which has the machine for itself.
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
        Result result = measure(quick ? Size.QUICK : Size.FULL, quick, command, interruption, out);
        List<Table> tables = new ArrayList<>(tables(result));
        if (!result.points().isEmpty()) {
            tables.add(Check.aims(
                    "what `./sluice bench batching` asks for in real time; whoever else runs on the machine has a say in it",
                    realTimeChecks(result.points(), result.watches())));
        }
        return new Findings(tables, orders(result.sustained(), result.virtual()), plots(result));
    }

    /** Writes and prints the result; returns the exit status. */
    private static int finish(Result result, Arguments request, PrintStream out) throws UsageException {
        request.write("--json", Json.text(result));
        request.write("--csv", csv(result));
        if (!result.plotted().isEmpty()) { // else there is nothing to draw
            request.write("--html", html(result));
            request.write("--svg", svg(result));
        }
        return Check.conclude(
                tables(result), result.checks(), result.words(), result.summary(), result.complete(), out);
    }

    /** Computes the parts that need no clock. */
    static Result compute(Size size, boolean quick, String command, Interruption interruption) throws Exception {
        List<WorkedExample.Line> example = new ArrayList<>(WorkedExample.article());
        example.addAll(WorkedExample.virtual());
        List<Bathtub.Point> virtual = virtual(size, interruption);
        List<Check> checks = virtualChecks(virtual);
        return new Result(
                TITLE,
                Head.now(),
                quick,
                !interruption.requested(),
                summary(List.of(), checks),
                machine(command),
                example,
                List.of(),
                List.of(),
                virtual,
                List.of(),
                checks);
    }

    private static Machine machine(String command) throws InterruptedException {
        return Machine.own(
                command, Pinning.description() + "; here none is but those that watch the clock", List.of("Agrona"));
    }

    private static String summary(List<Sustained.Result> sustained, List<Check> checks) {
        return (sustained.isEmpty()
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                "Smart batching sustained %.1f times the serial throughput. ",
                                quartiles(sustained, Sustained.Result::ratio).median()))
                + Check.summary(checks);
    }

    static Result measure(Size size, boolean quick, String command, Interruption interruption, PrintStream out)
            throws Exception {
        Machine machine = machine(command);
        Head.print(machine, out);
        String date = Head.now();
        List<Bathtub.Point> virtual = virtual(size, interruption);
        List<WorkedExample.Line> example = new ArrayList<>(WorkedExample.article());
        example.addAll(WorkedExample.virtual());
        example.addAll(WorkedExample.real(size.bursts()));
        Bathtub warmUp = new Bathtub(size.warmUpNanos(), SEED);
        for (Approach approach : Approach.values()) {
            warmUp.measure(approach, 50);
        }
        List<Bathtub.Point> points = new ArrayList<>();
        List<Watch> watches = new ArrayList<>();
        for (double load : size.loads()) {
            List<Double> rounds = new ArrayList<>();
            points.addAll(inTurns(load, size.turns(), interruption, seed -> {
                rounds.add(Watch.round(size.nanosEach()));
                return new Bathtub(size.nanosEach(), seed)::measure;
            }));
            watches.add(Watch.median(load, rounds));
        }
        Sustained.measure(size.warmUpNanos());
        List<Sustained.Result> sustained = new ArrayList<>();
        for (int round = 0; round < SUSTAINED_ROUNDS; round++) {
            sustained.add(Sustained.measure(size.sustainedNanos() / SUSTAINED_ROUNDS));
        }
        List<Check> checks = checks(points, watches, sustained);
        checks.addAll(virtualChecks(virtual));
        return new Result(
                TITLE,
                date,
                quick,
                !interruption.requested(),
                summary(sustained, checks),
                machine,
                example,
                points,
                watches,
                virtual,
                sustained,
                checks);
    }

    private static List<Bathtub.Point> virtual(Size size, Interruption interruption) throws Exception {
        List<Bathtub.Point> points = new ArrayList<>();
        for (double load : size.loads()) {
            points.addAll(inTurns(
                    load,
                    size.turns() * VIRTUAL_TURNS,
                    interruption,
                    seed -> new VirtualBathtub(size.nanosEach(), seed)::measure));
        }
        return points;
    }

    /** One turn of a bathtub. */
    private interface Turn {
        Bathtub.Point measure(Approach approach, double load) throws Exception;
    }

    /** Makes turns. */
    private interface Turns {
        Turn of(long seed) throws Exception;
    }

    /** Other programs may disturb any approach in any turn. So each approach has the same number of turns, and the medians are compared. */
    private static List<Bathtub.Point> inTurns(double load, int count, Interruption interruption, Turns turnOfSeed)
            throws Exception {
        Map<Approach, List<Bathtub.Point>> turns = new EnumMap<>(Approach.class);
        for (int i = 0; i < count; i++) {
            Turn turn = turnOfSeed.of(SEED + i);
            for (Approach approach : Approach.values()) {
                if (interruption.requested()) {
                    return List.of();
                }
                turns.computeIfAbsent(approach, key -> new ArrayList<>()).add(turn.measure(approach, load));
            }
        }
        return turns.values().stream().map(Bathtub.Point::median).toList();
    }

    /**
     * Below saturation, that is at less than the device's rate, no other approach may be better at any load. Its 99th percentile may be
     * better by as much as the host delayed the watch in the same rounds.
     */
    static List<Check> checks(List<Bathtub.Point> points, List<Watch> watches, List<Sustained.Result> sustained) {
        List<Check> checks = new ArrayList<>(realTimeChecks(points, watches));
        checks.add(sustainedCheck(sustained));
        return checks;
    }

    private static List<Check> realTimeChecks(List<Bathtub.Point> points, List<Watch> watches) {
        return compared(points, (smart, other) -> noWorse(smart, other, Watch.at(watches, smart.load())));
    }

    private static Check sustainedCheck(List<Sustained.Result> sustained) {
        double ratio = quartiles(sustained, Sustained.Result::ratio).median();
        return new Check(
                String.format(
                        Locale.ROOT,
                        "sustained throughput %.1f times the serial one, at least %.0f",
                        ratio,
                        LEAST_RATIO),
                ratio >= LEAST_RATIO);
    }

    /** The checks that hold on any machine: by a large factor, or in virtual time. */
    static List<Check> orders(List<Sustained.Result> sustained, List<Bathtub.Point> virtual) {
        List<Check> orders = new ArrayList<>();
        if (!sustained.isEmpty()) {
            orders.add(sustainedCheck(sustained));
        }
        orders.addAll(virtualChecks(virtual));
        return orders;
    }

    /** The same in virtual time, where nothing but the approach decides: there is no tolerance but the one that theory gives. */
    static List<Check> virtualChecks(List<Bathtub.Point> points) {
        return compared(points, BatchingBench::noWorseInVirtualTime);
    }

    private static List<Check> compared(
            List<Bathtub.Point> points, BiFunction<Bathtub.Point, Bathtub.Point, Check> smartAndOther) {
        List<Check> checks = new ArrayList<>();
        for (Bathtub.Point smart : points) {
            if (smart.approach() != Approach.SMART || smart.load() >= 100) {
                continue;
            }
            for (Bathtub.Point other : points) {
                if (other.approach() != Approach.SMART && other.load() == smart.load()) {
                    checks.add(smartAndOther.apply(smart, other));
                }
            }
        }
        return checks;
    }

    private static Check noWorseInVirtualTime(Bathtub.Point smart, Bathtub.Point other) {
        double times = other.approach() == Approach.LOCK || smart.load() <= WASTE_BEGINS ? 1 : WASTE;
        boolean holds = smart.meanNanos() <= other.meanNanos() * times
                && smart.medianNanos() <= other.medianNanos() * times
                && smart.p99Nanos() <= other.p99Nanos() * times;
        return new Check(
                String.format(
                        Locale.ROOT,
                        "in virtual time, at %s %% load no slower than %s%s: mean %s to %s, median %s to %s, 99th percentile %s to %s",
                        percent(smart.load()),
                        other.approach().title(),
                        times == 1 ? "" : String.format(Locale.ROOT, " by more than %.0f %%", (times - 1) * 100),
                        Labels.nanos(smart.meanNanos()),
                        Labels.nanos(other.meanNanos()),
                        Labels.nanos((double) smart.medianNanos()),
                        Labels.nanos((double) other.medianNanos()),
                        Labels.nanos((double) smart.p99Nanos()),
                        Labels.nanos((double) other.p99Nanos())),
                holds);
    }

    private static Check noWorse(Bathtub.Point smart, Bathtub.Point other, Watch watch) {
        boolean holds = smart.meanNanos() <= other.meanNanos() * TOLERANCE + TOLERANCE_NANOS
                && smart.p99Nanos() <= other.p99Nanos() * TOLERANCE + TOLERANCE_NANOS + watch.p99Nanos();
        return new Check(
                String.format(
                        Locale.ROOT,
                        "at %s %% load no slower than %s: mean %s to %s, 99th percentile %s to %s, of the clock alone %s",
                        percent(smart.load()),
                        other.approach().title(),
                        Labels.nanos(smart.meanNanos()),
                        Labels.nanos(other.meanNanos()),
                        Labels.nanos((double) smart.p99Nanos()),
                        Labels.nanos((double) other.p99Nanos()),
                        Labels.nanos(watch.p99Nanos())),
                holds);
    }

    static List<Table> tables(Result result) {
        List<List<String>> example = new ArrayList<>();
        for (WorkedExample.Line line : result.example()) {
            example.add(List.of(
                    line.approach() + ", " + line.clock(),
                    number(line.best()),
                    number(line.average()),
                    number(line.worst()),
                    line.fewestPackets() == line.mostPackets()
                            ? String.valueOf(line.mostPackets())
                            : line.fewestPackets() + " to " + line.mostPackets()));
        }
        List<Table> tables = new ArrayList<>();
        tables.add(new Table(
                "ten messages at once, 100 us a send; microseconds, for real the medians of many bursts",
                List.of("", "best", "average", "worst", "packets"),
                example));
        if (!result.points().isEmpty()) {
            tables.add(table("latency against load", result.points()));
        }
        if (!result.virtual().isEmpty()) {
            tables.add(table("the same messages in virtual time", result.virtual()));
        }
        List<Sustained.Result> sustained = result.sustained();
        if (!sustained.isEmpty()) {
            Quartiles serial = quartiles(sustained, Sustained.Result::serial);
            Quartiles smart = quartiles(sustained, Sustained.Result::smart);
            Quartiles ratio = quartiles(sustained, Sustained.Result::ratio);
            tables.add(new Table(
                    "sustained, 10 us a send, buffers of 4 KiB, messages of 64 bytes; messages a second, medians and quartiles of "
                            + sustained.size() + " rounds",
                    List.of("", "messages/s", "quartiles", "to serial", "quartiles"),
                    List.of(
                            List.of("serial", whole(serial.median()), range(serial), "1.0", ""),
                            List.of(
                                    "smart batching",
                                    whole(smart.median()),
                                    range(smart),
                                    number(ratio.median()),
                                    number(ratio.lower()) + " to " + number(ratio.upper())))));
        }
        return tables;
    }

    private static Table table(String title, List<Bathtub.Point> points) {
        List<List<String>> rows = new ArrayList<>();
        for (Bathtub.Point point : points) {
            rows.add(List.of(
                    percent(point.load()) + " %, " + point.approach().title(),
                    String.format(Locale.ROOT, "%,.0f", point.offered()),
                    String.format(Locale.ROOT, "%,.0f%s", point.sent(), point.saturated() ? " (saturated)" : ""),
                    number(point.meanNanos() / 1e3),
                    number(point.means().lower() / 1e3) + " to "
                            + number(point.means().upper() / 1e3),
                    number(point.medianNanos() / 1e3),
                    number(point.p99Nanos() / 1e3),
                    String.format(Locale.ROOT, "%.1f", point.sentMessages() / (double) Math.max(1, point.sends()))));
        }
        return new Table(
                String.format(
                        Locale.ROOT,
                        "%s, 100 %% being %,.0f messages a second in full buffers; microseconds, medians of %d turns, and"
                                + " the quartiles of their means",
                        title,
                        Bathtub.DEVICE_RATE,
                        points.get(0).means().count()),
                List.of("", "offered/s", "sent/s", "mean", "quartiles", "50 %", "99 %", "a send"),
                rows);
    }

    /** The curves of the medians, and of the 99th percentiles. */
    static LineChart chart(List<Bathtub.Point> all) {
        LineChart chart = new LineChart(
                "latency against offered load",
                Axis.linear("offered load, of the device's rate", "%"),
                Axis.log("latency from when a message was due", "time").inNanos());
        for (boolean median : new boolean[] {true, false}) {
            for (Approach approach : Approach.values()) {
                List<Bathtub.Point> points = all.stream()
                        .filter(point -> point.approach() == approach)
                        .toList();
                if (!points.isEmpty()) {
                    chart.add(
                            approach.title() + (median ? ", median" : ", 99 %"),
                            points.stream().mapToDouble(Bathtub.Point::load).toArray(),
                            points.stream()
                                    .mapToDouble(point -> median ? point.medianNanos() : point.p99Nanos())
                                    .toArray());
                }
            }
        }
        return chart;
    }

    /** The plot as a file of its own. */
    static String svg(Result result) {
        String drawing = chart(result.plotted()).svg(840);
        int head = drawing.indexOf(">\n") + 2;
        return drawing.substring(0, head) + "<style>\n" + Style.css() + "</style>\n" + drawing.substring(head);
    }

    static String html(Result result) {
        Page page = new Page(result.title());
        page.columns(() -> {
            Head.write(
                    page,
                    result.complete(),
                    result.summary(),
                    result.date(),
                    result.machine(),
                    result.quick() ? Head.QUICK : Map.of());
            plots(result).forEach(plot -> page.figure(plot.caption(), plot.drawing()));
            tables(result).forEach(table -> table.addTo(page));
            Check.addTo(page, result.checks());
        });
        return page.glossary(result.words()).text();
    }

    private static List<Findings.Plot> plots(Result result) {
        List<Findings.Plot> plots = new ArrayList<>();
        if (!result.points().isEmpty()) {
            plots.add(plot("Latency against load", result.points()));
        }
        if (!result.virtual().isEmpty()) {
            plots.add(plot("Latency against load, in virtual time", result.virtual()));
        }
        return plots;
    }

    private static Findings.Plot plot(String title, List<Bathtub.Point> points) {
        return new Findings.Plot(
                title + ". Messages at random times; latency from when a message was due. What is not sent when the"
                        + " run ends counts with its wait so far, so curves under saturation are lower bounds.",
                width -> chart(points).svg(width));
    }

    static String csv(Result result) {
        StringBuilder csv = new StringBuilder(
                "clock,approach,load_percent,offered_per_s,sent_per_s,saturated,mean_ns,p50_ns,p99_ns,max_ns,sends,messages,sent_messages\n");
        append(csv, "real", result.points());
        append(csv, "virtual", result.virtual());
        return csv.toString();
    }

    private static void append(StringBuilder csv, String clock, List<Bathtub.Point> points) {
        for (Bathtub.Point point : points) {
            csv.append(String.format(
                    Locale.ROOT,
                    "%s,%s,%.1f,%.1f,%.1f,%b,%.0f,%d,%d,%d,%d,%d,%d\n",
                    clock,
                    point.approach().name().toLowerCase(Locale.ROOT),
                    point.load(),
                    point.offered(),
                    point.sent(),
                    point.saturated(),
                    point.meanNanos(),
                    point.medianNanos(),
                    point.p99Nanos(),
                    point.maxNanos(),
                    point.sends(),
                    point.messages(),
                    point.sentMessages()));
        }
    }

    private static Quartiles quartiles(List<Sustained.Result> rounds, ToDoubleFunction<Sustained.Result> what) {
        return Quartiles.of(rounds.stream().mapToDouble(what).toArray());
    }

    private static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }

    private static String range(Quartiles values) {
        return whole(values.lower()) + " to " + whole(values.upper());
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    private static String percent(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }
}
