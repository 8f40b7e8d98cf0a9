package io.sluice.perf.report.svg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Every sample as a dash, each contestant a strip, one below the other, on one axis: from 0 on, or logarithmic where the samples lie
 * too far apart for that. Made by one thread. */
public final class StripChart {
    /** The axis is logarithmic where the greatest sample is more than this many times the least. */
    private static final double LINEAR_UP_TO = 25;

    private static final int LINE_HEIGHT = 18;
    private static final int STRIP = 12;
    private static final int GAP = 8;
    private static final int RIGHT = 14;

    private record Strip(String name, List<Double> values, boolean own) {}

    private final String label;
    private final String axisLabel;
    private final String unit;
    private final List<Strip> strips = new ArrayList<>();

    /**
     * Begins a plot.
     *
     * @param label what is to be seen, for those who can not see it
     * @param axisLabel what the dashes show, such as {@code rate}
     * @param unit their unit
     */
    public StripChart(String label, String axisLabel, String unit) {
        this.label = label;
        this.axisLabel = axisLabel;
        this.unit = unit;
    }

    /**
     * Adds a strip.
     *
     * @param name whose samples
     * @param values the samples, above 0, at least one
     * @param own whether it is set off from the others by its colour
     * @return this
     */
    public StripChart add(String name, double[] values, boolean own) {
        if (values.length == 0) {
            throw new IllegalArgumentException("values of '" + name + "' must be one at least, but there is none");
        }
        for (double value : values) {
            if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "values of '" + name + "' must be finite numbers above 0, but one was " + value);
            }
        }
        strips.add(new Strip(name, Arrays.stream(values).boxed().toList(), own));
        return this;
    }

    /**
     * Draws. A name stands above its strip.
     *
     * @param width in pixels, 280 or more
     * @return SVG that needs the style sheet of {@link Style}
     */
    public String svg(int width) {
        Svg.check(width, label, strips.isEmpty());
        double least = strips.stream()
                .flatMap(strip -> strip.values.stream())
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(1);
        double most = strips.stream()
                .flatMap(strip -> strip.values.stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1);
        Axis axis =
                most / least > LINEAR_UP_TO ? Axis.log(axisLabel + ", log scale", unit) : Axis.linear(axisLabel, unit);
        Axis.Range range = axis.range(least, most);
        double left = 2;
        double plotWidth = width - left - RIGHT;
        int rowHeight = STRIP + LINE_HEIGHT + GAP;
        double bottom = (double) strips.size() * rowHeight;
        Svg svg = new Svg(width, bottom + 2 * LINE_HEIGHT + 8, "strips", label);
        grid(svg, range, left, plotWidth, bottom, width);
        for (int i = 0; i < strips.size(); i++) {
            Strip strip = strips.get(i);
            double top = (double) i * rowHeight + LINE_HEIGHT;
            svg.text("label" + (strip.own ? " strong" : ""), 2, top - 4, "start", Svg.fitted(strip.name, width - 4));
            StringBuilder path = new StringBuilder();
            for (double value : strip.values) {
                path.append('M')
                        .append(Svg.number(left + range.place(value) * plotWidth))
                        .append(' ')
                        .append(Svg.number(top))
                        .append('v')
                        .append(STRIP);
            }
            svg.path("mark quartiles", path.toString(), "");
        }
        svg.line("axis", left, bottom, left + plotWidth, bottom);
        svg.text("soft unit", left + plotWidth, bottom + LINE_HEIGHT + 14, "end", axis.title(left + plotWidth));
        return svg.finish();
    }

    private static void grid(Svg svg, Axis.Range range, double left, double plotWidth, double bottom, int width) {
        double free = 0;
        for (Axis.Tick tick : range.ticks()) {
            double at = left + range.place(tick.value()) * plotWidth;
            double half = Svg.width(tick.label()) / 2;
            double middle = Math.max(half, Math.min(width - half, at));
            svg.line("grid", at, 0, at, bottom);
            if (middle - half >= free) {
                svg.text("soft tick", middle, bottom + 15, "middle", tick.label());
                free = middle + half + 6;
            }
        }
    }
}
