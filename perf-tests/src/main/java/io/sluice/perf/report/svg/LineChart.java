package io.sluice.perf.report.svg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Curves over two axes with a legend below. Made by one thread. */
public final class LineChart {
    private static final int TOP = 12;
    private static final int RIGHT = 14;
    private static final int TICKS_HEIGHT = 20;
    private static final int LINE_HEIGHT = 18;
    private static final int SWATCH = 22;

    private static final class Series {
        final String name;
        final double[] xs;
        final double[] ys;

        Series(String name, double[] xs, double[] ys) {
            this.name = name;
            this.xs = xs;
            this.ys = ys;
        }
    }

    private static final class Band {
        final String name;
        final double[] xs;
        final double[] lows;
        final double[] highs;

        Band(String name, double[] xs, double[] lows, double[] highs) {
            this.name = name;
            this.xs = xs;
            this.lows = lows;
            this.highs = highs;
        }
    }

    private final String label;
    private final Axis x;
    private final Axis y;
    private final List<Series> series = new ArrayList<>();
    private @Nullable Band band;

    /**
     * Begins a plot.
     *
     * @param label what is to be seen, for those who can not see it
     * @param x the axis to the right
     * @param y the axis upward
     */
    public LineChart(String label, Axis x, Axis y) {
        this.label = label;
        this.x = x;
        this.y = y;
    }

    /**
     * Adds a curve.
     *
     * @param name for the legend
     * @param xs its points on the axis to the right, ascending, finite
     * @param ys its points on the axis upward, as many, finite
     * @return this
     */
    public LineChart add(String name, double[] xs, double[] ys) {
        if (xs.length != ys.length || xs.length == 0) {
            throw new IllegalArgumentException("curve '" + name + "' must have as many xs as ys, one at least, but has "
                    + xs.length + " and " + ys.length);
        }
        series.add(new Series(name, xs.clone(), ys.clone()));
        return this;
    }

    /**
     * Lays a band behind the curves.
     *
     * @param name for the legend
     * @param xs its points on the axis to the right, ascending, finite
     * @param lows its lower edge on the axis upward, as many, finite
     * @param highs its upper edge, as many, finite
     * @return this
     */
    public LineChart behind(String name, double[] xs, double[] lows, double[] highs) {
        if (xs.length != lows.length || xs.length != highs.length || xs.length < 2) {
            throw new IllegalArgumentException("band '" + name
                    + "' must have as many xs as lows and highs, two at least, but has " + xs.length + ", "
                    + lows.length + " and " + highs.length);
        }
        band = new Band(name, xs.clone(), lows.clone(), highs.clone());
        return this;
    }

    /**
     * Draws.
     *
     * @param width in pixels, 280 or more
     * @return SVG that needs the style sheet of {@link Style}
     */
    public String svg(int width) {
        Svg.check(width, label, series.isEmpty());
        Axis.Range xRange = range(x, true);
        Axis.Range yRange = range(y, false);
        double left = 12
                + yRange.ticks().stream()
                        .mapToDouble(tick -> Svg.width(tick.label()))
                        .max()
                        .orElse(0);
        double plotWidth = width - left - RIGHT;
        double plotHeight = Math.max(180, Math.min(320, plotWidth * 0.55));
        double top = TOP + LINE_HEIGHT;
        double bottom = top + plotHeight;
        List<List<Integer>> legend = legend(width);
        int legendLines = legend.size() + (band == null ? 0 : 1);
        double height = bottom + TICKS_HEIGHT + LINE_HEIGHT + 6 + legendLines * LINE_HEIGHT + 6;

        Svg svg = new Svg(width, height, "lines", label);
        svg.text("soft unit", 2, TOP, "start", y.title(width - 4));
        Band below = band;
        if (below != null) {
            svg.path("band", area(below, xRange, yRange, left, bottom, plotWidth, plotHeight), below.name);
        }
        for (Axis.Tick tick : yRange.ticks()) {
            double at = bottom - yRange.place(tick.value()) * plotHeight;
            svg.line("grid", left, at, left + plotWidth, at);
            svg.text("soft tick", left - 6, at + 4, "end", tick.label());
        }
        double free = 0;
        for (Axis.Tick tick : xRange.ticks()) {
            double at = left + xRange.place(tick.value()) * plotWidth;
            svg.line("grid", at, top, at, bottom);
            double half = Svg.width(tick.label()) / 2;
            double middle = Math.max(half, Math.min(width - half, at));
            if (middle - half >= free) { // else it would stand on the one before
                svg.text("soft tick", middle, bottom + 16, "middle", tick.label());
                free = middle + half + 6;
            }
        }
        svg.line("axis", left, bottom, left + plotWidth, bottom);
        svg.text("soft unit", left + plotWidth, bottom + TICKS_HEIGHT + 14, "end", x.title(left + plotWidth));
        for (int i = 0; i < series.size(); i++) {
            svg.path(
                    "curve mark " + Style.series(i),
                    commands(series.get(i), xRange, yRange, left, bottom, plotWidth, plotHeight),
                    series.get(i).name);
        }
        double line = bottom + TICKS_HEIGHT + LINE_HEIGHT + 6;
        for (List<Integer> entries : legend) {
            line += LINE_HEIGHT;
            double at = 2;
            for (int i : entries) {
                String name = Svg.fitted(series.get(i).name, width - SWATCH - 10);
                svg.line("curve " + Style.series(i), at, line - 10, at + SWATCH - 4, line - 10);
                svg.text("label", at + SWATCH, line - 6, "start", name);
                at += SWATCH + Svg.width(name) + 14;
            }
        }
        if (below != null) {
            line += LINE_HEIGHT;
            svg.rectangle("band", 2, line - 15, SWATCH - 4, 10, "");
            svg.text("label", 2 + SWATCH, line - 6, "start", Svg.fitted(below.name, width - SWATCH - 10));
        }
        return svg.finish();
    }

    private Axis.Range range(Axis axis, boolean horizontal) {
        double[] all = series.stream()
                .flatMapToDouble(one -> Arrays.stream(horizontal ? one.xs : one.ys))
                .toArray();
        if (band != null) {
            all = DoubleStream.concat(
                            Arrays.stream(all),
                            horizontal
                                    ? Arrays.stream(band.xs)
                                    : DoubleStream.concat(Arrays.stream(band.lows), Arrays.stream(band.highs)))
                    .toArray();
        }
        return axis.range(
                Arrays.stream(all).min().orElseThrow(), Arrays.stream(all).max().orElseThrow());
    }

    private static String area(
            Band band, Axis.Range x, Axis.Range y, double left, double bottom, double width, double height) {
        int last = band.xs.length - 1;
        StringBuilder commands = new StringBuilder();
        for (int i = 0; i <= 2 * last + 1; i++) { // along the upper edge, and back along the lower one
            int at = i <= last ? i : 2 * last + 1 - i;
            commands.append(i == 0 ? 'M' : 'L')
                    .append(Svg.number(left + x.place(band.xs[at]) * width))
                    .append(' ')
                    .append(Svg.number(bottom - y.place(i <= last ? band.highs[at] : band.lows[at]) * height));
        }
        return commands.append('Z').toString();
    }

    private static String commands(
            Series one, Axis.Range x, Axis.Range y, double left, double bottom, double width, double height) {
        StringBuilder commands = new StringBuilder();
        for (int i = 0; i < one.xs.length; i++) {
            commands.append(i == 0 ? 'M' : 'L')
                    .append(Svg.number(left + x.place(one.xs[i]) * width))
                    .append(' ')
                    .append(Svg.number(bottom - y.place(one.ys[i]) * height));
        }
        if (one.xs.length == 1) {
            commands.append("h4"); // a dot, so that one point is seen
        }
        return commands.toString();
    }

    /** The curves in each line of the legend. */
    private List<List<Integer>> legend(int width) {
        List<List<Integer>> lines = new ArrayList<>();
        double free = 0;
        for (int i = 0; i < series.size(); i++) {
            double needed = SWATCH + Svg.width(Svg.fitted(series.get(i).name, width - SWATCH - 10)) + 14;
            if (lines.isEmpty() || needed > free) {
                lines.add(new ArrayList<>());
                free = width + 12;
            }
            lines.get(lines.size() - 1).add(i);
            free -= needed;
        }
        return lines;
    }
}
