package io.sluice.perf.lab;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Times;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Pairs of a thread that waits on a monitor and one that wakes it. The figure is the median time that the waker spends on it, from before it
 * takes the monitor until it has let it go; all times are in the detail.
 */
final class WakeUps implements Contestant {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double MEDIAN = 50;

    private final int pairs;
    private String detail = "";

    WakeUps(int pairs) {
        this.pairs = pairs;
    }

    /** One waiter and its waker. */
    private static final class Pair {
        private final Object monitor = new Object();
        private final Histogram times = Times.histogram();
        private final AtomicReference<Throwable> failure;
        private long given;
        private long taken;
        private boolean ended;

        Pair(AtomicReference<Throwable> failure) {
            this.failure = failure;
        }

        void await() {
            try {
                synchronized (monitor) {
                    while (!ended) {
                        if (given == taken) {
                            monitor.wait();
                        } else {
                            taken = given;
                            monitor.notifyAll(); // nobody waits but the waker's last look
                        }
                    }
                }
            } catch (InterruptedException e) {
                failure.set(e);
            }
        }

        void wake(long nanos) {
            long end = System.nanoTime() + nanos;
            try {
                do {
                    LockSupport.parkNanos(PAUSE_NANOS);
                    long begin = System.nanoTime();
                    synchronized (monitor) {
                        given++;
                        monitor.notifyAll();
                    }
                    Times.record(times, System.nanoTime() - begin);
                } while (System.nanoTime() - end < 0);
                synchronized (monitor) {
                    while (taken != given) {
                        monitor.wait();
                    }
                    ended = true;
                    monitor.notifyAll();
                }
            } catch (InterruptedException e) {
                failure.set(e);
            }
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Pair[] all = new Pair[pairs];
        Thread[] threads = new Thread[2 * pairs];
        for (int i = 0; i < pairs; i++) {
            Pair pair = new Pair(failure);
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
        long given = 0;
        for (Pair pair : all) {
            given += pair.given;
            together.add(pair.times);
            if (pair.taken != pair.given) {
                throw new IllegalStateException(
                        "a waiter saw " + pair.taken + ", but was woken " + pair.given + " times");
            }
        }
        if (together.getTotalCount() != given) {
            throw new IllegalStateException(
                    given + " were woken, but " + together.getTotalCount() + " times are known");
        }
        detail = Times.write(together);
        return (double) together.getValueAtPercentile(MEDIAN);
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
