package io.sluice.perf.latency;

import io.sluice.perf.compare.Figure;
import io.sluice.perf.report.ContestantResult;
import io.sluice.perf.report.Distribution;
import io.sluice.perf.report.Further;
import io.sluice.perf.report.Page;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.svg.Stack;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The curves that a report's rows form: latency against load, and against the size of bursts. */
final class LoadCurves {
    private static final int WIDTH = 840;
    private static final double MILLION = 1e6;
    private static final double TAIL = 99;

    private final String title;
    private final List<LoadCurve> curves = new ArrayList<>();

    private LoadCurves(String title) {
        this.title = title;
    }

    /**
     * The curves of all JVMs.
     *
     * @param title such as the command
     * @param rows what was measured
     */
    static LoadCurves of(String title, List<RowResult> rows) {
        LoadCurves all = new LoadCurves(title);
        for (String jvm : rows.stream().map(RowResult::jvm).distinct().toList()) {
            for (Family family : Family.values()) {
                all.addLoad(rows, jvm, family);
                LoadRows.BURST_MILLIONS.forEach(millions -> all.addBursts(rows, jvm, family, millions));
            }
        }
        all.curves.removeIf(curve -> !curve.isThere());
        return all;
    }

    private void addLoad(List<RowResult> measured, String jvm, Family family) {
        Map<String, Double> ids = new TreeMap<>();
        LoadRows.MILLIONS.forEach(millions -> ids.put(LoadRows.openLoopId(family, millions), millions * MILLION));
        Map<Double, RowResult> rows = rows(measured, jvm, ids);
        String words = "Latency against load, " + family.words() + ", " + jvm;
        curves.add(new LoadCurve(
                words, "median (p50)", "load", "events/s", rows, (row, contestant) -> contestant.nearMedian()));
        curves.add(new LoadCurve(words, "p99 of all samples", "load", "events/s", rows, LoadCurves::tail));
    }

    private void addBursts(List<RowResult> measured, String jvm, Family family, int millions) {
        Map<String, Double> ids = new TreeMap<>();
        LoadRows.SIZES.forEach(size -> ids.put(LoadRows.burstsId(family, size, millions), (double) size));
        Map<Double, RowResult> rows = rows(measured, jvm, ids);
        String words = "Bursts, " + millions + " million events a second in the mean, " + family.words() + ", " + jvm;
        curves.add(new LoadCurve(
                words,
                "median (p50)",
                "size of a burst",
                "events",
                rows,
                (row, contestant) -> contestant.nearMedian()));
        curves.add(new LoadCurve(
                words,
                Figure.LAST_OF_BURST.toString(),
                "size of a burst",
                "events",
                rows,
                (row, contestant) -> last(contestant)));
    }

    private static Map<Double, RowResult> rows(List<RowResult> measured, String jvm, Map<String, Double> ids) {
        Map<Double, RowResult> rows = new TreeMap<>();
        for (RowResult row : measured) {
            Double at = ids.get(row.id());
            if (at != null && row.jvm().equals(jvm)) {
                rows.put(at, row);
            }
        }
        return rows;
    }

    private static double tail(RowResult row, ContestantResult contestant) {
        return row.distributions().stream()
                .filter(times -> times.name().equals(contestant.label()))
                .mapToDouble((Distribution times) -> times.at(TAIL))
                .findFirst()
                .orElse(0);
    }

    private static double last(ContestantResult contestant) {
        return contestant.further().stream()
                .filter(further -> further.name().equals(Figure.LAST_OF_BURST.toString()))
                .mapToDouble(Further::median)
                .findFirst()
                .orElse(0);
    }

    /** Adds the plots to a page. */
    void write(Page page) {
        if (!curves.isEmpty()) {
            page.heading(2, "Latency at every load");
            page.paragraph(
                    "Each contestant has a line. It lies on a floor while the contestant keeps up, and leaves it where the load"
                            + " begins to be too much. The band is what two threads see that only look at the clock, in the same rounds.");
            page.columns(() -> curves.forEach(curve -> page.figure(curve.title() + ".", curve::svg)));
        }
    }

    /** The plots in a file of their own. */
    String svg() {
        Stack stack = new Stack(title);
        curves.forEach(curve -> stack.add(curve.title(), curve.svg(WIDTH)));
        return stack.svg(WIDTH);
    }

    /** Prints tables. */
    void print(PrintStream out) {
        for (LoadCurve curve : curves) {
            out.println();
            out.println(curve.title());
            curve.table().forEach(out::println);
        }
    }
}
