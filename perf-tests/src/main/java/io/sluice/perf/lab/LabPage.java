package io.sluice.perf.lab;

import io.sluice.perf.batching.Check;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Page;
import io.sluice.perf.report.Page.Cell;
import io.sluice.perf.report.svg.Axis;
import io.sluice.perf.report.svg.BarChart;
import io.sluice.perf.report.svg.Labels;
import io.sluice.perf.report.svg.LineChart;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The lab's results as a page: a section for each experiment. */
final class LabPage {
    private static final double NANOS_OF_A_MILLI = 1e6;

    private LabPage() {}

    static String of(Lab.Result result) {
        Page page = new Page(result.title());
        Head.write(
                page,
                result.complete(),
                result.summary(),
                result.date(),
                result.machine(),
                result.quick() ? Head.QUICK : Map.of());
        result.experiments().forEach(section -> section(page, section));
        return page.text();
    }

    private static void section(Page page, Section section) {
        page.heading(2, section.name() + ": " + section.title());
        page.paragraph(section.article() + ": " + section.claim());
        page.paragraph(String.join(" ", section.shows()));
        if (!section.failure().isEmpty()) {
            page.paragraph("It failed: " + section.failure());
            return;
        }
        page.paragraph("Of the cores: " + section.cores() + "."
                + (section.repeated() ? " An order was contradicted at first; this is the second measurement." : ""));
        page.columns(() -> {
            BarChart bars = bars(section);
            if (bars != null) {
                boolean published = section.figures().stream().anyMatch(figure -> figure.published() > 0);
                page.figure(
                        "Medians, as many times as the first: bars; quartiles: lines"
                                + (published ? "; published figures: marks across." : "."),
                        bars::svg);
            }
            figures(page, section);
            verdicts(page, section);
            section.plots().forEach(plot -> page.figure(plot.caption(), plot.drawing()));
            section.tables().forEach(table -> table.addTo(page));
            if (!section.checks().isEmpty()) {
                Check.addTo(page, section.checks());
            }
            section.traces()
                    .forEach(trace -> page.figure(
                            trace.label()
                                    + ": the slowest event that was due in each millisecond, the stops at safepoints, and behind them"
                                    + " the collector's pauses.",
                            width -> plot(trace, width)));
            section.notes().forEach(page::paragraph);
        });
    }

    private static String plot(Trace trace, int width) {
        double[] times = new double[trace.slowest().size()];
        double[] slowest = new double[times.length];
        double base = Double.MAX_VALUE;
        double top = 1;
        for (int i = 0; i < times.length; i++) {
            times[i] = i * trace.stepNanos() / NANOS_OF_A_MILLI;
            slowest[i] = Math.max(1, trace.slowest().get(i));
            base = Math.min(base, slowest[i]);
            top = Math.max(top, slowest[i]);
        }
        for (Trace.Stop stop : trace.stops()) {
            top = Math.max(top, (double) stop.nanos());
        }
        double end = Math.max(1, times[times.length - 1]);
        double highest = top;
        double[][] pauses = Trace.corners(trace.pauses(), end, base, false);
        double[] lows = new double[pauses[0].length];
        Arrays.fill(lows, base);
        double[][] stops = Trace.corners(trace.stops(), end, base, true);
        return new LineChart(
                        "Latency over time, " + trace.label(),
                        Axis.linear("time", "ms"),
                        new Axis("latency, or length of the stop", "log", Axis.Kind.LOG, Labels::nanos))
                .add("slowest event", times, slowest)
                .add("stop at a safepoint", stops[0], stops[1])
                .behind(
                        "collector pause",
                        pauses[0],
                        lows,
                        Arrays.stream(pauses[1])
                                .map(height -> Math.min(height, highest))
                                .toArray())
                .svg(width);
    }

    /** Null if there is nothing to draw. */
    private static @Nullable BarChart bars(Section section) {
        if (section.figures().isEmpty()) {
            return null;
        }
        Section.Figure first = section.figures().get(0);
        BarChart bars = new BarChart(
                        "Times of " + section.name() + ", as many times as " + first.label(),
                        "time, less is better",
                        "ratio",
                        first.label() + ", " + Labels.nanos(first.median()))
                .marking("published");
        for (Section.Figure figure : section.figures()) {
            bars.add(
                    figure.label(),
                    figure.lower() / first.median(),
                    figure.median() / first.median(),
                    figure.upper() / first.median(),
                    figure.id().startsWith("sluice"),
                    figure.published() / first.median(),
                    0);
        }
        return bars;
    }

    private static void figures(Page page, Section section) {
        if (section.figures().isEmpty()) {
            return;
        }
        List<List<Cell>> lines = new ArrayList<>();
        for (Section.Figure figure : section.figures()) {
            lines.add(List.of(
                    Cell.of(figure.label()),
                    Cell.number(Labels.nanos(figure.median())),
                    Cell.number(Labels.nanos(figure.lower()) + " to " + Labels.nanos(figure.upper())),
                    Cell.number(Integer.toString(figure.rounds())),
                    new Cell(figure.then(), "long"),
                    Cell.number(figure.published() == 0 ? "" : String.format(Locale.ROOT, "%.2f", figure.ratio()))));
        }
        page.table(
                "Here, and as it was published",
                List.of(
                        Cell.of("who"),
                        Cell.number("median"),
                        Cell.number("quartiles"),
                        Cell.number("rounds"),
                        Cell.of("published"),
                        Cell.number("here to published")),
                lines);
    }

    private static void verdicts(Page page, Section section) {
        List<List<Cell>> lines = new ArrayList<>();
        for (Section.Verdict verdict : section.verdicts()) {
            String style = switch (verdict.outcome()) {
                case HOLDS -> "good";
                case OPEN -> "";
                case CONTRADICTED -> "bad";
            };
            lines.add(List.of(new Cell(Lab.words(verdict), "long"), new Cell(verdict.outcome().words, style)));
        }
        if (!lines.isEmpty()) {
            page.table("What must hold on any machine", List.of(Cell.of("order"), Cell.of("verdict")), lines);
        }
    }
}
