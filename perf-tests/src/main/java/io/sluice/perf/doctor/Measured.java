package io.sluice.perf.doctor;

import io.sluice.perf.compare.Probe;
import io.sluice.perf.compare.Times;
import io.sluice.perf.latency.Platform;
import io.sluice.perf.report.Clock;
import io.sluice.perf.report.svg.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of this machine; each part may be missing.
 *
 * @param hiccups how late threads were that only look at the clock
 * @param wakeUp how late a thread was that slept a millisecond
 * @param clockNanos what a look at the clock costs; 0 if it was not measured
 * @param distances how far cores are from each other
 * @param effects what the things cost that findings are about
 */
record Measured(
        @Nullable Late hiccups,
        @Nullable Late wakeUp,
        double clockNanos,
        @Nullable Distances distances,
        @Nullable Effects effects) {
    static final Measured NOTHING = new Measured(null, null, 0, null, null);

    private static final int WAKE_UPS = 300;
    private static final long PAIRS_MILLIS = 20_000;
    private static final long MOST_MILLIS = 100;
    private static final int LEAST_MILLIS = 5;
    private static final int TRIES = 5;
    private static final int MOST_PROCESSORS = 64;
    private static final int HIGHEST_PROCESSOR = 1024; // what a thread can be bound to
    private static final double P50 = 50;
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    /**
     * The lateness of something, in nanoseconds.
     *
     * @param count how often it was looked at
     * @param p50 the median
     * @param p99 one in a hundred was later
     * @param p999 one in a thousand was
     * @param max the latest
     */
    record Late(long count, long p50, long p99, long p999, long max) {
        static Late of(Histogram histogram) {
            return new Late(
                    histogram.getTotalCount(),
                    histogram.getValueAtPercentile(P50),
                    histogram.getValueAtPercentile(P99),
                    histogram.getValueAtPercentile(P999),
                    histogram.getMaxValue());
        }

        String words() {
            return "p50 " + Labels.nanos((double) p50) + ", p99 " + Labels.nanos((double) p99) + ", p99.9 "
                    + Labels.nanos((double) p999) + ", max " + Labels.nanos((double) max);
        }
    }

    /**
     * Nanoseconds that a cache line takes one way between each two processors.
     *
     * @param processors their numbers
     * @param nanos by row and column, in the order of the processors; null where nothing was measured
     * @param left how many further processors were left out
     */
    record Distances(List<Integer> processors, List<List<@Nullable Double>> nanos, int left) {
        Distances {
            processors = List.copyOf(processors);
        }

        List<String> names() {
            return processors.stream().map(String::valueOf).toList();
        }

        double[][] values() {
            double[][] values = new double[processors.size()][processors.size()];
            for (int row = 0; row < values.length; row++) {
                for (int column = 0; column < values.length; column++) {
                    Double value = nanos.get(row).get(column);
                    values[row][column] = value == null ? Double.NaN : value;
                }
            }
            return values;
        }

        /** A picture in text: a line for each processor. */
        List<String> lines() {
            List<String> lines = new ArrayList<>();
            StringBuilder head = new StringBuilder("     ");
            processors.forEach(processor -> head.append(String.format(Locale.ROOT, "%5d", processor)));
            lines.add(head.toString());
            double[][] values = values();
            for (int row = 0; row < values.length; row++) {
                StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%5d", processors.get(row)));
                for (double value : values[row]) {
                    line.append(Double.isNaN(value) ? "    ." : String.format(Locale.ROOT, "%5.0f", value));
                }
                lines.add(line.toString());
            }
            return lines;
        }

        /** Nearest and farthest; empty without a figure. */
        String words() {
            double[] all = Arrays.stream(values())
                    .flatMapToDouble(Arrays::stream)
                    .filter(value -> !Double.isNaN(value))
                    .toArray();
            return all.length == 0
                    ? ""
                    : String.format(
                            Locale.ROOT,
                            "%.0f to %.0f ns one way%s",
                            Arrays.stream(all).min().orElse(0),
                            Arrays.stream(all).max().orElse(0),
                            left == 0 ? "" : ", " + left + " further processors left out");
        }
    }

    /**
     * Measures on this machine.
     *
     * @param seconds how long to look for hiccups
     * @param allowed the processors that this process may use
     * @param siblings those that share the core of the first of them
     * @param stop asked between the parts; once true, what follows is left out
     * @param progress told what is measured
     */
    static Measured here(
            int seconds, List<Integer> allowed, List<Integer> siblings, BooleanSupplier stop, Consumer<String> progress)
            throws Exception {
        progress.accept("clock");
        double clock = Clock.here().callNanos();
        progress.accept("waking up");
        Late wakeUp = lateWakeUp();
        Distances distances = null;
        if (allowed.size() > 1 && !stop.getAsBoolean()) {
            progress.accept("core distances");
            distances = distances(allowed, stop);
        }
        Late hiccups = null;
        if (!stop.getAsBoolean()) {
            progress.accept("hiccups, " + seconds + " s");
            hiccups = hiccups(seconds, allowed.size(), stop);
        }
        Effects effects = null;
        if (!allowed.isEmpty() && !stop.getAsBoolean()) {
            progress.accept("what each thing costs, about 4 s");
            effects = Effects.here(allowed, siblings, stop);
        }
        return new Measured(hiccups, wakeUp, clock, distances, effects);
    }

    /** The same with the time that the host took meanwhile, in nanoseconds a second; -1 if that is not known. */
    Measured stolen(double nanosASecond) {
        return effects == null
                ? this
                : new Measured(hiccups, wakeUp, clockNanos, distances, effects.stolen(nanosASecond));
    }

    /** Null on one core, where two threads that watch the clock would delay each other. */
    private static @Nullable Late hiccups(int seconds, int cores, BooleanSupplier stop) throws Exception {
        if (cores < 2) {
            return null;
        }
        Platform platform = new Platform(P99);
        platform.sample(TimeUnit.MILLISECONDS.toNanos(100)); // compiles
        Histogram all = Times.histogram();
        for (int i = 0; i < seconds && !stop.getAsBoolean(); i++) {
            platform.sample(TimeUnit.SECONDS.toNanos(1));
            all.add(Times.read(platform.detail()));
        }
        return all.getTotalCount() == 0 ? null : Late.of(all);
    }

    private static Late lateWakeUp() {
        Histogram histogram = Times.histogram();
        for (int i = 0; i < WAKE_UPS; i++) {
            long due = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            Times.record(histogram, System.nanoTime() - due);
        }
        return Late.of(histogram);
    }

    /** Every pair, in both roles; the time for each gets shorter with the number of pairs. */
    static Distances distances(List<Integer> allowed, BooleanSupplier stop) throws InterruptedException {
        List<Integer> some = allowed.stream()
                .filter(processor -> processor < HIGHEST_PROCESSOR)
                .limit(MOST_PROCESSORS)
                .toList();
        int pairs = some.size() * (some.size() - 1);
        long millis = Math.max(LEAST_MILLIS, Math.min(MOST_MILLIS, PAIRS_MILLIS / Math.max(1, pairs)));
        List<List<@Nullable Double>> nanos = new ArrayList<>();
        for (int from : some) {
            List<@Nullable Double> row = new ArrayList<>();
            for (int to : some) {
                double value = from == to || stop.getAsBoolean()
                        ? Double.NaN
                        : least(() -> Probe.oneWayNanos(Math.max(1, millis / TRIES), from, to));
                row.add(Double.isNaN(value) ? null : Double.valueOf(value));
            }
            nanos.add(row);
        }
        return new Distances(some, nanos, allowed.size() - some.size());
    }

    /** Measures once. */
    interface Try {
        double nanos() throws InterruptedException;
    }

    /** The least of some tries, since other work on one of the two processors makes a try longer, and nothing makes it shorter. */
    static double least(Try probe) throws InterruptedException {
        double least = Double.NaN;
        for (int i = 0; i < TRIES; i++) {
            double nanos = probe.nanos();
            least = Double.isNaN(least) || nanos < least ? nanos : least;
        }
        return least;
    }
}
