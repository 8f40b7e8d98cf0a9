package io.sluice.perf.report.svg;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Bars of ratios, one below the other, each with its quartiles. From 0 on a linear axis; where the ratios lie too far apart
 * for that, from 1 on a logarithmic one. Made by one thread.
 */
public final class BarChart {
    /** The axis is logarithmic where the greatest ratio is more than this many times the least. */
    private static final double LINEAR_UP_TO = 25;

    private static final int WIDE = 560;
    private static final int BAR = 16;
    private static final int LINE_HEIGHT = 18;
    private static final int RIGHT = 14;

    private record Bar(
            String name, double lower, double median, double upper, boolean own, double must, double stretch) {}

    private final String label;
    private final String axisLabel;
    private final String unit;
    private final String reference;
    private final List<Bar> bars = new ArrayList<>();
    private String marks = "";

    /**
     * Begins a plot.
     *
     * @param label what is to be seen, for those who can not see it
     * @param axisLabel what the bars show, such as {@code rate}
     * @param unit their unit, such as {@code ratio}
     * @param reference to what the ratios are: it stands at 1
     */
    public BarChart(String label, String axisLabel, String unit, String reference) {
        this.label = label;
        this.axisLabel = axisLabel;
        this.unit = unit;
        this.reference = reference;
    }

    /**
     * Adds a bar.
     *
     * @param name what it stands for
     * @param lower the lower quartile, above 0
     * @param median the bar's length
     * @param upper the upper quartile
     * @param own whether it is set off from the others by its colour
     * @param must where a line says what must be reached; 0 for no line
     * @param stretch where a line says what should be reached; 0 for no line
     * @return this
     */
    public BarChart add(
            String name, double lower, double median, double upper, boolean own, double must, double stretch) {
        if (!(lower > 0 && lower <= median && median <= upper && upper < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("quartiles of '" + name
                    + "' must be ascending finite numbers above 0, but were " + lower + ", " + median + ", " + upper);
        }
        bars.add(new Bar(name, lower, median, upper, own, must, stretch));
        return this;
    }

    /**
     * Names the bars' lines that are given as {@code must}, where they stand for something else.
     *
     * @param name such as {@code published}
     * @return this
     */
    public BarChart marking(String name) {
        marks = name;
        return this;
    }

    /**
     * Draws. Below {@value #WIDE} pixels names stand above their bars, else beside them.
     *
     * @param width in pixels, 280 or more
     * @return SVG that needs the style sheet of {@link Style}
     */
    public String svg(int width) {
        Svg.check(width, label, bars.isEmpty());
        double least = 1;
        double most = 1;
        for (Bar bar : bars) {
            least = Math.min(least, lowest(bar));
            most = Math.max(most, Math.max(bar.upper, Math.max(bar.must, bar.stretch)));
        }
        boolean log = most / least > LINEAR_UP_TO && most > 5;
        Axis axis = log ? Axis.log(axisLabel + ", log scale", unit) : Axis.linear(axisLabel, unit);
        Axis.Range range = axis.range(least, most);

        boolean beside = width >= WIDE;
        double names = beside ? namesWidth(width) : 0;
        double figures = beside
                ? 10
                        + bars.stream()
                                .mapToDouble(bar -> Svg.width(figures(bar)))
                                .max()
                                .orElse(0)
                : 0;
        double left = beside ? names + 10 : 2;
        double plotWidth = width - left - figures - RIGHT;
        int rowHeight = beside ? BAR + 12 : BAR + LINE_HEIGHT + 10;
        double top = LINE_HEIGHT + 8;
        double bottom = top + bars.size() * rowHeight;
        boolean targets = bars.stream().anyMatch(bar -> bar.must > 0 || bar.stretch > 0);
        double height = bottom + 2 * LINE_HEIGHT + 8 + (targets ? LINE_HEIGHT : 0);

        Svg svg = new Svg(width, height, "bars", label);
        double free = 0;
        for (Axis.Tick tick : range.ticks()) {
            double at = left + range.place(tick.value()) * plotWidth;
            double half = Svg.width(tick.label()) / 2;
            double middle = Math.max(half, Math.min(width - half, at));
            svg.line("grid", at, top, at, bottom);
            if (middle - half >= free) {
                svg.text("soft tick", middle, bottom + 15, "middle", tick.label());
                free = middle + half + 6;
            }
        }
        double one = left + range.place(1) * plotWidth;
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            double rowTop = top + i * rowHeight;
            double barTop = beside ? rowTop + 6 : rowTop + LINE_HEIGHT + 4;
            String weight = bar.own ? " strong" : "";
            if (beside) {
                svg.text("label" + weight, names, barTop + 12, "end", Svg.fitted(bar.name, names));
                svg.text("label" + weight, width - RIGHT + 8, barTop + 12, "end", figures(bar));
            } else {
                String figure = Labels.plain(bar.median);
                svg.text(
                        "label" + weight, 2, barTop - 4, "start", Svg.fitted(bar.name, width - 20 - Svg.width(figure)));
                svg.text("label" + weight, width - 2, barTop - 4, "end", figure);
            }
            double from = log ? one : left + range.place(0) * plotWidth;
            double to = left + range.place(bar.median) * plotWidth;
            svg.rectangle(
                    "mark " + (bar.own ? "own" : "peer"),
                    Math.min(from, to),
                    barTop,
                    Math.max(1, Math.abs(to - from)),
                    BAR,
                    bar.name + ": " + figures(bar));
            double low = left + range.place(bar.lower) * plotWidth;
            double high = left + range.place(bar.upper) * plotWidth;
            double middle = barTop + BAR / 2.0;
            svg.path(
                    "quartiles",
                    "M" + Svg.number(low) + " " + Svg.number(middle - 4) + "v8M" + Svg.number(low) + " "
                            + Svg.number(middle) + "H" + Svg.number(high) + "M" + Svg.number(high) + " "
                            + Svg.number(middle - 4) + "v8",
                    "");
            target(svg, "must", bar.must, range, left, plotWidth, barTop);
            target(svg, "stretch", bar.stretch, range, left, plotWidth, barTop);
        }
        svg.line("reference", one, top - 4, one, bottom);
        boolean toTheLeft = one > width / 2.0;
        svg.text(
                "soft",
                one,
                top - 8,
                toTheLeft ? "end" : "start",
                Svg.fitted("1 = " + reference, toTheLeft ? one : width - one));
        svg.line("axis", left, bottom, left + plotWidth, bottom);
        svg.text("soft unit", left + plotWidth, bottom + LINE_HEIGHT + 14, "end", axis.title(left + plotWidth));
        if (targets) {
            double y = bottom + 2 * LINE_HEIGHT + 14;
            svg.line("must", 4, y - 10, 4, y + 2);
            svg.text("label", 12, y, "start", marks.isEmpty() ? "must" : marks);
            if (marks.isEmpty()) {
                svg.line("stretch", 58, y - 10, 58, y + 2);
                svg.text("label", 66, y, "start", "stretch");
            }
        }
        return svg.finish();
    }

    private static double lowest(Bar bar) {
        double lowest = bar.lower;
        if (bar.must > 0) {
            lowest = Math.min(lowest, bar.must);
        }
        return bar.stretch > 0 ? Math.min(lowest, bar.stretch) : lowest;
    }

    private double namesWidth(int width) {
        double longest =
                bars.stream().mapToDouble(bar -> Svg.width(bar.name)).max().orElse(0);
        return Math.min(longest, width * 0.38);
    }

    private static String figures(Bar bar) {
        return String.format(
                Locale.ROOT,
                "%s (%s to %s)",
                Labels.plain(bar.median),
                Labels.plain(bar.lower),
                Labels.plain(bar.upper));
    }

    private static void target(
            Svg svg, String style, double value, Axis.Range range, double left, double plotWidth, double barTop) {
        if (value > 0) {
            double at = left + range.place(value) * plotWidth;
            svg.line(style, at, barTop - 3, at, barTop + BAR + 3);
        }
    }
}
