package io.sluice.perf.flow;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Events a second through an exchange: the producers publish for the given time, then the last of them waits until all is handled; both
 * count. The payloads' sums are compared with the sums that were published.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields where threads share cores, as the row says
public final class Throughput implements Contestant {
    private static final int CHUNK = 1_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Supplier<? extends Exchange> maker;
    private final int producers;
    private final boolean pinned;

    /**
     * Creates a contestant.
     *
     * @param maker makes a fresh exchange for each sample
     * @param producers how many threads publish
     * @param pinned whether the one producer is to run on core 0; the exchange pins its one consumer to core 1 itself
     */
    public Throughput(Supplier<? extends Exchange> maker, int producers, boolean pinned) {
        this.maker = maker;
        this.producers = producers;
        this.pinned = pinned;
    }

    @Override
    public double sample(long nanos) throws Exception {
        try (Exchange exchange = maker.get()) {
            Run run = new Run(exchange, nanos);
            Thread[] threads = new Thread[producers];
            for (int p = 0; p < producers; p++) {
                int producer = p;
                threads[p] = new Thread(() -> run.produce(producer), "producer-" + p);
                threads[p].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            return run.eventsPerSecond();
        }
    }

    private final class Run {
        private final Exchange exchange;
        private final long nanos;
        private final long[] counts = new long[producers];
        private final CountDownLatch ready = new CountDownLatch(producers);
        private final AtomicInteger left = new AtomicInteger(producers);
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final long[] started = new long[producers];
        private long ended;

        Run(Exchange exchange, long nanos) {
            this.exchange = exchange;
            this.nanos = nanos;
        }

        void produce(int producer) {
            try {
                if (pinned) {
                    Pinning.pin(0);
                }
                Exchange.Source source = exchange.source(producer);
                ready.countDown();
                ready.await();
                long start = System.nanoTime();
                started[producer] = start;
                long produced = 0;
                do {
                    source.produce(produced, CHUNK);
                    produced += CHUNK;
                } while (System.nanoTime() - start < nanos);
                counts[producer] = produced;
                if (left.decrementAndGet() == 0) {
                    awaitHandled();
                }
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        }

        private void awaitHandled() {
            long total = total();
            long begin = System.nanoTime();
            while (!exchange.isHandled(total)) {
                if (pinned) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
                if (System.nanoTime() - begin > LIMIT_NANOS) {
                    throw new IllegalStateException("of " + total + " events not all were handled in time");
                }
            }
            ended = System.nanoTime();
        }

        private long total() {
            long total = 0;
            for (long count : counts) {
                total += count;
            }
            return total;
        }

        double eventsPerSecond() {
            if (failure.get() != null) {
                throw new IllegalStateException("a producer failed: " + failure.get(), failure.get());
            }
            long expected = 0;
            for (long count : counts) {
                expected += count * (count - 1) / 2;
            }
            for (long sum : exchange.sums()) {
                if (sum != expected) {
                    throw new IllegalStateException("the payloads' sum is " + sum + ", published was " + expected);
                }
            }
            long first = Long.MAX_VALUE;
            for (long start : started) {
                first = Math.min(first, start);
            }
            return total() * 1e9 / (ended - first);
        }
    }
}
