package io.sluice.perf.ordered;

import io.sluice.perf.Pinning;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Threads that work on a lane at once, each bound to a core. */
final class Team {
    /**
     * The work that they did.
     *
     * @param items how many items they completed
     * @param nanos from the first's start until all was put out
     */
    record Done(long items, long nanos) {
        double perSecond() {
            return items * 1e9 / nanos;
        }
    }

    private final Lane lane;
    private final Item[] items;
    private final int workers;
    private final CountDownLatch ready;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final long[] counts;
    private final long[] starts;

    private Team(Lane lane, Output output, int workers) {
        this.lane = lane;
        this.items = Item.ring(output, 2 * Lane.WINDOW);
        this.workers = workers;
        this.ready = new CountDownLatch(workers);
        this.counts = new long[workers];
        this.starts = new long[workers];
    }

    /** Works for a time; waits until all is put out. */
    static Done work(Lane lane, Output output, int workers, Workload workload, long nanos) throws InterruptedException {
        return new Team(lane, output, workers).work(workload, nanos);
    }

    private Done work(Workload workload, long nanos) throws InterruptedException {
        Thread[] threads = new Thread[workers];
        for (int i = 0; i < workers; i++) {
            int worker = i;
            threads[i] = new Thread(() -> run(worker, workload, nanos), "worker-" + i);
            threads[i].setDaemon(true);
            threads[i].start();
        }
        long all = 0;
        long first = Long.MAX_VALUE;
        for (int i = 0; i < workers; i++) {
            threads[i].join();
            all += counts[i];
            first = Math.min(first, starts[i]);
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("a worker failed: " + cause, cause);
        }
        lane.awaitOutput(all);
        return new Done(all, System.nanoTime() - first);
    }

    private void run(int worker, Workload workload, long nanos) {
        try {
            Pinning.pin(worker);
            ready.countDown();
            ready.await();
            starts[worker] = System.nanoTime();
            counts[worker] = workload.run(lane, items, worker, starts[worker] + nanos);
        } catch (InterruptedException | RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
    }
}
