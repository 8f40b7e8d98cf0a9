package io.sluice.perf.aeron;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Times;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Messages at intended times, evenly: the median from when each was due. With several ways, the sum of their medians, one after the
 * other at the same rate. The detail is the histogram of the first.
 */
final class Delay implements Contestant {
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** One in so many messages comes first and is not counted. */
    private static final int UNCOUNTED_SHARE = 10;

    /** The messages between two looks of the driver, which tells the publication how far its subscriber has come. */
    private static final int MESSAGES_BETWEEN = 1_024;

    private final List<Way.Maker> makers;
    private final double interval;
    private final Histogram[] histograms;

    Delay(double messagesPerSecond, Way.Maker... makers) {
        this.makers = List.of(makers);
        interval = 1e9 / messagesPerSecond;
        histograms = new Histogram[makers.length];
        for (int i = 0; i < makers.length; i++) {
            histograms[i] = Times.histogram();
        }
    }

    @Override
    public double sample(long nanos) {
        double sum = 0;
        for (int i = 0; i < makers.size(); i++) {
            sum += median(makers.get(i), histograms[i], nanos / makers.size());
        }
        return sum;
    }

    private double median(Way.Maker maker, Histogram histogram, long nanos) {
        histogram.reset();
        histogram.setStartTimeStamp(System.currentTimeMillis());
        long counted = Math.max(1, (long) (nanos / interval));
        long all = counted + counted / UNCOUNTED_SHARE;
        // the receiving thread works out by itself when each message was due
        long[] start = {0};
        long[] place = {0};
        try (Passage passage = new Passage(maker, at -> start[0] + (long) (at * interval), due -> {
            long now = System.nanoTime();
            if (place[0]++ >= all - counted) {
                Times.record(histogram, now - due);
            }
        })) {
            Way way = passage.way();
            start[0] = System.nanoTime() + LEAD_NANOS; // seen by the receiver behind the first message
            for (long message = 0; message < all; message++) {
                long due = start[0] + (long) (message * interval);
                while (System.nanoTime() - due < 0) {
                    Thread.onSpinWait();
                }
                passage.send(due);
                way.flush();
                if (message % MESSAGES_BETWEEN == 0) {
                    way.housekeep();
                }
            }
            passage.await(all);
        }
        histogram.setEndTimeStamp(System.currentTimeMillis());
        return histogram.getValueAtPercentile(50);
    }

    @Override
    public String detail() {
        return Times.write(histograms[0]);
    }
}
