package io.sluice.perf.lab;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Two threads that hand a number to and fro. The figure is nanoseconds a round trip. */
final class ToAndFro implements Contestant {
    private static final int CHECK_EVERY = 64;
    private static final long END = -1;
    private static final long JOIN_MILLIS = 50;

    private final Supplier<Baton> batons;
    private final boolean pinned;
    private final Starter starter;
    private long echoed;

    /** Starts threads. */
    interface Starter {
        Thread start(Runnable task);
    }

    ToAndFro(Supplier<Baton> batons, boolean pinned, Starter starter) {
        this.batons = batons;
        this.pinned = pinned;
        this.starter = starter;
    }

    @Override
    public double sample(long nanos) throws Exception {
        echoed = 0;
        Baton baton = batons.get();
        double[] figure = new double[1];
        long[] trips = new long[1];
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread echo = starter.start(() -> guarded(failure, 1, () -> echo(baton)));
        Thread asker = starter.start(() -> guarded(failure, 0, () -> {
            long number = 1;
            baton.give(1, number);
            check(baton.take(0, 0), number); // until both are there
            long begin = System.nanoTime();
            long now;
            do {
                for (int i = 0; i < CHECK_EVERY; i++) {
                    number++;
                    baton.give(1, number);
                    check(baton.take(0, number - 1), number);
                }
                now = System.nanoTime();
            } while (now - begin < nanos);
            trips[0] = number;
            figure[0] = (now - begin) / (double) (number - 1);
            baton.give(1, END);
        }));
        while (echo.isAlive() || asker.isAlive()) {
            asker.join(JOIN_MILLIS);
            echo.join(JOIN_MILLIS);
            if (failure.get() != null) {
                asker.interrupt();
                echo.interrupt();
                baton.abandon();
                break;
            }
        }
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw new IllegalStateException("a thread failed", thrown);
        }
        if (echoed != trips[0]) {
            throw new IllegalStateException(echoed + " numbers came back, but " + trips[0] + " were sent");
        }
        return figure[0];
    }

    /** The task of a thread. */
    private interface Task {
        void run() throws InterruptedException;
    }

    private void guarded(AtomicReference<Throwable> failure, int core, Task task) {
        try {
            if (pinned) {
                Pinning.pin(core);
            }
            task.run();
        } catch (Throwable e) { // whatever it is, the other thread waits for this one and must be told
            failure.compareAndSet(null, e); // the first one counts
        }
    }

    private void echo(Baton baton) throws InterruptedException {
        long last = 0;
        for (; ; ) {
            long value = baton.take(1, last);
            if (value == END) {
                return;
            }
            if (value != last + 1) {
                throw new IllegalStateException("number " + value + " came after " + last);
            }
            last = value;
            echoed++;
            baton.give(0, value);
        }
    }

    private static void check(long value, long expected) {
        if (value != expected) {
            throw new IllegalStateException("number " + value + " came back, but " + expected + " was sent");
        }
    }

    @Override
    public int warmUps() {
        return 6; // its loop is compiled in the first of them
    }

    static Starter platform() {
        return task -> {
            Thread thread = new Thread(task, "lab");
            thread.setDaemon(true);
            thread.start();
            return thread;
        };
    }
}
