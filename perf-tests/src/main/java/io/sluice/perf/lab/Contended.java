package io.sluice.perf.lab;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * Threads that all do the same as fast as they can. The operations of each are counted, and the sum is compared with a count that they
 * share. The figure is nanoseconds an operation, of all threads together. The detail is the ratio of the busiest thread's operations to the
 * laziest thread's. Platform threads are pinned where each has a core; a virtual thread would pin its carrier for all that come after it.
 */
final class Contended implements Contestant {
    static final int CORES = Pinning.available();

    static final int CHECK_EVERY = 100;

    /** The counter that the threads share. */
    interface Shared {
        /** Adds one, so many times; called by each thread. */
        void add(int times);

        /** The number of additions; asked when all threads are done. */
        long count();
    }

    private final int threads;
    private final boolean virtual;
    private final Supplier<Shared> maker;
    private String detail = "";

    /**
     * @param threads how many
     * @param virtual whether they are virtual threads
     * @param maker of what they share, for each sample
     */
    Contended(int threads, boolean virtual, Supplier<Shared> maker) {
        this.threads = threads;
        this.virtual = virtual;
        this.maker = maker;
    }

    @Override
    public double sample(long nanos) throws Exception {
        Shared shared = maker.get();
        ToAndFro.Starter starter = virtual ? Virtual::start : ToAndFro.platform();
        CountDownLatch there = new CountDownLatch(threads);
        long[] done = new long[threads];
        long[] ends = new long[threads];
        long[] begins = new long[threads];
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int number = i;
            all[i] = starter.start(() -> {
                try {
                    if (!virtual && threads <= CORES) {
                        Pinning.pin(number % CORES % 64);
                    }
                    there.countDown();
                    there.await();
                    long begin = System.nanoTime();
                    begins[number] = begin;
                    done[number] = work(shared, now -> now - begin - nanos);
                    ends[number] = System.nanoTime();
                } catch (Throwable e) { // whatever it is, the others must not wait for this one
                    failure.compareAndSet(null, e); // the first one counts
                    there.countDown();
                }
            });
        }
        for (Thread thread : all) {
            thread.join();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("a thread failed", failure.get());
        }
        long sum = Arrays.stream(done).sum();
        if (shared.count() != sum) {
            throw new IllegalStateException(
                    "the threads counted " + sum + ", but together they have " + shared.count());
        }
        long begin = begins[0];
        long end = ends[0];
        for (int i = 1; i < threads; i++) { // the clock's origin is arbitrary, so only differences are compared
            begin = begins[i] - begin < 0 ? begins[i] : begin;
            end = ends[i] - end > 0 ? ends[i] : end;
        }
        long most = Arrays.stream(done).max().orElse(1);
        long least = Arrays.stream(done).min().orElse(1);
        detail = threads == 1 ? "" : String.format(Locale.ROOT, "%.2f", most / (double) Math.max(1, least));
        return (end - begin) / (double) sum;
    }

    private static long work(Shared shared, LongUnaryOperator beyond) {
        long done = 0;
        do {
            shared.add(CHECK_EVERY);
            done += CHECK_EVERY;
        } while (beyond.applyAsLong(System.nanoTime()) < 0);
        return done;
    }

    @Override
    public String detail() {
        return detail;
    }

    @Override
    public int warmUps() {
        return 6; // its loop is compiled in the first of them
    }
}
