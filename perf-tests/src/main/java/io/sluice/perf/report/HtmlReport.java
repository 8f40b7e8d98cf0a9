package io.sluice.perf.report;

import io.sluice.perf.report.Page.Cell;
import io.sluice.perf.report.svg.Axis;
import io.sluice.perf.report.svg.BarChart;
import io.sluice.perf.report.svg.GraphDrawing;
import io.sluice.perf.report.svg.Labels;
import io.sluice.perf.report.svg.LineChart;
import io.sluice.perf.report.svg.Stack;
import io.sluice.perf.report.svg.StripChart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A report as a page. */
public final class HtmlReport {
    private static final double[] SHOWN = {50, 90, 99, 99.9, 99.99};
    private static final int WIDTH = 840;

    private HtmlReport() {}

    /**
     * Writes the page.
     *
     * @param report what was measured
     * @return HTML in one file: see {@link Page}
     */
    public static String write(Report report) {
        return write(report, page -> {});
    }

    /**
     * Writes the page with the parts that several rows show together.
     *
     * @param report what was measured
     * @param together adds that to the page, ahead of the rows
     * @return HTML in one file: see {@link Page}
     */
    public static String write(Report report, Consumer<Page> together) {
        Page page = new Page(report.title());
        List<RowResult> rows = report.rows();
        Set<String> ofAll =
                rows.isEmpty() ? Set.of() : new LinkedHashSet<>(rows.get(0).notes());
        rows.forEach(row -> ofAll.retainAll(row.notes()));
        page.columns(() -> {
            Head.write(page, report.complete(), report.summary(), report.date(), report.machine(), Map.of());
            targets(page, rows);
        });
        page.paragraph(
                "Each contestant runs warm in a JVM of its own. In each round each is visited once, in random order,"
                        + " with a probe of the distance between the cores before and after. Ratios are formed within a round, and"
                        + " only of samples whose probes both show the cores near each other; bars show the median of the JVMs'"
                        + " medians, the line over a bar its interval.");
        ofAll.forEach(page::paragraph);
        together.accept(page);
        Map<String, List<RowResult>> byId = new LinkedHashMap<>();
        for (RowResult row : rows) {
            byId.computeIfAbsent(row.id(), id -> new ArrayList<>()).add(row);
        }
        byId.forEach((id, each) -> {
            page.heading(2, id + ": " + each.get(0).title());
            page.columns(() -> {
                topology(page, each.get(0));
                each.forEach(row -> row(page, row, ofAll));
            });
        });
        page.glossary(report.glossary());
        return page.text();
    }

    private static void targets(Page page, List<RowResult> rows) {
        List<List<Cell>> lines = new ArrayList<>();
        List<String> unmeasured = new ArrayList<>();
        for (RowResult row : rows) {
            for (TargetResult target : row.measurable()) {
                boolean noPeer = target.verdict() == TargetResult.Verdict.NO_PEER;
                String pair = row.label(target.contestant())
                        + (noPeer ? "" : " to " + row.label(target.peer()))
                        + (target.figure().equals(TargetResult.MEDIAN) ? "" : ", " + target.figure());
                if (target.ratio().rounds() == 0 && !noPeer) {
                    unmeasured.add(row.id() + " on " + row.jvm() + ", " + pair);
                    continue;
                }
                lines.add(List.of(
                        Cell.of(row.id()),
                        Cell.of(row.jvm()),
                        Cell.of(pair),
                        Cell.number(target.ratio().words()),
                        Cell.number((target.atMost() ? "\u2264 " : "\u2265 ") + Labels.number(target.must())),
                        Cell.number(Labels.number(target.stretch())),
                        Cell.of(target.guard().words()),
                        verdict(target)));
            }
        }
        if (!lines.isEmpty()) {
            page.table(
                    "What was to be reached",
                    List.of(
                            Cell.of("row"),
                            Cell.of("JVM"),
                            Cell.of("ratio of"),
                            Cell.number("median (interval)"),
                            Cell.number("must"),
                            Cell.number("stretch"),
                            Cell.of("published"),
                            Cell.of("verdict")),
                    lines);
        }
        if (!unmeasured.isEmpty()) {
            page.paragraph("Targets not measured, since no round was near for both: " + String.join("; ", unmeasured));
        }
    }

    private static Cell verdict(TargetResult target) {
        String words = target.verdict() + (target.limit().isEmpty() ? "" : ": " + target.limit());
        return switch (target.verdict()) {
            case HOLDS -> new Cell(target.verdict().toString(), "good");
            case MISSED, FALLEN_BACK, LOSS -> new Cell(words, "bad");
            case OUT_OF_REACH, NO_PEER, NOT_MEASURED, NOT_JUDGED -> Cell.of(words);
        };
    }

    private static void topology(Page page, RowResult row) {
        if (!row.topology().isEmpty()) {
            GraphDrawing graph = new GraphDrawing("Who hands events to whom in " + row.id());
            row.topology().forEach(link -> graph.add(link.from(), link.to()));
            page.figure("Who hands events to whom.", graph::svg);
        }
    }

    /**
     * The rows' ratios alone.
     *
     * @param report what was measured
     * @return SVG in one file
     */
    public static String svg(Report report) {
        Stack stack = new Stack(report.title() + ": " + report.machine().command());
        for (RowResult row : report.rows()) {
            BarChart bars = bars(row);
            if (bars != null) {
                stack.add(row.id() + ": " + row.title() + ", " + row.jvm(), bars.svg(WIDTH));
            }
        }
        return stack.svg(WIDTH);
    }

    /** Null if there is no ratio to show. */
    private static @Nullable BarChart bars(RowResult row) {
        BarChart bars = new BarChart(
                "Ratios of the contestants of " + row.id() + " to " + row.label(row.reference()) + " on " + row.jvm(),
                row.lessIsBetter() ? "time, less is better" : "rate, more is better",
                "ratio",
                row.label(row.reference()));
        boolean empty = true;
        for (ContestantResult one : row.contestants()) {
            if (one.ratio().rounds() > 0 && one.ratio().lower() > 0) {
                TargetResult target = target(row, one.id());
                bars.add(
                        one.label(),
                        one.ratio().lower(),
                        one.ratio().median(),
                        one.ratio().upper(),
                        one.role() == Role.SLUICE,
                        target == null ? 0 : target.must(),
                        target == null ? 0 : target.stretch());
                empty = false;
            }
        }
        return empty ? null : bars;
    }

    private static void row(Page page, RowResult row, Set<String> notesOfAll) {
        page.heading(3, row.jvm());
        BarChart bars = bars(row);
        if (bars != null) {
            page.figure("Paired ratios: median as a bar, interval as a line.", bars::svg);
        } else {
            page.paragraph("No round had two samples with near cores: there is no ratio to show.");
        }
        contestants(page, row);
        strips(page, row);
        row.twoSpeeds().forEach(page::paragraph);
        if (!row.bestPeer().isEmpty()) {
            page.paragraph(row.bestPeer());
        }
        if (row.distributions().stream().anyMatch(one -> !curve(one).isEmpty())) {
            distributions(page, row);
        }
        if (!row.unmeasured().isEmpty()) {
            page.paragraph(row.unmeasured());
        }
        row.notes().stream().filter(note -> !notesOfAll.contains(note)).forEach(page::paragraph);
    }

    private static void strips(Page page, RowResult row) {
        StripChart chart = new StripChart(
                "Every sample of the contestants of " + row.id() + " on " + row.jvm(),
                row.lessIsBetter() ? "time, less is better" : "rate, more is better",
                row.unit());
        boolean empty = true;
        for (ContestantResult one : row.contestants()) {
            double[] samples = one.own().samples().stream()
                    .mapToDouble(Double::doubleValue)
                    .filter(value -> value > 0)
                    .toArray();
            if (samples.length > 0) {
                chart.add(one.label(), samples, one.role() == Role.SLUICE);
                empty = false;
            }
        }
        if (!empty) {
            page.figure("Every sample with near cores, one dash each: two groups are two speeds.", chart::svg);
        }
    }

    private static @Nullable TargetResult target(RowResult row, String contestant) {
        for (TargetResult target : row.targets()) {
            if (target.contestant().equals(contestant) && target.peer().equals(row.reference())) {
                return target;
            }
        }
        return null;
    }

    private static void contestants(Page page, RowResult row) {
        List<List<Cell>> lines = new ArrayList<>();
        for (ContestantResult one : row.contestants()) {
            if (one.hasFigure()) {
                lines.add(List.of(
                        Cell.of(one.label()),
                        Cell.number(one.ratio().words()),
                        Cell.number(positive(one.ratio().rounds(), "")),
                        Cell.number(positive(one.ratio().jvms(), "")),
                        Cell.number(positive(one.nearMedian(), row.unit())),
                        Cell.number(positive(one.hopNanos(), "ns")),
                        Cell.of(one.further().stream()
                                .map(further -> further.name() + " " + value(further.median(), further.unit()))
                                .collect(Collectors.joining(", "))),
                        Cell.of(one.modes().entrySet().stream()
                                .map(mode -> mode.getValue() + " " + mode.getKey())
                                .collect(Collectors.joining(", ")))));
            }
        }
        if (!lines.isEmpty()) {
            page.table(
                    "",
                    List.of(
                            Cell.of("contestant"),
                            Cell.number("ratio to " + row.label(row.reference())),
                            Cell.number("near rounds"),
                            Cell.number("JVMs"),
                            Cell.number("own median"),
                            Cell.number("hop"),
                            Cell.of("further"),
                            Cell.of("samples")),
                    lines);
        }
    }

    private static void distributions(Page page, RowResult row) {
        String unit = row.distributions().get(0).unit();
        Axis values = Axis.log("latency", unit);
        LineChart chart = new LineChart(
                "Percentiles of the contestants of " + row.id() + " on " + row.jvm(),
                Axis.percentiles(),
                unit.equals("ns") ? values.inNanos() : values);
        List<List<Cell>> lines = new ArrayList<>();
        for (Distribution one : row.distributions()) {
            List<Percentile> points = curve(one);
            if (points.isEmpty()) {
                continue;
            }
            chart.add(
                    one.name(),
                    points.stream().mapToDouble(Percentile::percentile).toArray(),
                    points.stream()
                            .mapToDouble(point -> Math.max(1, point.value()))
                            .toArray());
            List<Cell> line = new ArrayList<>();
            line.add(Cell.of(one.name()));
            for (double percentile : SHOWN) {
                line.add(Cell.number(value(one.at(percentile), one.unit())));
            }
            line.add(Cell.number(value(one.max(), one.unit())));
            line.add(Cell.number(Labels.number((double) one.count())));
            lines.add(line);
        }
        page.figure("Percentiles: each line of the grid to the right is one more nine.", chart::svg);
        List<Cell> head = new ArrayList<>();
        head.add(Cell.of("contestant"));
        for (double percentile : SHOWN) {
            head.add(Cell.number(percent(percentile)));
        }
        head.add(Cell.number("max"));
        head.add(Cell.number("values"));
        page.table("", head, lines);
    }

    /** A figure that is 0 where nothing was measured. */
    private static String positive(double value, String unit) {
        return value > 0 ? value(value, unit) : "";
    }

    private static String percent(double percentile) {
        return String.format(Locale.ROOT, "%.2f", percentile).replaceFirst("\\.?0+$", "") + " %";
    }

    /** The points that have a place on the axis of nines. */
    private static List<Percentile> curve(Distribution distribution) {
        return distribution.points().stream()
                .filter(point -> point.percentile() < 100)
                .toList();
    }

    private static String value(double value, String unit) {
        return unit.equals("ns") ? Labels.nanos(value) : (Labels.number(value) + " " + unit).strip();
    }
}
