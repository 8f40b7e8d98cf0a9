package io.sluice.perf.report.svg;

import io.sluice.core.check.Check;
import java.util.List;
import java.util.Locale;

/** A square for each pair: the darker, the greater its value. Each square that has room shows its figure. For one thread. */
public final class Matrix {
    private static final double LEAST_INK = 0.12;
    private static final double NAMES = 34;
    private static final double LARGEST = 64;
    private static final double LEAST_FOR_FIGURES = 30;
    private static final double LEAST_FOR_NAMES = 15;

    private final String label;
    private final List<String> names;
    private final double[][] values;
    private final String unit;

    /**
     * Sets the values that are drawn.
     *
     * @param label what is to be seen, for those who can not see it
     * @param names of the rows, which are those of the columns too; at least one
     * @param values by row and column, as many as there are names; NaN for no value
     * @param unit of the values
     */
    public Matrix(String label, List<String> names, double[][] values, String unit) {
        Check.inRange(names.size(), 1, Integer.MAX_VALUE, "names.size()");
        if (values.length != names.size()) {
            throw new IllegalArgumentException(
                    "values must have " + names.size() + " rows, as there are names, but have " + values.length);
        }
        this.label = label;
        this.names = List.copyOf(names);
        this.values = new double[values.length][];
        for (int i = 0; i < values.length; i++) {
            if (values[i].length != values.length) {
                throw new IllegalArgumentException(
                        "each row must have " + values.length + " values, but one has " + values[i].length);
            }
            this.values[i] = values[i].clone();
        }
        this.unit = unit;
    }

    /**
     * Draws.
     *
     * @param width in pixels, 280 or more; the drawing may be narrower
     * @return SVG that needs the style sheet of {@link Style}
     */
    public String svg(int width) {
        Svg.check(width, label, names.isEmpty());
        double side = Math.min(LARGEST, (width - NAMES - 2) / names.size());
        double most = 0;
        for (double[] row : values) {
            for (double value : row) {
                most = Math.max(most, Double.isNaN(value) ? 0 : value);
            }
        }
        double size = NAMES + side * names.size() + 2;
        Svg svg = new Svg(Math.max(size, 1), size, "matrix graph", label);
        for (int row = 0; row < names.size(); row++) {
            double y = NAMES + row * side;
            if (side >= LEAST_FOR_NAMES || row % (int) Math.ceil(LEAST_FOR_NAMES / side) == 0) {
                svg.text("soft", NAMES - 6, y + side / 2 + 4, "end", names.get(row));
                svg.text("soft", y + side / 2, NAMES - 8, "middle", names.get(row));
            }
            for (int column = 0; column < names.size(); column++) {
                cell(svg, row, column, side, most);
            }
        }
        return svg.finish();
    }

    private void cell(Svg svg, int row, int column, double side, double most) {
        double value = values[row][column];
        double x = NAMES + column * side;
        double y = NAMES + row * side;
        if (Double.isNaN(value)) {
            svg.rectangle("empty", x, y, side, side, row == column ? "" : names.get(row) + " to " + names.get(column));
            return;
        }
        String figure = String.format(Locale.ROOT, "%.0f", value);
        double ink = most == 0 ? LEAST_INK : LEAST_INK + (1 - LEAST_INK) * value / most;
        svg.shaded(
                "cell",
                ink,
                x,
                y,
                side,
                side,
                names.get(row) + " to " + names.get(column) + ": " + figure + " " + unit);
        if (side >= LEAST_FOR_FIGURES) {
            svg.text("label", x + side / 2, y + side / 2 + 4, "middle", figure);
        }
    }
}
