package io.sluice.perf.report.svg;

import java.util.Locale;

/** Numbers and times, short enough for an axis. */
public final class Labels {
    private static final String[] NANOS = {"ns", "\u00b5s", "ms", "s"};
    private static final String[] THOUSANDS = {"", "k", "M", "G", "T"};

    private Labels() {}

    /**
     * A time.
     *
     * @param nanos in nanoseconds
     * @return such as {@code 1.5 µs}
     */
    public static String nanos(double nanos) {
        return scaled(nanos, NANOS, " ");
    }

    /**
     * A number.
     *
     * @param value any
     * @return such as {@code 1.5M}
     */
    public static String number(double value) {
        return scaled(value, THOUSANDS, "");
    }

    private static String scaled(double value, String[] units, String gap) {
        double rest = value;
        int unit = 0;
        while (Math.abs(rest) >= 999.5 && unit < units.length - 1) {
            rest /= 1000;
            unit++;
        }
        return plain(rest) + (units[unit].isEmpty() ? "" : gap + units[unit]);
    }

    /** Three digits that count, no more zeros than needed. */
    static String plain(double value) {
        double size = Math.abs(value);
        String text = String.format(
                Locale.ROOT,
                size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 0.1 || size == 0 ? "%.2f" : "%.4f",
                value);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
    }
}
