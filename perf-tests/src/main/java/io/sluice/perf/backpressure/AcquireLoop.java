package io.sluice.perf.backpressure;

import io.sluice.perf.compare.Contestant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Takes one permit after another, from one thread or several at once. The figure is nanoseconds an acquire and thread. */
final class AcquireLoop implements Contestant {
    private static final int PORTION = 1_000;

    private final Acquire acquire;
    private final int threads;

    AcquireLoop(Acquire acquire, int threads) {
        this.acquire = acquire;
        this.threads = threads;
    }

    @Override
    public double sample(long nanos) throws InterruptedException {
        if (threads == 1) {
            long begin = System.nanoTime();
            long taken = take(begin + nanos, new AtomicBoolean());
            return (double) (System.nanoTime() - begin) / taken;
        }
        CountDownLatch ready = new CountDownLatch(threads);
        CountDownLatch go = new CountDownLatch(1);
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        double[] each = new double[threads];
        Thread[] all = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            int mine = i;
            all[i] = new Thread(() -> {
                try {
                    ready.countDown();
                    go.await();
                    long begin = System.nanoTime();
                    long taken = take(begin + nanos, stopped);
                    each[mine] = (double) (System.nanoTime() - begin) / taken;
                } catch (InterruptedException | RuntimeException | Error e) {
                    failure.set(e);
                } finally {
                    stopped.set(true); // all for as long as all contend
                }
            });
            all[i].start();
        }
        ready.await();
        go.countDown();
        double sum = 0;
        for (int i = 0; i < threads; i++) {
            all[i].join();
            sum += each[i];
        }
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("an acquire failed", cause);
        }
        return sum / threads;
    }

    private long take(long until, AtomicBoolean stopped) {
        long taken = 0;
        do {
            for (int i = 0; i < PORTION; i++) {
                if (!acquire.take(1)) {
                    throw new IllegalStateException("refused, though there must be enough permits");
                }
            }
            taken += PORTION;
        } while (System.nanoTime() - until < 0 && !stopped.get());
        return taken;
    }
}
