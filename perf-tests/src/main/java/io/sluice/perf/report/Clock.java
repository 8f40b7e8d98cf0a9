package io.sluice.perf.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * The clock that times are read from, {@link System#nanoTime()}.
 *
 * @param source where the system takes it from, or why that is not known
 * @param callNanos what a call costs
 * @param stepNanos the smallest step that was seen between two calls
 */
public record Clock(String source, double callNanos, long stepNanos) {
    private static final Path SOURCE = Path.of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    private static final int TURNS = 20;
    private static final int CALLS = 20_000;

    /**
     * Looks at this machine's clock: some milliseconds.
     *
     * @return its description
     */
    public static Clock here() {
        double[] costs = new double[TURNS];
        long step = Long.MAX_VALUE;
        for (int turn = 0; turn < TURNS; turn++) {
            long begin = System.nanoTime();
            long last = begin;
            for (int i = 0; i < CALLS; i++) {
                long now = System.nanoTime();
                if (now > last) {
                    step = Math.min(step, now - last);
                }
                last = now;
            }
            costs[turn] = (last - begin) / (double) CALLS;
        }
        Arrays.sort(costs);
        return new Clock(systemSource(), costs[TURNS / 2], step);
    }

    private static String systemSource() {
        try {
            return Files.readString(SOURCE).strip();
        } catch (IOException e) {
            return "not told";
        }
    }

    /** All of it in one line. */
    String description() {
        return String.format(
                Locale.ROOT,
                "System.nanoTime(), %.1f ns a call, smallest step %d ns, source %s",
                callNanos,
                stepNanos,
                source);
    }
}
