package io.sluice.perf.latency;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Times;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * A load that changes every five milliseconds: five million events a second at intended times, then as many as go. In a slow phase the time
 * of each event is taken, from when it was due: the backlog of the fast phase before counts. The figure is the median of the slow phases in
 * nanoseconds. Beside it stands the number of events a second that were handled in the fast phases: from the intended beginning of each
 * until the last event of it was handled.
 */
final class ChangingLoad implements Contestant {
    static final long PHASE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long CYCLE_NANOS = 2 * PHASE_NANOS;
    private static final long INTERVAL_NANOS = 200;
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** In a fast phase the sender looks at the clock once in so many events. */
    private static final int UNLOOKED = 64;
    /** Travels with an event of a fast phase, in place of its time. */
    private static final long FAST = 0;
    /** Travels with the last event. */
    private static final long END = -1;

    private final Lane.Transport transport;
    private final Histogram histogram = Times.histogram();
    private double fastPerSecond;

    /** @param transport makes the lane */
    ChangingLoad(Lane.Transport transport) {
        this.transport = transport;
    }

    /** Takes the times of the slow phases, and counts the events of the fast ones. The first cycle is not counted. */
    private final class Arrivals extends OneWay.Arrivals {
        private final long origin;
        private long fast;
        private long fastEvents;
        private long fastNanos;
        private boolean counting;

        Arrivals(long origin) {
            this.origin = origin;
        }

        @Override
        public void received(long value, long time) {
            arrived(value);
            if (time == FAST) {
                fast++;
            } else if (time == END) {
                end();
            } else {
                slow(System.nanoTime() - origin, time);
            }
        }

        private void slow(long now, long due) {
            if (fast > 0) { // the first of a slow phase, due when the fast one was to end
                if (counting) {
                    fastEvents += fast;
                    fastNanos += now - (due - PHASE_NANOS);
                }
                fast = 0;
                counting = true;
            }
            if (counting) {
                Times.record(histogram, now - due);
            }
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        histogram.reset();
        histogram.setStartTimeStamp(System.currentTimeMillis());
        int cycles = 1 + (int) Math.max(1, nanos / CYCLE_NANOS);
        long origin = System.nanoTime();
        Arrivals arrivals = new Arrivals(origin);
        OneWay.run(transport, arrivals, to -> send(to, origin, cycles), cycles * CYCLE_NANOS);
        histogram.setEndTimeStamp(System.currentTimeMillis());
        fastPerSecond = arrivals.fastEvents * 1e9 / arrivals.fastNanos;
        return (double) histogram.getValueAtPercentile(50);
    }

    /** All times are relative to the origin, and so above 0. */
    private static long send(Lane.Sender to, long origin, int cycles) {
        long value = 0;
        long begin = System.nanoTime() - origin + LEAD_NANOS;
        for (int cycle = 0; cycle < cycles; cycle++) {
            value = slow(to, value, origin, begin);
            begin += CYCLE_NANOS;
            value = fast(to, value, origin + begin);
        }
        to.send(value++, begin); // ends the last fast phase
        to.send(value++, END);
        return value;
    }

    private static long slow(Lane.Sender to, long first, long origin, long begin) {
        long value = first;
        for (long due = begin; due < begin + PHASE_NANOS; due += INTERVAL_NANOS) {
            while (System.nanoTime() - origin - due < 0) {
                Thread.onSpinWait();
            }
            to.send(value++, due);
        }
        return value;
    }

    private static long fast(Lane.Sender to, long first, long end) {
        long value = first;
        do {
            for (int i = 0; i < UNLOOKED; i++) {
                to.send(value++, FAST);
            }
        } while (System.nanoTime() - end < 0);
        return value;
    }

    @Override
    public String detail() {
        return Figure.FAST_PHASES.beside(Times.write(histogram), fastPerSecond);
    }
}
