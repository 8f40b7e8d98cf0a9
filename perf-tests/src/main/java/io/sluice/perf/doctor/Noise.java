package io.sluice.perf.doctor;

import io.sluice.perf.report.svg.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Findings from measurements alone: how late a busy thread is, and how far the processors are from each other. */
final class Noise {
    private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final double TWICE = 2;

    private Noise() {}

    static List<Finding> of(Measured measured) {
        List<Finding> findings = new ArrayList<>();
        findings.add(hiccups(measured));
        findings.add(distances(measured));
        return findings;
    }

    private static Finding hiccups(Measured measured) {
        Measured.Late late = measured.hiccups();
        if (late == null) {
            return Finding.unknown(
                    "hiccups",
                    "they were not measured, which takes two processors",
                    "Whoever is stopped, by the system or by the host, is late by that, whatever library it uses.");
        }
        String what = "a thread that only looks at the clock was late: " + late.words();
        return late.max() < LATE_NANOS
                ? Finding.fine("hiccups", what)
                : Finding.costs(
                        "hiccups",
                        what,
                        "No program here can be better than that: an event that is due then waits for up to "
                                + Labels.nanos((double) late.max()) + ". What mends it stands at the other findings.");
    }

    private static Finding distances(Measured measured) {
        Measured.Distances distances = measured.distances();
        if (distances == null || distances.words().isEmpty()) {
            return Finding.unknown(
                    "core distances",
                    "they were not measured, which takes two processors that threads may be bound to",
                    "Each event of a ring crosses from one core to another, twice or more.");
        }
        double[][] values = distances.values();
        double nearest = Double.MAX_VALUE;
        double farthest = 0;
        String pair = "";
        for (int row = 0; row < values.length; row++) {
            for (int column = 0; column < row; column++) {
                double mean = (values[row][column] + values[column][row]) / 2; // NaN where one was not measured
                if (mean < nearest) {
                    nearest = mean;
                    pair = distances.processors().get(column) + ","
                            + distances.processors().get(row);
                }
                farthest = Math.max(farthest, Double.isNaN(mean) ? 0 : mean);
            }
        }
        String what = "a cache line takes " + distances.words();
        return farthest <= TWICE * nearest || pair.isEmpty()
                ? Finding.fine("core distances", what)
                : Finding.hinders(
                        "core distances",
                        what + "; nearest are " + pair,
                        String.format(
                                Locale.ROOT,
                                "Each hop of an event between the farthest two costs %.0f ns more than between the nearest.",
                                farthest - nearest),
                        "taskset -c " + pair + " java \u2026");
    }
}
