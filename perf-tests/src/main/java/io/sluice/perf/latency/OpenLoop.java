package io.sluice.perf.latency;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Times;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Events sent at intended times, whether or not those before have arrived. An event's latency runs from when it was to be sent, not from
 * when its sender got to it: the time that it waits behind a pause, or behind its own burst, counts (no coordinated omission). The figure
 * is the median in nanoseconds; the detail is the histogram, and with bursts the median of each burst's last event. All events must arrive,
 * and in order. A lane that carries one word has no room for the time at which an event was due: there the receiver counts the events and
 * computes it.
 */
final class OpenLoop implements Contestant {
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** One in so many events comes first and is not counted, while threads and memory get ready. */
    private static final int UNCOUNTED_SHARE = 10;

    private final Lane.Transport transport;
    private final Pace pace;
    private final boolean carriesTimes;
    private final Histogram histogram = Times.histogram();
    private final Histogram lasts = Times.histogram();
    /** The time at which the first event is due; plain: the lane carries it along with that event. */
    private long start;

    /**
     * @param transport makes the lane
     * @param pace when events are due
     */
    OpenLoop(Lane.Transport transport, Pace pace) {
        this(transport, pace, true);
    }

    private OpenLoop(Lane.Transport transport, Pace pace, boolean carriesTimes) {
        this.transport = transport;
        this.pace = pace;
        this.carriesTimes = carriesTimes;
    }

    /** Over lanes that carry one word. */
    static OpenLoop ofWords(Lane.Transport transport, Pace pace) {
        return new OpenLoop(transport, pace, false);
    }

    /** Takes the times. */
    private class Arrivals extends OneWay.Arrivals {
        private final int group = pace.group();
        private final boolean timesAll = pace.timesAll();
        private final boolean bursts = pace.isBursts();
        private final long uncounted;
        private final long count;
        private int place;

        Arrivals(long uncounted, long count) {
            this.uncounted = uncounted;
            this.count = count;
        }

        @Override
        public void received(long value, long due) {
            boolean timed = timesAll || place == 0;
            long now = timed ? System.nanoTime() : due;
            long before = arrived(value);
            boolean last = ++place == group;
            if (last) {
                place = 0;
            }
            if (timed && before >= uncounted) {
                Times.record(histogram, now - due);
                if (bursts && last) {
                    Times.record(lasts, now - due);
                }
            }
            if (before + 1 == count) {
                end();
            }
        }
    }

    /** Takes the times of events that do not say when they were due. */
    private final class Words extends Arrivals {
        private final int size = pace.group();
        private final double interval = pace.nanos();
        private long group;
        private int left;
        private long due;

        Words(long uncounted, long count) {
            super(uncounted, count);
        }

        @Override
        public void received(long value, long none) {
            if (left == 0) {
                left = size;
                due = due(start, group++, interval);
            }
            left--;
            super.received(value, due);
        }
    }

    private static long due(long first, long group, double interval) {
        return first + (long) (group * interval);
    }

    @Override
    public double sample(long nanos) throws Exception {
        histogram.reset();
        lasts.reset();
        histogram.setStartTimeStamp(System.currentTimeMillis());
        long counted = Math.max(1, (long) (nanos / pace.nanos()));
        long uncounted = counted / UNCOUNTED_SHARE;
        long groups = counted + uncounted;
        long before = uncounted * pace.group();
        long all = groups * pace.group();
        Arrivals arrivals = carriesTimes ? new Arrivals(before, all) : new Words(before, all);
        OneWay.run(transport, arrivals, to -> send(to, groups), nanos);
        histogram.setEndTimeStamp(System.currentTimeMillis());
        return (double) histogram.getValueAtPercentile(50);
    }

    private long send(Lane.Sender to, long groups) {
        double interval = pace.nanos();
        int size = pace.group();
        long first = System.nanoTime() + LEAD_NANOS;
        start = first;
        long value = 0;
        for (long group = 0; group < groups; group++) {
            long due = due(first, group, interval);
            while (System.nanoTime() - due < 0) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < size; i++) {
                to.send(value++, due);
            }
        }
        return value;
    }

    @Override
    public String detail() {
        String all = Times.write(histogram);
        return pace.isBursts() ? Figure.LAST_OF_BURST.beside(all, (double) lasts.getValueAtPercentile(50)) : all;
    }
}
