package io.sluice.perf.latency;

import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.Distribution;
import io.sluice.perf.report.Role;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.svg.Axis;
import io.sluice.perf.report.svg.Labels;
import io.sluice.perf.report.svg.LineChart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleBiFunction;

/** A figure of every contestant over rows that differ in one number, beside the delays of the machine itself. */
final class LoadCurve {
    private static final String HICCUPS =
            "the machine's own hiccups: from the median to p99 of two threads that look at the clock";
    private static final double FROM = 50;
    private static final double TO = 99;

    private final String title;
    private final String figure;
    private final String along;
    private final String unit;
    private final Map<Double, RowResult> rows;
    private final Map<String, TreeMap<Double, Double>> lines = new LinkedHashMap<>();

    /**
     * Reads a curve off rows.
     *
     * @param title what the rows have in common, for people
     * @param figure the figure of each contestant, for people
     * @param along the number in which the rows differ
     * @param unit its unit
     * @param rows each by its number, ascending, of one JVM
     * @param value the figure of a contestant of a row, 0 if it has none
     */
    LoadCurve(
            String title,
            String figure,
            String along,
            String unit,
            Map<Double, RowResult> rows,
            ToDoubleBiFunction<RowResult, ContestantResult> value) {
        this.title = title;
        this.figure = figure;
        this.along = along;
        this.unit = unit;
        this.rows = rows;
        rows.forEach((at, row) -> {
            for (ContestantResult one : row.contestants()) {
                double nanos = value.applyAsDouble(row, one);
                if (one.role() != Role.BOUND && nanos > 0) {
                    lines.computeIfAbsent(one.label(), label -> new TreeMap<>()).put(at, nanos);
                }
            }
        });
    }

    /** Whether there is a curve: at least two points of one contestant. */
    boolean isThere() {
        return lines.values().stream().anyMatch(points -> points.size() > 1);
    }

    /** The title of the curve, for people. */
    String title() {
        return title + ": " + figure;
    }

    /** The curve as a plot, both axes logarithmic. */
    String svg(int width) {
        LineChart chart = new LineChart(
                title(), Axis.log(along, unit), Axis.log(figure, "ns").inNanos());
        lines.forEach((label, points) -> chart.add(label, array(points.keySet()), array(points.values())));
        TreeMap<Double, Distribution> platform = new TreeMap<>();
        rows.forEach((at, row) -> row.contestants().stream()
                .filter(one -> one.id().equals(Entries.PLATFORM))
                .forEach(one -> row.distributions().stream()
                        .filter(times -> times.name().equals(one.label()))
                        .forEach(times -> platform.put(at, times))));
        if (platform.size() > 1) {
            chart.behind(HICCUPS, array(platform.keySet()), percentiles(platform, FROM), percentiles(platform, TO));
        }
        return chart.svg(width);
    }

    private static double[] percentiles(Map<Double, Distribution> platform, double percentile) {
        return array(platform.values().stream()
                .map(times -> Math.max(1, times.at(percentile)))
                .toList());
    }

    private static double[] array(Iterable<Double> values) {
        List<Double> all = new ArrayList<>();
        values.forEach(all::add);
        return all.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /** The curve as a table with a line for each contestant. */
    List<String> table() {
        List<String> table = new ArrayList<>();
        StringBuilder head = new StringBuilder(String.format(Locale.ROOT, "  %-40s", along));
        rows.keySet().forEach(at -> head.append(String.format(Locale.ROOT, " %9s", Labels.number(at))));
        table.add(head.toString());
        lines.forEach((label, points) -> {
            StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-40s", label));
            for (double at : rows.keySet()) {
                Double nanos = points.get(at);
                line.append(String.format(Locale.ROOT, " %9s", nanos == null ? "" : Labels.nanos(nanos)));
            }
            table.add(line.toString());
        });
        return table;
    }
}
