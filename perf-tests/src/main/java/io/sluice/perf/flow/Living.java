package io.sluice.perf.flow;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Events a second through an exchange that lives on from sample to sample, with its threads and its backlog, as in a program that runs for
 * days. The producers publish without end. A sample counts the events that the slowest consumer handled in its window. The sums of all
 * payloads are compared once, at the end, with the sums that were published.
 */
@SuppressWarnings("ThreadPriorityCheck") // waits at the end, where threads may share cores
public final class Living implements Contestant {
    private static final int CHUNK = 1_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** The time between the call and the window, in which the threads come back to their cores and caches. */
    private static final long SETTLE_MILLIS = 3;

    /** A look at the progress that took longer than this was interrupted, and is repeated. */
    private static final long PROMPT_NANOS = 5_000;

    private static final int MOST_LOOKS = 100;

    private final Supplier<? extends Exchange> maker;
    private final boolean pinned;
    private final long limitNanos;
    private final long[] counts;
    private final Thread[] threads;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    private @Nullable Exchange exchange;
    private volatile boolean ended;

    /**
     * Creates a contestant; it begins with its first sample.
     *
     * @param maker makes the one exchange
     * @param producers how many threads publish
     * @param pinned whether the one producer is to run on core 0; the exchange pins its one consumer to core 1 itself
     */
    public Living(Supplier<? extends Exchange> maker, int producers, boolean pinned) {
        this(maker, producers, pinned, LIMIT_NANOS);
    }

    /** With another time after which an exchange that moves nothing is given up. */
    Living(Supplier<? extends Exchange> maker, int producers, boolean pinned, long limitNanos) {
        this.maker = maker;
        this.pinned = pinned;
        this.limitNanos = limitNanos;
        this.counts = new long[producers];
        this.threads = new Thread[producers];
    }

    /** The progress of the slowest consumer, and the time of the look at it. */
    private record Look(long nanos, long handled) {
        static Look at(Exchange exchange) {
            long before = System.nanoTime();
            long handled = exchange.handled();
            long after = System.nanoTime();
            for (int i = 0; after - before > PROMPT_NANOS && i < MOST_LOOKS; i++) {
                before = after;
                handled = exchange.handled();
                after = System.nanoTime();
            }
            return new Look(after, handled);
        }
    }

    @Override
    public double sample(long nanos) throws Exception {
        Exchange living = exchange == null ? begin() : exchange;
        Thread.sleep(SETTLE_MILLIS);
        Look first = Look.at(living);
        TimeUnit.NANOSECONDS.sleep(nanos);
        Look last = Look.at(living);
        checkProducers();
        while (last.handled == first.handled) {
            if (last.nanos - first.nanos > limitNanos) {
                throw new IllegalStateException("no event was handled in " + (last.nanos - first.nanos) + " ns");
            }
            TimeUnit.NANOSECONDS.sleep(nanos); // other programs may have both cores
            last = Look.at(living);
            checkProducers();
        }
        return (last.handled - first.handled) * 1e9 / (last.nanos - first.nanos);
    }

    private Exchange begin() {
        Exchange made = maker.get();
        exchange = made;
        for (int p = 0; p < threads.length; p++) {
            int producer = p;
            threads[p] = new Thread(() -> produce(made, producer), "producer-" + p);
            threads[p].setDaemon(true);
            threads[p].start();
        }
        return made;
    }

    private void produce(Exchange to, int producer) {
        try {
            if (pinned) {
                Pinning.pin(0);
            }
            Exchange.Source source = to.source(producer);
            long produced = 0;
            while (!ended) {
                source.produce(produced, CHUNK);
                produced += CHUNK;
            }
            counts[producer] = produced;
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
        }
    }

    private void checkProducers() {
        if (failure.get() != null) {
            throw new IllegalStateException("a producer failed: " + failure.get(), failure.get());
        }
    }

    @Override
    public boolean runsOn() {
        return true;
    }

    @Override
    public void finish() throws Exception {
        Exchange living = exchange;
        if (living == null) {
            return;
        }
        ended = true;
        for (Thread thread : threads) {
            thread.join(TimeUnit.NANOSECONDS.toMillis(LIMIT_NANOS));
        }
        checkProducers();
        try (living) {
            awaitHandled(living);
            checkSums(living);
        }
    }

    private void awaitHandled(Exchange living) {
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        long begin = System.nanoTime();
        while (!living.isHandled(total)) {
            Thread.yield();
            if (System.nanoTime() - begin > limitNanos) {
                throw new IllegalStateException("of " + total + " events not all were handled in time");
            }
        }
    }

    private void checkSums(Exchange living) {
        long expected = 0;
        for (long count : counts) {
            expected += count / 2 * (count - 1); // an even count; wraps around as the consumers' sums do
        }
        for (long sum : living.sums()) {
            if (sum != expected) {
                throw new IllegalStateException("the payloads' sum is " + sum + ", published was " + expected);
            }
        }
    }
}
