package io.sluice.perf.safepoint;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The times that the threads took to stop, each time that a thread dump was asked for: from the log of safepoints. */
final class SafepointTimes {
    private static final Pattern LINE =
            Pattern.compile("Safepoint \"" + Child.OPERATION + "\",.*?\\bReaching safepoint:\\s*(\\d+) ns");

    private final long[] sorted;

    private SafepointTimes(long[] sorted) {
        this.sorted = sorted;
    }

    /**
     * Reads a log of {@code -Xlog:safepoint}.
     *
     * @param lines the log
     * @param asked how many thread dumps were asked for
     * @throws IllegalStateException if the log tells of fewer
     */
    static SafepointTimes of(List<String> lines, int asked) {
        long[] nanos = lines.stream()
                .map(LINE::matcher)
                .filter(Matcher::find)
                .mapToLong(line -> Long.parseLong(line.group(1)))
                .toArray();
        if (nanos.length < asked) {
            throw new IllegalStateException(
                    "the JVM's log tells of " + nanos.length + " safepoints for thread dumps, asked"
                            + " for were " + asked + "; its last line: "
                            + (lines.isEmpty() ? "none" : lines.get(lines.size() - 1)));
        }
        Arrays.sort(nanos);
        return new SafepointTimes(nanos);
    }

    int count() {
        return sorted.length;
    }

    /**
     * The time that so many per cent of them did not exceed.
     *
     * @param percent above 0, up to 100
     */
    long at(double percent) {
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return sorted[Math.max(rank, 1) - 1];
    }
}
