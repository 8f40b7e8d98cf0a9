package io.sluice.perf.doctor;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.compare.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The costs of several things on this machine, each measured in about a second at most. An unmeasured part is null, an unmeasured time 0.
 *
 * @param stops how often and how long a thread is stopped that has a processor for itself
 * @param slices the same for two threads that share one, looking only at stops of 100 us and more
 * @param handOver how long it takes until a parked thread on another processor runs, from before it is unparked
 * @param work how long the same work takes in several situations
 * @param pages what small pages cost
 * @param stolenNanosASecond what the host gave to others meanwhile; -1 if the system does not tell
 */
record Effects(
        @Nullable Stops stops,
        @Nullable Stops slices,
        Measured.@Nullable Late handOver,
        @Nullable Work work,
        Pages.@Nullable Costs pages,
        double stolenNanosASecond) {
    static final long STOP_NANOS = 1_000;
    static final long SLICE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SHARE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int HAND_OVERS = 200;
    private static final int PAUSES = 9;
    private static final int UNITS = 300;
    private static final int WARM_UP_UNITS = 3_000;
    private static final int TURNS = 2_500;
    private static final int MOST_PROCESSORS = 64;
    private static final long FACTOR = 6_364_136_223_846_793_005L;

    /**
     * Stops of a thread that only looks at the clock.
     *
     * @param aSecond how many of them
     * @param nanosASecond how long in all, in each second
     * @param p50 the median of their lengths
     * @param max the longest
     */
    record Stops(double aSecond, double nanosASecond, long p50, long max) {}

    /**
     * The same piece of work, medians in nanoseconds.
     *
     * @param busy in a thread that works all the time
     * @param afterPause just after a pause of 50 ms
     * @param besideOthers while all other processors work too, but for those of the same core; 0 if there is none
     * @param besideSibling while another processor of the same core works; 0 if there is none
     * @param fastest on the processor where it takes the least
     * @param slowest on the one where it takes the most
     */
    record Work(
            double busy,
            double afterPause,
            double besideOthers,
            double besideSibling,
            double fastest,
            double slowest) {}

    /**
     * Measures.
     *
     * @param allowed the processors that this process may use, one at least
     * @param siblings of the first of them, itself among them or not
     * @param stop asked between the parts; once true, what follows is left out
     */
    static Effects here(List<Integer> allowed, List<Integer> siblings, BooleanSupplier stop)
            throws InterruptedException {
        int last = allowed.get(allowed.size() - 1);
        Stops stops = stop.getAsBoolean() ? null : stops(List.of(last), LOOK_NANOS, STOP_NANOS);
        Stops slices = stop.getAsBoolean() ? null : stops(List.of(last, last), SHARE_NANOS, SLICE_NANOS);
        Measured.Late handOver = stop.getAsBoolean() ? null : handOver(allowed.get(0), last);
        Work work = stop.getAsBoolean() ? null : work(allowed, siblings);
        Pages.Costs pages = stop.getAsBoolean() ? null : Pages.costs();
        return new Effects(stops, slices, handOver, work, pages, -1);
    }

    /** The same with the time that the host took meanwhile. */
    Effects stolen(double nanosASecond) {
        return new Effects(stops, slices, handOver, work, pages, nanosASecond);
    }

    /** One thread on each of these processors looks at the clock; a time of at least {@code least} between two looks was a stop. */
    static Stops stops(List<Integer> processors, long nanos, long least) throws InterruptedException {
        List<Histogram> each = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        AtomicInteger there = new AtomicInteger();
        for (int processor : processors) {
            Histogram own = Times.histogram();
            each.add(own);
            threads.add(started(processor, () -> {
                there.incrementAndGet();
                while (there.get() < processors.size()) {
                    Thread.onSpinWait();
                }
                look(System::nanoTime, nanos, least, own);
            }));
        }
        Histogram all = Times.histogram();
        for (int i = 0; i < threads.size(); i++) {
            threads.get(i).join();
            all.add(each.get(i));
        }
        double seconds = nanos / 1e9 * processors.size();
        double sum = all.getTotalCount() == 0 ? 0 : all.getMean() * all.getTotalCount();
        return new Stops(all.getTotalCount() / seconds, sum / seconds, all.getValueAtPercentile(50), all.getMaxValue());
    }

    /** Looks at a clock for so long, and writes down each time between two looks that is this long at least. */
    static void look(LongSupplier clock, long nanos, long least, Histogram stops) {
        long begin = clock.getAsLong();
        long before = begin;
        while (before - begin < nanos) {
            long now = clock.getAsLong();
            if (now - before >= least) {
                Times.record(stops, now - before);
                before = clock.getAsLong(); // to write it down is no stop
            } else {
                before = now;
            }
        }
    }

    /**
     * The time from before a parked thread is unparked until it looks at the clock, on a processor that has been idle for a millisecond.
     */
    private static Measured.Late handOver(int from, int to) throws InterruptedException {
        Histogram times = Times.histogram();
        AtomicLong given = new AtomicLong();
        AtomicInteger taken = new AtomicInteger();
        Thread woken = started(to, () -> {
            for (int i = 0; i < HAND_OVERS; i++) {
                while (given.getAcquire() == 0) { // acquire: what the waker wrote
                    LockSupport.park();
                }
                Times.record(times, System.nanoTime() - given.getAcquire()); // acquire: as above
                given.setRelease(0); // release: before the waker is told
                taken.setRelease(i + 1); // release: to the waker
            }
        });
        Thread waker = started(from, () -> {
            for (int i = 0; i < HAND_OVERS; i++) {
                LockSupport.parkNanos(IDLE_NANOS);
                given.setRelease(System.nanoTime()); // release: to the woken thread
                LockSupport.unpark(woken);
                while (taken.getAcquire() <= i) { // acquire: from the woken thread
                    Thread.onSpinWait();
                }
            }
        });
        waker.join();
        woken.join();
        return Measured.Late.of(times);
    }

    private static Work work(List<Integer> allowed, List<Integer> siblings) throws InterruptedException {
        int first = allowed.get(0);
        List<Integer> beside = siblings.stream()
                .filter(processor -> processor != first && allowed.contains(processor))
                .limit(1)
                .toList();
        List<Integer> others = allowed.stream()
                .filter(processor -> processor != first && !siblings.contains(processor))
                .limit(MOST_PROCESSORS)
                .toList();
        on(first, WARM_UP_UNITS, 0); // compiles
        double busy = on(first, UNITS, 0);
        double fastest = busy;
        double slowest = busy;
        for (int processor : allowed.subList(0, Math.min(MOST_PROCESSORS, allowed.size()))) {
            double nanos = on(processor, UNITS, 0);
            fastest = Math.min(fastest, nanos);
            slowest = Math.max(slowest, nanos);
        }
        return new Work(
                busy,
                on(first, PAUSES, PAUSE_NANOS),
                others.isEmpty() ? 0 : beside(others, first),
                beside.isEmpty() ? 0 : beside(beside, first),
                fastest,
                slowest);
    }

    /** The median of some units on a processor while others work. */
    private static double beside(List<Integer> others, int processor) throws InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger there = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int other : others) {
            threads.add(started(other, () -> {
                long sink = unit(other);
                there.incrementAndGet();
                while (!ended.getOpaque()) { // opaque: seen some time soon, orders nothing
                    sink = unit(sink);
                }
            }));
        }
        while (there.get() < others.size()) {
            LockSupport.parkNanos(IDLE_NANOS);
        }
        double nanos = on(processor, UNITS, 0);
        ended.setOpaque(true); // opaque: as above
        for (Thread thread : threads) {
            thread.join();
        }
        return nanos;
    }

    /** The median of some units on a processor, each after a pause if one is asked for. */
    private static double on(int processor, int units, long pause) throws InterruptedException {
        double[] nanos = new double[units];
        started(processor, () -> {
                    long sink = processor;
                    for (int i = 0; i < units; i++) {
                        if (pause > 0) {
                            LockSupport.parkNanos(pause);
                        }
                        long begin = System.nanoTime();
                        sink = unit(sink);
                        nanos[i] = System.nanoTime() - begin + (sink == 0 ? 1 : 0); // looks at it, so that it is done
                    }
                })
                .join();
        return Quartiles.of(nanos).median();
    }

    /** Some microseconds: eight chains at once, so that two of these threads on one core are in each other's way. */
    private static long unit(long seed) {
        long a = seed;
        long b = seed + 1;
        long c = seed + 2;
        long d = seed + 3;
        long e = seed + 4;
        long f = seed + 5;
        long g = seed + 6;
        long h = seed + 7;
        for (int i = 0; i < TURNS; i++) {
            a = a * FACTOR + i;
            b = b * FACTOR + i;
            c = c * FACTOR + i;
            d = d * FACTOR + i;
            e = e * FACTOR + i;
            f = f * FACTOR + i;
            g = g * FACTOR + i;
            h = h * FACTOR + i;
        }
        return (a ^ b ^ c ^ d ^ e ^ f ^ g ^ h) | 1;
    }

    /** A thread on a processor, or wherever the system puts it if it may not be bound. */
    private static Thread started(int processor, Runnable task) {
        Thread thread = new Thread(
                () -> {
                    Pinning.pinTo(processor);
                    task.run();
                },
                "doctor");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
