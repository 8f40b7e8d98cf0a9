package io.sluice.examples.demo;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The latencies of a run as text, with a bar for each stage and one for the whole way, and as JSON.
 *
 * @param stages the latencies
 * @param elapsedNanos how long the run took
 * @param rate the messages a second that were asked for, or 0
 * @param force whether the journal was forced
 */
record LatencyTable(Stages stages, long elapsedNanos, long rate, boolean force) {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};
    private static final int BAR = 24;

    /** Several lines. No wider than 100 columns. */
    void print(StringBuilder out) {
        out.append("stages            microseconds ");
        out.append(
                rate == 0
                        ? "from the feed on; no rate given: this is the wait in a full ring\n"
                        : "from the time a message was due; bars by the mean\n");
        out.append(String.format(Locale.ROOT, "  %-20s %11s %11s %11s %11s\n", "", "mean", "50 %", "99 %", "highest"));
        double toJournal = stages.feedToJournal().getMean();
        double toBooks = toJournal + stages.journalToBooks().getMean();
        double toSubscriber = toBooks + stages.booksToSubscriber().getMean();
        double end = Math.max(toSubscriber, stages.whole().getMean());
        row(out, "feed -> journal", stages.feedToJournal(), 0, toJournal, end);
        row(out, "journal -> books", stages.journalToBooks(), toJournal, toBooks, end);
        row(out, "books -> subscriber", stages.booksToSubscriber(), toBooks, toSubscriber, end);
        row(out, "the whole way", stages.whole(), 0, stages.whole().getMean(), end);
        Histogram ends = stages.endOfBatch();
        out.append(String.format(
                Locale.ROOT,
                "%-17s %,d times, %,.1f at the median, %,.1f at 99 %%; %.0f %% of the run\n",
                force ? "journal's force" : "ends of batches",
                ends.getTotalCount(),
                ends.getValueAtPercentile(50) / 1e3,
                ends.getValueAtPercentile(99) / 1e3,
                elapsedNanos == 0 ? 0 : 100 * ends.getMean() * ends.getTotalCount() / elapsedNanos));
        out.append(
                force
                        ? "                  a message is in the journal when the force for its batch is over\n"
                        : "                  the journal is written without force\n");
    }

    private static void row(StringBuilder out, String name, Histogram nanos, double from, double to, double end) {
        out.append(String.format(
                Locale.ROOT,
                "  %-20s %,11.1f %,11.1f %,11.1f %,11.1f  [%s]\n",
                name,
                nanos.getMean() / 1e3,
                nanos.getValueAtPercentile(50) / 1e3,
                nanos.getValueAtPercentile(99) / 1e3,
                nanos.getMaxValue() / 1e3,
                bar(from, to, end)));
    }

    /** A bar from one time to another on an axis that begins at 0; at least one character, where there is an axis. */
    static String bar(double from, double to, double end) {
        if (!(end > 0)) {
            return " ".repeat(BAR);
        }
        int first = (int) Math.min(BAR - 1, Math.round(from / end * BAR));
        int last = (int) Math.max(first + 1, Math.min(BAR, Math.round(to / end * BAR)));
        return " ".repeat(first) + "=".repeat(last - first) + " ".repeat(BAR - last);
    }

    /** The latencies for JSON, in nanoseconds. */
    Map<String, @Nullable Object> figures() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("feedToJournal", figures(stages.feedToJournal()));
        all.put("journalToBooks", figures(stages.journalToBooks()));
        all.put("booksToSubscriber", figures(stages.booksToSubscriber()));
        all.put("wholeWay", figures(stages.whole()));
        all.put("journalEndOfBatch", figures(stages.endOfBatch()));
        return all;
    }

    /** Mean, percentiles and highest value, for JSON. */
    private static Map<String, @Nullable Object> figures(Histogram nanos) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("count", nanos.getTotalCount());
        all.put("mean", nanos.getTotalCount() == 0 ? 0.0 : nanos.getMean());
        putPercentiles(all, nanos);
        return all;
    }

    /** Puts percentiles and the highest value into figures for JSON. */
    static void putPercentiles(Map<String, @Nullable Object> figures, Histogram nanos) {
        for (double percentile : PERCENTILES) {
            figures.put("p" + title(percentile), nanos.getValueAtPercentile(percentile));
        }
        figures.put("max", nanos.getMaxValue());
    }

    /** Percentiles and the highest value, in microseconds, a line each. */
    static void printPercentiles(StringBuilder out, Histogram nanos) {
        for (double percentile : PERCENTILES) {
            out.append(String.format(
                    Locale.ROOT,
                    "  %-8s %,15.1f\n",
                    title(percentile) + " %",
                    nanos.getValueAtPercentile(percentile) / 1e3));
        }
        out.append(String.format(Locale.ROOT, "  %-8s %,15.1f\n", "highest", nanos.getMaxValue() / 1e3));
    }

    private static String title(double percentile) {
        return percentile == Math.rint(percentile) ? String.valueOf((int) percentile) : String.valueOf(percentile);
    }
}
