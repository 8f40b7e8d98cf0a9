package io.sluice.perf.report.svg;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * An axis of a plot: its label and its unit, and the way in which values lie on it.
 *
 * @param label what it shows
 * @param unit its unit, such as {@code ns} or {@code events/s}; it stands beside the label
 * @param kind how values lie on it
 * @param format how values at its ticks are written
 */
public record Axis(String label, String unit, Kind kind, DoubleFunction<String> format) {
    /** The way in which values lie on an axis. */
    public enum Kind {
        /** Evenly, from zero unless a value is below. */
        LINEAR,
        /** Each factor of ten takes the same room; for values above zero. */
        LOG,
        /** Percentiles, 0 to below 100: each further nine takes the same room, as is usual for latencies. */
        NINES
    }

    /** A tick: its place, and the label that is written there. */
    record Tick(double value, String label) {}

    private static final double MOST_NINES = 99.9999999;

    /** Checks that nothing is empty. */
    public Axis {
        if (label.isBlank() || unit.isBlank()) {
            throw new IllegalArgumentException(
                    "axis must have a label and a unit, but has '" + label + "' and '" + unit + "'");
        }
    }

    /**
     * A linear axis.
     *
     * @param label what it shows
     * @param unit its unit
     * @return the axis
     */
    public static Axis linear(String label, String unit) {
        return new Axis(label, unit, Kind.LINEAR, Labels::number);
    }

    /**
     * A logarithmic axis.
     *
     * @param label what it shows
     * @param unit its unit
     * @return the axis
     */
    public static Axis log(String label, String unit) {
        return new Axis(label, unit, Kind.LOG, Labels::number);
    }

    /**
     * An axis of percentiles.
     *
     * @return the axis
     */
    public static Axis percentiles() {
        return new Axis("percentile", "%", Kind.NINES, Axis::percent);
    }

    /**
     * The same axis with its values written as times of nanoseconds.
     *
     * @return another axis
     */
    public Axis inNanos() {
        return new Axis(label, unit, kind, Labels::nanos);
    }

    /** The title beside the axis, cut to so many pixels; the unit is never cut. */
    String title(double pixels) {
        String end = " [" + unit + "]";
        return Svg.fitted(label, pixels - Svg.width(end)) + end;
    }

    private static String percent(double value) {
        String text = String.format(Locale.ROOT, "%.7f", value).replaceFirst("\\.?0+$", "");
        return text + " %";
    }

    /** The axis from the least to the greatest of some values, a little wider where it helps. */
    Range range(double least, double most) {
        switch (kind) {
            case LINEAR -> {
                double low = Math.min(0, least);
                double high = most > low ? most : low + 1;
                double step = step((high - low) / 5);
                return new Range(this, Math.floor(low / step) * step, Math.ceil(high / step - 1e-9) * step, step);
            }
            case LOG -> {
                if (!(least > 0)) {
                    throw new IllegalArgumentException(
                            "values on the axis of " + label + " must be above 0, but one is " + least);
                }
                double low = Math.pow(10, Math.floor(Math.log10(least) + 1e-9));
                double high = Math.pow(10, Math.ceil(Math.log10(most) - 1e-9));
                if (high / low > 10) { // not a whole decade of nothing
                    low = least > low * 5 ? low * 5 : least > low * 2 ? low * 2 : low;
                    high = most < high / 5 ? high / 5 : most < high / 2 ? high / 2 : high;
                }
                return new Range(this, low, high > low ? high : low * 10, 0);
            }
            default -> {
                return new Range(this, 0, Math.max(90, Math.min(MOST_NINES, most)), 0);
            }
        }
    }

    private static double step(double atLeast) {
        double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * power >= atLeast * (1 - 1e-9)) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /** An axis with its ends: gives values their places. */
    record Range(Axis axis, double low, double high, double step) {
        /** The place of a value, 0 at the beginning to 1 at the end; values outside lie on the ends. */
        double place(double value) {
            double inside = Math.max(low, Math.min(high, value));
            return switch (axis.kind) {
                case LINEAR -> (inside - low) / (high - low);
                case LOG -> Math.log(inside / low) / Math.log(high / low);
                case NINES -> nines(inside) / nines(high);
            };
        }

        private static double nines(double percentile) {
            return -Math.log10(1 - percentile / 100);
        }

        List<Tick> ticks() {
            List<Tick> ticks = new ArrayList<>();
            switch (axis.kind) {
                case LINEAR -> {
                    for (int i = 0; low + i * step <= high + step / 1000; i++) {
                        double value = low + i * step;
                        ticks.add(new Tick(value, axis.format.apply(Math.abs(value) < step / 1000 ? 0 : value)));
                    }
                }
                case LOG -> {
                    boolean between = high / low <= 1000;
                    for (double decade = Math.pow(10, Math.floor(Math.log10(low) + 1e-9));
                            decade <= high * 1.0001;
                            decade *= 10) {
                        for (double factor : between ? new double[] {1, 2, 5} : new double[] {1}) {
                            double value = decade * factor;
                            if (value >= low * 0.9999 && value <= high * 1.0001) {
                                ticks.add(new Tick(value, axis.format.apply(value)));
                            }
                        }
                    }
                }
                case NINES -> {
                    for (double value : new double[] {0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999}) {
                        if (value <= high + 1e-12) {
                            ticks.add(new Tick(value, axis.format.apply(value)));
                        }
                    }
                }
            }
            return ticks;
        }
    }
}
