package io.sluice.perf.flow;

import io.sluice.perf.compare.Contestant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * A number of events through a fresh exchange, as LMAX's own throughput tests do it: nobody is pinned, the clock runs from the first claim
 * until the last event is handled, and nothing runs before the first run. A sample's time is not looked at.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields where threads share cores, as those tests do
public final class Counted implements Contestant {
    private static final int TENS = 10;

    private final Supplier<? extends Exchange> maker;
    private final int producers;
    private final int share;

    /**
     * Creates a contestant.
     *
     * @param maker makes an exchange for each run
     * @param producers how many threads publish, each its share
     * @param events how many events a run has; rounded down to tens for each producer
     */
    public Counted(Supplier<? extends Exchange> maker, int producers, int events) {
        this.maker = maker;
        this.producers = producers;
        this.share = events / producers / TENS * TENS;
        if (share == 0) {
            throw new IllegalArgumentException(
                    "events must be ten for each of " + producers + " producers at least, but was " + events);
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        long total = (long) share * producers;
        CountDownLatch ready = new CountDownLatch(producers + 1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Exchange exchange = maker.get()) {
            for (int p = 0; p < producers; p++) {
                int producer = p;
                Thread thread = new Thread(() -> produce(exchange, producer, ready, failure), "producer-" + p);
                thread.setDaemon(true);
                thread.start();
            }
            while (ready.getCount() > 1) {
                Thread.yield();
            }
            long start = System.nanoTime();
            ready.countDown();
            while (!exchange.isHandled(total)) {
                Thread.sleep(1); // as those tests do: who yields here would be a third thread on the cores of the two
                if (failure.get() != null) {
                    throw new IllegalStateException("a producer failed: " + failure.get(), failure.get());
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            check(exchange.sums());
            return total / seconds;
        }
    }

    private void produce(Exchange exchange, int producer, CountDownLatch ready, AtomicReference<Throwable> failure) {
        try {
            Exchange.Source source = exchange.source(producer);
            ready.countDown();
            ready.await();
            source.produce(0, share);
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
        }
    }

    private void check(long[] sums) {
        long expected = share * (share - 1L) / 2 * producers;
        for (long sum : sums) {
            if (sum != expected) {
                throw new IllegalStateException("the payloads' sum is " + sum + ", published was " + expected);
            }
        }
    }

    /** Nothing: those tests begin cold, and print every run. */
    @Override
    public int warmUps() {
        return 0;
    }
}
