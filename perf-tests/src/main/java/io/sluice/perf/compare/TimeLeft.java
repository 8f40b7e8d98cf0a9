package io.sluice.perf.compare;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The time that a run still takes, judged by the rows that are done. For one thread. */
final class TimeLeft {
    private static final double SECONDS_A_MINUTE = 60;

    private final int rows;
    private int done;
    private long nanos;
    private long began;

    /** @param rows how many there are */
    TimeLeft(int rows) {
        this.rows = rows;
    }

    void begin() {
        began = System.nanoTime();
    }

    void end() {
        done++;
        nanos += System.nanoTime() - began;
    }

    /** The text before each line of progress: the number of the row, and the time left. */
    @Override
    public String toString() {
        if (done == 0) {
            return "row 1 of " + rows + ", ";
        }
        double each = nanos / (double) done;
        double left = Math.max(0, each * (rows - done) - (System.nanoTime() - began));
        return String.format(
                Locale.ROOT,
                "row %d of %d, about %.0f min left, ",
                done + 1,
                rows,
                Math.ceil(left / (TimeUnit.SECONDS.toNanos(1) * SECONDS_A_MINUTE)));
    }
}
