package io.sluice.perf.lab;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Times;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Pairs of a thread that waits on a monitor and one that wakes it. The figure is the median time that the waker spends on it, from before
 * it takes the monitor until it has let it go; all times are in the detail. Only times count in which somebody waited. A second kind of
 * pair has a thread that never waits there, so that nobody is woken.
 */
final class WakeUps implements Contestant {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double MEDIAN = 50;

    private final int pairs;
    private final boolean waits;
    private String detail = "";

    /**
     * @param pairs how many
     * @param waits whether there is a waiter in each to be woken
     */
    WakeUps(int pairs, boolean waits) {
        this.pairs = pairs;
        this.waits = waits;
    }

    /** One waiter and its waker. */
    private static final class Pair {
        private final Object monitor = new Object();
        private final Histogram times = Times.histogram();
        private final AtomicReference<Throwable> failure;
        private final boolean waits;
        private long given;
        private long taken;
        private long counted;
        private boolean waiting;
        private boolean ended;

        Pair(AtomicReference<Throwable> failure, boolean waits) {
            this.failure = failure;
            this.waits = waits;
        }

        void await() {
            try {
                synchronized (monitor) {
                    while (waits && !ended) {
                        if (given == taken) {
                            waiting = true;
                            monitor.wait();
                            waiting = false;
                        } else {
                            taken = given;
                            monitor.notifyAll(); // nobody waits but the waker's last look
                        }
                    }
                }
            } catch (InterruptedException e) {
                failure.compareAndSet(null, e);
            }
        }

        void wake(long nanos) {
            long end = System.nanoTime() + nanos;
            try {
                do {
                    LockSupport.parkNanos(PAUSE_NANOS);
                    long begin = System.nanoTime();
                    boolean counts;
                    synchronized (monitor) {
                        given++;
                        counts = waiting == waits;
                        waiting = false; // who is woken already is not woken again
                        monitor.notifyAll();
                    }
                    if (counts) {
                        counted++;
                        Times.record(times, System.nanoTime() - begin);
                    }
                } while (System.nanoTime() - end < 0 || counted == 0);
                synchronized (monitor) {
                    while (waits && taken != given) {
                        monitor.wait();
                    }
                    ended = true;
                    monitor.notifyAll();
                }
            } catch (InterruptedException e) {
                failure.compareAndSet(null, e);
            }
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Pair[] all = new Pair[pairs];
        Thread[] threads = new Thread[2 * pairs];
        for (int i = 0; i < pairs; i++) {
            Pair pair = new Pair(failure, waits);
            all[i] = pair;
            threads[2 * i] = ToAndFro.platform().start(pair::await);
            threads[2 * i + 1] = ToAndFro.platform().start(() -> pair.wake(nanos));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("a thread failed", failure.get());
        }
        Histogram together = Times.histogram();
        together.setStartTimeStamp(0);
        together.setEndTimeStamp(0);
        long counted = 0;
        for (Pair pair : all) {
            counted += pair.counted;
            together.add(pair.times);
            check(waits, pair.given, pair.taken);
        }
        checkTimes(counted, together.getTotalCount());
        detail = Times.write(together);
        return (double) together.getValueAtPercentile(MEDIAN);
    }

    static void check(boolean waits, long given, long taken) {
        if (waits && taken != given) {
            throw new IllegalStateException("a waiter saw " + taken + ", but was woken " + given + " times");
        }
    }

    static void checkTimes(long counted, long known) {
        if (known != counted) {
            throw new IllegalStateException(counted + " were woken, but " + known + " times are known");
        }
    }

    @Override
    public String detail() {
        return detail;
    }

    @Override
    public int warmUps() {
        return 3;
    }
}
