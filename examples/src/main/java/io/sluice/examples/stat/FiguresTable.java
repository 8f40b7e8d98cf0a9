package io.sluice.examples.stat;

import io.sluice.ringbuffer.counters.RingCounter;
import java.util.Locale;
import java.util.Map;

/**
 * Figures as tables for people, at most {@value #WIDTH} columns wide: a wider text is shortened, a number by a unit.
 *
 * @param figures what to show
 * @param rates events a second, as far as they are known
 */
record FiguresTable(Figures figures, Rates rates) {
    /** Columns of a line at most. */
    static final int WIDTH = 80;

    private static final int NAME = 20;
    private static final String LABEL = "  %-11s ";
    private static final int LABEL_WIDTH = 14;
    private static final String[] UNITS = {"k", "M", "G", "T", "P", "E"};

    /** Tables, ended by a line feed; nothing where there are no rings. */
    String text() {
        StringBuilder out = new StringBuilder();
        figures.rings().forEach((number, ring) -> {
            appendRing(out, number, ring);
            if (!ring.consumers().isEmpty()) {
                appendProgress(out, number, ring);
                appendBatches(out, ring);
            }
        });
        return out.toString();
    }

    private void appendRing(StringBuilder out, int number, Figures.Part ring) {
        line(out, "ring %s: %s", shortened(ring.name(), WIDTH - 20), ring.state(RingCounter.RING));
        if (!ring.failure().isEmpty()) {
            appendFolded(out, "failed by", ring.failure());
        }
        long capacity = ring.value(RingCounter.CAPACITY);
        long fill = ring.value(RingCounter.FILL);
        line(
                out,
                LABEL + "%s of %s in use (%.0f %%)",
                "slots",
                fit(fill, 15),
                fit(capacity, 15),
                capacity == 0 ? 0 : 100.0 * fill / capacity);
        line(
                out,
                LABEL + "%s%s",
                "published",
                fit(ring.value(RingCounter.PUBLISHED), 25),
                Double.isNaN(rates.published(number)) ? "" : " (" + rate(rates.published(number), 15) + " a second)");
        line(out, LABEL + "%s", "handled", fit(ring.value(RingCounter.HANDLED), 25));
        line(
                out,
                LABEL + "%s waiting, %s stalls in %.3f s",
                "producers",
                fit(ring.value(RingCounter.PRODUCERS_WAITING), 9),
                fit(ring.value(RingCounter.STALLS), 15),
                ring.value(RingCounter.STALLED_NANOS) / 1e9);
        line(
                out,
                LABEL + "%s refused, %s dropped",
                "claims",
                fit(ring.value(RingCounter.REFUSED), 15),
                fit(ring.value(RingCounter.DROPPED), 15));
    }

    private void appendProgress(StringBuilder out, int number, Figures.Part ring) {
        line(
                out,
                "  %-" + NAME + "s %-8s %15s %19s %9s",
                "consumer",
                "state",
                "events a second",
                "events handled",
                "lag now");
        for (Map.Entry<Integer, Figures.Part> entry : ring.consumers().entrySet()) {
            Figures.Part consumer = entry.getValue();
            line(
                    out,
                    "  %-" + NAME + "s %-8s %15s %19s %9s",
                    shortened(consumer.name(), NAME),
                    consumer.state(RingCounter.CONSUMER),
                    rate(rates.handled(number, entry.getKey()), 15),
                    fit(consumer.value(RingCounter.CONSUMER_HANDLED), 19),
                    fit(consumer.value(RingCounter.CONSUMER_LAG), 9));
        }
    }

    private static void appendBatches(StringBuilder out, Figures.Part ring) {
        line(out, "  %-" + NAME + "s %13s %19s", "", "", "events in a batch:");
        line(
                out,
                "  %-" + NAME + "s %13s %9s %9s %7s %8s %6s",
                "consumer",
                "batches",
                "50 % <=",
                "99 % <=",
                "parks",
                "failures",
                "shed");
        for (Figures.Part consumer : ring.consumers().values()) {
            line(
                    out,
                    "  %-" + NAME + "s %13s %9s %9s %7s %8s %6s",
                    shortened(consumer.name(), NAME),
                    fit(consumer.value(RingCounter.CONSUMER_BATCHES), 13),
                    fit(consumer.value(RingCounter.CONSUMER_BATCH_50), 9),
                    fit(consumer.value(RingCounter.CONSUMER_BATCH_99), 9),
                    fit(consumer.value(RingCounter.CONSUMER_PARKS), 7),
                    fit(consumer.value(RingCounter.CONSUMER_FAILURES), 8),
                    fit(consumer.value(RingCounter.CONSUMER_SHED), 6));
        }
    }

    /** A labelled text over as many lines as it needs, broken between words where that is possible. */
    private static void appendFolded(StringBuilder out, String label, String text) {
        int room = WIDTH - LABEL_WIDTH;
        String rest = text.strip();
        String head = label;
        do {
            int end = rest.length() <= room ? rest.length() : rest.lastIndexOf(' ', room);
            end = end <= 0 ? Math.min(room, rest.length()) : end;
            line(out, LABEL + "%s", head, rest.substring(0, end));
            rest = rest.substring(end).strip();
            head = "";
        } while (!rest.isEmpty());
    }

    /** A number in at most so many characters: with separators, or with a unit. */
    static String fit(long value, int width) {
        String all = String.format(Locale.ROOT, "%,d", value);
        double rest = value;
        for (int i = 0; all.length() > width && i < UNITS.length; i++) {
            rest /= 1_000;
            all = String.format(Locale.ROOT, "%.1f%s", rest, UNITS[i]);
        }
        return all;
    }

    private static String rate(double rate, int width) {
        return Double.isNaN(rate) ? "-" : fit(Math.round(rate), width);
    }

    private static String shortened(String name, int width) {
        return name.length() <= width ? name : name.substring(0, width - 3) + "...";
    }

    private static void line(StringBuilder out, String format, Object... arguments) {
        out.append(String.format(Locale.ROOT, format, arguments).stripTrailing())
                .append('\n');
    }
}
