package io.sluice.perf.doctor;

import io.sluice.perf.report.svg.Labels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The times that were measured here for the topics of findings, in words: they say why each topic matters. */
final class Here {
    private static final String QUOTA = "CPU quota";
    private static final String NODES = "/sys/devices/system/node";

    private Here() {}

    /** The findings, each with the times that were measured here for its topic. */
    static List<Finding> beside(List<Finding> findings, Tree tree, Measured measured) {
        Map<String, String> words = words(tree, measured);
        return findings.stream()
                .map(finding -> finding.measured(
                        finding.topic().equals(QUOTA) && finding.level() == Finding.Level.FINE
                                ? "" // there is none that anyone could wait for
                                : words.getOrDefault(finding.topic(), "")))
                .toList();
    }

    /** The words by topic, without the topics for which nothing was measured. */
    private static Map<String, String> words(Tree tree, Measured measured) {
        Map<String, String> words = new LinkedHashMap<>();
        Effects effects = measured.effects();
        if (effects != null) {
            ofWork(words, effects.work());
            ofStops(words, effects);
            ofPages(words, effects.pages());
        }
        Measured.Late wakeUp = measured.wakeUp();
        if (wakeUp != null) {
            words.merge("sleep states", "a thread that slept 1 ms woke late: " + wakeUp.words(), Here::and);
        }
        Measured.Late hiccups = measured.hiccups();
        if (hiccups != null) {
            String late = "a thread that only looks at the clock was late: " + hiccups.words();
            words.merge("isolated cores", late, Here::and);
            words.merge("virtualisation", late, Here::and);
            words.merge(QUOTA, late, Here::and);
        }
        if (measured.clockNanos() > 0) {
            words.put("clock", "a look costs " + Labels.nanos(measured.clockNanos()));
        }
        Measured.Distances distances = measured.distances();
        if (distances != null) {
            ofNodes(words, tree, distances);
            if (!distances.words().isEmpty()) {
                words.merge("sleep states", "a thread that spins sees a line after " + distances.words(), Here::and);
                words.merge("virtualisation", "the way between its cores is " + distances.words(), Here::and);
            }
        }
        return words;
    }

    private static String and(String one, String other) {
        return one + "; " + other;
    }

    private static void ofWork(Map<String, String> words, Effects.@Nullable Work work) {
        if (work == null) {
            return;
        }
        String unit = "work that takes " + Labels.nanos(work.busy()) + " in a busy thread takes ";
        words.put("governor", unit + Labels.nanos(work.afterPause()) + " just after a pause of 50 ms");
        if (work.besideOthers() > 0) {
            words.put("turbo", unit + Labels.nanos(work.besideOthers()) + " while all other cores work too");
        }
        words.put(
                "kinds of cores",
                "the same work takes " + Labels.nanos(work.fastest()) + " on the fastest processor, "
                        + Labels.nanos(work.slowest()) + " on the slowest");
        if (work.besideSibling() > 0) {
            words.put("SMT", unit + Labels.nanos(work.besideSibling()) + " while its sibling works too");
        }
    }

    private static void ofStops(Map<String, String> words, Effects effects) {
        Effects.Stops stops = effects.stops();
        if (stops != null) {
            String text = text(
                    "a running thread was stopped %.0f times a second, for %s in the median, %s at most, %s of each second",
                    stops.aSecond(),
                    Labels.nanos((double) stops.p50()),
                    Labels.nanos((double) stops.max()),
                    Labels.nanos(stops.nanosASecond()));
            words.put("timer ticks", text);
            words.put("interrupts", text);
        }
        Effects.Stops slices = effects.slices();
        if (slices != null) {
            words.put(
                    "cores for spinners",
                    slices.aSecond() == 0
                            ? "two threads that spun on one processor were not stopped for 100 \u00b5s or more"
                            : text(
                                    "of two threads that spun on one processor each waited for it for %s in the median, %s at most",
                                    Labels.nanos((double) slices.p50()), Labels.nanos((double) slices.max())));
        }
        Measured.Late handOver = effects.handOver();
        if (handOver != null) {
            words.put("sleep states", "a parked thread ran so long after it was unparked: " + handOver.words());
        }
        if (effects.stolenNanosASecond() >= 0) {
            words.put(
                    "steal time",
                    "meanwhile " + Labels.nanos(effects.stolenNanosASecond()) + " of each second of all processors");
        }
    }

    private static void ofPages(Map<String, String> words, Pages.@Nullable Costs pages) {
        if (pages != null) {
            words.put(
                    "large pages",
                    text(
                            "a step at random through 64 MiB takes %s with small pages, %s where large ones were asked for",
                            Labels.nanos(pages.smallNanos()), Labels.nanos(pages.largeNanos())));
            words.put("heap pages", "the first touch of 4 KiB takes " + Labels.nanos(pages.firstTouchNanos()));
        }
    }

    /** The way between processors of one node, and of two. */
    private static void ofNodes(Map<String, String> words, Tree tree, Measured.Distances distances) {
        Map<Integer, Integer> nodes = new LinkedHashMap<>();
        for (int node : Lists.numbers(tree.text(NODES + "/online"))) {
            Lists.numbers(tree.text(NODES + "/node" + node + "/cpulist"))
                    .forEach(processor -> nodes.put(processor, node));
        }
        List<Double> within = new ArrayList<>();
        List<Double> across = new ArrayList<>();
        double[][] values = distances.values();
        for (int row = 0; row < values.length; row++) {
            for (int column = 0; column < values.length; column++) {
                Integer from = nodes.get(distances.processors().get(row));
                Integer to = nodes.get(distances.processors().get(column));
                if (from != null && to != null && !Double.isNaN(values[row][column])) {
                    (from.equals(to) ? within : across).add(values[row][column]);
                }
            }
        }
        if (!within.isEmpty() && !across.isEmpty()) {
            words.put(
                    "NUMA",
                    text(
                            "a cache line takes %.0f ns one way within a node, %.0f ns to another, in the mean",
                            mean(within), mean(across)));
        }
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
