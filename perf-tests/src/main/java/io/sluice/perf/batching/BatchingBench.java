package io.sluice.perf.batching;

import io.sluice.cli.Verb;
import io.sluice.perf.Interruption;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Page;
import io.sluice.perf.report.svg.Axis;
import io.sluice.perf.report.svg.Labels;
import io.sluice.perf.report.svg.LineChart;
import io.sluice.perf.report.svg.Style;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** {@code ./sluice bench batching}: the article's example, latency against offered load, and sustained throughput. */
public final class BatchingBench {
    static final List<String> OUTPUTS = List.of("--json", "--html", "--csv", "--svg");

    /** How many times the serial throughput smart batching must sustain. */
    static final double LEAST_RATIO = 10;

    /** What counts as no worse: one part in twenty, and the way from one thread to another. */
    private static final double TOLERANCE = 1.05;

    private static final double TOLERANCE_NANOS = 2_000;
    private static final long SEED = 1;

    /** How much is measured. */
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
     * @param machine where
     * @param example the worked example: the article's table, in virtual time, and for real
     * @param points latency against load
     * @param sustained throughput
     * @param checks what had to hold
     */
    record Result(
            String title,
            String date,
            boolean quick,
            boolean complete,
            Machine machine,
            List<WorkedExample.Line> example,
            List<Bathtub.Point> points,
            Sustained.Result sustained,
            List<Check> checks) {}

    private BatchingBench() {}

    /**
     * What {@code --help} says.
     *
     * @return lines of text
     */
    public static String usage() {
        return """
                usage: ./sluice bench batching [--quick] [--json OUT] [--html OUT] [--csv OUT] [--svg OUT]

                Smart batching on a device that takes its time: the worked example of the article, in virtual time and for
                real; latency against offered load, from 1 to 120 % of the device's rate, beside a lock around the device
                and a timer of 1 ms; and the throughput that is sustained. About three and a half minutes; --quick half a minute.
                --svg writes the plot alone.
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
        Request request = Request.parse(arguments, OUTPUTS, "");
        String command = ("./sluice bench batching " + String.join(" ", arguments)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try (Interruption interruption = new Interruption(() -> {})) {
            Result result =
                    measure(request.quick() ? Size.QUICK : Size.FULL, request.quick(), command, interruption, out);
            print(result, out);
            request.write("--json", Json.text(result));
            request.write("--csv", csv(result));
            if (!result.points().isEmpty()) { // else there is nothing to draw
                request.write("--html", html(result));
                request.write("--svg", svg(result));
            }
            if (!result.complete()) {
                out.println("stopped before the end: this is what there was by then");
                return Verb.INTERRUPTED;
            }
            boolean all = result.checks().stream().allMatch(Check::holds);
            out.println(all ? "everything that must hold is held" : "not everything that must hold is held");
            return all ? Verb.DONE : Verb.CHECK_FAILED;
        } finally {
            lock.close();
        }
    }

    static Result measure(Size size, boolean quick, String command, Interruption interruption, PrintStream out)
            throws Exception {
        String home = System.getProperty("sluice.home");
        Machine machine = Machine.here(
                List.of(Path.of(System.getProperty("java.home"))),
                home == null ? null : Path.of(home),
                command,
                "threads " + Pinning.description() + "; here none is");
        out.println(machine.load());
        String date = OffsetDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
        List<WorkedExample.Line> example = new ArrayList<>(WorkedExample.article());
        example.addAll(WorkedExample.virtual());
        example.addAll(WorkedExample.real(size.bursts()));
        Bathtub warmUp = new Bathtub(size.warmUpNanos(), SEED);
        for (Approach approach : Approach.values()) {
            warmUp.measure(approach, 50);
        }
        List<Bathtub.Point> points = new ArrayList<>();
        for (double load : size.loads()) {
            points.addAll(inTurns(load, size, interruption));
        }
        Sustained.measure(size.warmUpNanos());
        Sustained.Result sustained = Sustained.measure(size.sustainedNanos());
        return new Result(
                "Smart batching",
                date,
                quick,
                !interruption.requested(),
                machine,
                example,
                points,
                sustained,
                checks(points, sustained));
    }

    /** What else runs here may hit any of them in any turn; each has as many, and the medians are compared. */
    private static List<Bathtub.Point> inTurns(double load, Size size, Interruption interruption) throws Exception {
        Map<Approach, List<Bathtub.Point>> turns = new EnumMap<>(Approach.class);
        for (int turn = 0; turn < size.turns(); turn++) {
            Bathtub bathtub = new Bathtub(size.nanosEach(), SEED + turn);
            for (Approach approach : Approach.values()) {
                if (interruption.requested()) {
                    return List.of();
                }
                turns.computeIfAbsent(approach, key -> new ArrayList<>()).add(bathtub.measure(approach, load));
            }
        }
        return turns.values().stream().map(Bathtub.Point::median).toList();
    }

    /** Under saturation, that is at less than the device's rate, no other approach may be better at any load. */
    static List<Check> checks(List<Bathtub.Point> points, Sustained.Result sustained) {
        List<Check> checks = new ArrayList<>();
        for (Bathtub.Point smart : points) {
            if (smart.approach() != Approach.SMART || smart.load() >= 100) {
                continue;
            }
            for (Bathtub.Point other : points) {
                if (other.approach() != Approach.SMART && other.load() == smart.load()) {
                    checks.add(noWorse(smart, other));
                }
            }
        }
        checks.add(new Check(
                String.format(
                        Locale.ROOT,
                        "sustained throughput %.1f times the serial one, at least %.0f",
                        sustained.ratio(),
                        LEAST_RATIO),
                sustained.ratio() >= LEAST_RATIO));
        return checks;
    }

    private static Check noWorse(Bathtub.Point smart, Bathtub.Point other) {
        boolean holds = smart.meanNanos() <= other.meanNanos() * TOLERANCE + TOLERANCE_NANOS
                && smart.p99Nanos() <= other.p99Nanos() * TOLERANCE + TOLERANCE_NANOS;
        return new Check(
                String.format(
                        Locale.ROOT,
                        "at %s %% load no slower than %s: mean %s to %s, 99th percentile %s to %s",
                        percent(smart.load()),
                        other.approach().title(),
                        Labels.nanos(smart.meanNanos()),
                        Labels.nanos(other.meanNanos()),
                        Labels.nanos((double) smart.p99Nanos()),
                        Labels.nanos((double) other.p99Nanos())),
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
        List<List<String>> points = new ArrayList<>();
        for (Bathtub.Point point : result.points()) {
            points.add(List.of(
                    percent(point.load()) + " %, " + point.approach().title(),
                    String.format(Locale.ROOT, "%,.0f", point.offered()),
                    String.format(Locale.ROOT, "%,.0f%s", point.sent(), point.saturated() ? " (saturated)" : ""),
                    number(point.meanNanos() / 1e3),
                    number(point.medianNanos() / 1e3),
                    number(point.p99Nanos() / 1e3),
                    String.format(Locale.ROOT, "%.1f", point.sentMessages() / (double) Math.max(1, point.sends()))));
        }
        Sustained.Result sustained = result.sustained();
        return List.of(
                new Table(
                        "ten messages at once, 100 us a send; microseconds, for real the medians of many bursts",
                        List.of("", "best", "average", "worst", "packets"),
                        example),
                new Table(
                        String.format(
                                Locale.ROOT,
                                "latency against load, 100 %% being %,.0f messages a second in full buffers; microseconds",
                                Bathtub.DEVICE_RATE),
                        List.of("", "offered/s", "sent/s", "mean", "50 %", "99 %", "a send"),
                        points),
                new Table(
                        "sustained, 10 us a send, buffers of 4 KiB, messages of 64 bytes; messages a second",
                        List.of("", "messages/s", "to serial"),
                        List.of(
                                List.of("serial", String.format(Locale.ROOT, "%,.0f", sustained.serial()), "1.0"),
                                List.of(
                                        "smart batching",
                                        String.format(Locale.ROOT, "%,.0f", sustained.smart()),
                                        String.format(Locale.ROOT, "%.1f", sustained.ratio())))));
    }

    private static void print(Result result, PrintStream out) {
        tables(result).forEach(table -> table.print(out));
        out.println();
        for (Check check : result.checks()) {
            out.println((check.holds() ? "holds: " : "FAILS: ") + check.what());
        }
    }

    /** The curves of the medians, and of the 99th percentiles. */
    static LineChart chart(Result result) {
        LineChart chart = new LineChart(
                "latency against offered load",
                Axis.linear("offered load, of the device's rate", "%"),
                Axis.log("latency from when a message was due", "time").inNanos());
        for (boolean median : new boolean[] {true, false}) {
            for (Approach approach : Approach.values()) {
                List<Bathtub.Point> points = result.points().stream()
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
        String drawing = chart(result).svg(840);
        int head = drawing.indexOf(">\n") + 2;
        return drawing.substring(0, head) + "<style>\n" + Style.css() + "</style>\n" + drawing.substring(head);
    }

    static String html(Result result) {
        Page page = new Page(result.title());
        page.command("Made by ", result.machine().command());
        page.paragraph(result.date() + ", " + result.machine().cpu() + ", "
                + result.machine().cores() + " cores, "
                + String.join(", ", result.machine().jvms()) + ", source "
                + result.machine().commit() + ". " + result.machine().load() + ".");
        if (result.quick()) {
            page.paragraph("A quick run: its figures are for looking at only.");
        }
        page.heading(2, "Latency against load");
        page.figure(
                "Messages at random times; latency from when a message was due. What is not sent when the run ends counts"
                        + " with its wait so far, so curves under saturation are lower bounds.",
                width -> chart(result).svg(width));
        tables(result).forEach(table -> table.addTo(page));
        page.heading(2, "What must hold");
        page.table(
                List.of(Page.Cell.of("what"), Page.Cell.of("")),
                result.checks().stream()
                        .map(check -> List.of(
                                Page.Cell.of(check.what()),
                                new Page.Cell(check.holds() ? "holds" : "fails", check.holds() ? "good" : "bad")))
                        .toList());
        return page.text();
    }

    static String csv(Result result) {
        StringBuilder csv = new StringBuilder(
                "approach,load_percent,offered_per_s,sent_per_s,saturated,mean_ns,p50_ns,p99_ns,max_ns,sends,messages,sent_messages\n");
        for (Bathtub.Point point : result.points()) {
            csv.append(String.format(
                    Locale.ROOT,
                    "%s,%.1f,%.1f,%.1f,%b,%.0f,%d,%d,%d,%d,%d,%d\n",
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
        return csv.toString();
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.1f", value);
    }

    private static String percent(double value) {
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }
}
