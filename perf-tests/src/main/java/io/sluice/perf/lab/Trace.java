package io.sluice.perf.lab;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.report.svg.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;

/**
 * The course of one sample over time.
 *
 * @param contestant whose
 * @param label its label
 * @param stepNanos how long one step takes
 * @param slowest the longest latency of the events that were due in each step, in nanoseconds
 * @param pauses of the collector
 * @param stops at safepoints, those of the collector among them
 */
record Trace(String contestant, String label, long stepNanos, List<Long> slowest, List<Stop> pauses, List<Stop> stops) {
    private static final String WORD = "trace";
    private static final int PARTS = 5;

    Trace {
        slowest = List.copyOf(slowest);
        pauses = List.copyOf(pauses);
        stops = List.copyOf(stops);
    }

    /**
     * A time in which all threads stood still.
     *
     * @param from when it began, in nanoseconds from the first event
     * @param nanos how long it took
     */
    record Stop(long from, long nanos) {}

    /** One line, to be the detail of a sample. */
    static String write(long stepNanos, long[] slowest, List<Stop> pauses, List<Stop> stops) {
        StringJoiner all = new StringJoiner(",");
        Arrays.stream(slowest).forEach(each -> all.add(Long.toString(each)));
        return String.join(" ", WORD, Long.toString(stepNanos), all.toString(), text(pauses), text(stops));
    }

    private static String text(List<Stop> stops) {
        StringJoiner text = new StringJoiner(",", "[", "]");
        stops.forEach(stop -> text.add(stop.from + ":" + stop.nanos));
        return text.toString();
    }

    /** Reads what {@link #write} wrote. */
    static Trace read(String contestant, String label, String detail) {
        String[] parts = detail.split(" ", -1);
        if (parts.length != PARTS || !parts[0].equals(WORD)) {
            throw new IllegalArgumentException("detail must be a trace, but was '" + detail + "'");
        }
        return new Trace(
                contestant,
                label,
                Long.parseLong(parts[1]),
                Arrays.stream(parts[2].split(",", -1)).map(Long::parseLong).toList(),
                stops(parts[3]),
                stops(parts[4]));
    }

    private static List<Stop> stops(String text) {
        List<Stop> stops = new ArrayList<>();
        for (String one : text.substring(1, text.length() - 1).split(",", -1)) {
            int colon = one.indexOf(':');
            if (colon > 0) {
                stops.add(new Stop(Long.parseLong(one.substring(0, colon)), Long.parseLong(one.substring(colon + 1))));
            }
        }
        return stops;
    }

    /** The last one of each contestant that has traces. */
    static List<Trace> of(List<Entry> entries, List<Measurement.Sample> samples) {
        List<Trace> traces = new ArrayList<>();
        for (Entry entry : entries) {
            samples.stream()
                    .filter(sample -> sample.contestant().equals(entry.id())
                            && sample.detail().startsWith(WORD + " "))
                    .reduce((before, after) -> after)
                    .ifPresent(sample -> traces.add(read(entry.id(), entry.label(), sample.detail())));
        }
        return traces;
    }

    /** The number and the length of the stops of all threads, of all samples of each contestant. */
    static List<String> notes(Measurement measurement) {
        List<String> notes = new ArrayList<>();
        List<String> contestants = measurement.samples().stream()
                .map(Measurement.Sample::contestant)
                .distinct()
                .sorted()
                .toList();
        for (String contestant : contestants) {
            List<Trace> traces = measurement.samples().stream()
                    .filter(sample -> sample.contestant().equals(contestant)
                            && sample.detail().startsWith(WORD + " "))
                    .map(sample -> read(contestant, contestant, sample.detail()))
                    .toList();
            long slowest = traces.stream()
                    .flatMap(trace -> trace.slowest.stream())
                    .mapToLong(Long::longValue)
                    .max()
                    .orElse(0);
            notes.add(contestant + ": "
                    + words(
                            traces.stream()
                                    .flatMap(trace -> trace.pauses.stream())
                                    .toList(),
                            "collector pauses")
                    + "; "
                    + words(
                            traces.stream()
                                    .flatMap(trace -> trace.stops.stream())
                                    .toList(),
                            "stops at safepoints")
                    + "; the slowest event took " + Labels.nanos((double) slowest) + ".");
        }
        return notes;
    }

    private static String words(List<Stop> stops, String what) {
        long longest = stops.stream().mapToLong(Stop::nanos).max().orElse(0);
        long all = stops.stream().mapToLong(Stop::nanos).sum();
        return stops.size() + " " + what
                + (stops.isEmpty()
                        ? ""
                        : ", " + Labels.nanos((double) all) + " in all, the longest " + Labels.nanos((double) longest));
    }

    /** Corners of a line that stands at one height, and higher while all stood still. */
    static double[][] corners(List<Stop> stops, double end, double base, boolean byLength) {
        List<double[]> corners = new ArrayList<>();
        corners.add(new double[] {0, base});
        double last = 0;
        for (Stop stop : stops) {
            double from = Math.max(last, stop.from / 1e6);
            double to = Math.max(from, (stop.from + stop.nanos) / 1e6);
            if (to > end) {
                break;
            }
            double height = byLength ? Math.max(base, (double) stop.nanos) : Double.POSITIVE_INFINITY;
            corners.add(new double[] {from, base});
            corners.add(new double[] {from, height});
            corners.add(new double[] {to, height});
            corners.add(new double[] {to, base});
            last = to;
        }
        corners.add(new double[] {end, base});
        double[][] lines = new double[2][corners.size()];
        for (int i = 0; i < corners.size(); i++) {
            lines[0][i] = corners.get(i)[0];
            lines[1][i] = corners.get(i)[1];
        }
        return lines;
    }
}
