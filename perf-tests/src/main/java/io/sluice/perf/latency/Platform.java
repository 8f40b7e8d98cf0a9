package io.sluice.perf.latency;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Times;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;

/**
 * The delays that the machine, the system and the JVM cause by themselves (the idea of Gil Tene's jHiccup): on each of the two cores a
 * thread does nothing but look at the clock. Imagined events are due every microsecond; the time of an event runs from when it was due
 * until the thread saw the clock. A thread that is stopped for a millisecond is late for a thousand events.
 */
public final class Platform implements Contestant {
    private static final int CORES = 2;
    private static final long INTERVAL_NANOS = 1_000;
    private static final long UNCOUNTED_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final double percentile;
    private final Histogram histogram = Times.histogram();

    /**
     * Creates one.
     *
     * @param percentile which percentile is the figure
     */
    public Platform(double percentile) {
        this.percentile = percentile;
    }

    @Override
    public double sample(long nanos) throws Exception {
        histogram.reset();
        histogram.setStartTimeStamp(System.currentTimeMillis());
        Histogram[] each = new Histogram[CORES];
        Thread[] threads = new Thread[CORES];
        AtomicInteger there = new AtomicInteger();
        for (int core = 0; core < CORES; core++) {
            Histogram own = Times.histogram();
            each[core] = own;
            int number = core;
            threads[core] = new Thread(() -> watch(number, nanos, own, there), "clock-" + core);
            threads[core].setDaemon(true);
            threads[core].start();
        }
        for (int core = 0; core < CORES; core++) {
            threads[core].join();
            histogram.add(each[core]);
        }
        histogram.setEndTimeStamp(System.currentTimeMillis());
        long expected = CORES * (nanos / INTERVAL_NANOS);
        if (histogram.getTotalCount() != expected) {
            throw new IllegalStateException(
                    "the clock was seen " + histogram.getTotalCount() + " times, due were " + expected);
        }
        return (double) histogram.getValueAtPercentile(percentile);
    }

    private static void watch(int core, long nanos, Histogram histogram, AtomicInteger there) {
        Pinning.pin(core);
        there.incrementAndGet();
        while (there.get() < CORES) {
            Thread.onSpinWait();
        }
        long start = System.nanoTime() + UNCOUNTED_NANOS;
        long due = start;
        long end = start + nanos / INTERVAL_NANOS * INTERVAL_NANOS;
        while (due - end < 0) {
            long now = System.nanoTime();
            for (; due - now <= 0 && due - end < 0; due += INTERVAL_NANOS) {
                Times.record(histogram, now - due);
            }
        }
    }

    @Override
    public String detail() {
        return Times.write(histogram);
    }
}
