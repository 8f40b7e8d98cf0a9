package io.sluice.perf.dropin;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;

/** Three threads that publish, and one that adds up the values that they publish: the run, the same for all kinds of rings. */
abstract class ThreeProducers implements Workload {
    static final int THREE = 3;

    final Summing sum = new Summing();

    /** The number of events that each of them publishes. */
    final int share;

    private final int values;

    /**
     * Divides the events.
     *
     * @param events in all; the remainder of a division by three is left out
     * @param values of an event: the number of the event within its share, and those behind it
     */
    ThreeProducers(int events, int values) {
        share = events / THREE;
        this.values = values;
    }

    /** A consumer at work. */
    interface Consumer {
        /** Waits for its end. */
        void end() throws InterruptedException;
    }

    /** Starts the consumer. */
    abstract Consumer consumer();

    /** Publishes a share. On a thread of its own. */
    abstract void publish(int producer);

    @Override
    public final double[] run() throws Exception {
        long events = (long) THREE * share;
        CountDownLatch latch = sum.expect(events);
        double rate;
        Consumer consumer = consumer();
        try {
            CyclicBarrier begin = startProducers();
            begin.await();
            long start = System.nanoTime();
            Consumers.await(List.of(latch));
            rate = events / ((System.nanoTime() - start) / 1e9);
        } finally {
            consumer.end();
        }
        sum.check(events * values * (share - 1 + values - 1) / 2);
        return new double[] {rate};
    }

    /** They begin together with the caller, who has to pass the barrier too. */
    private CyclicBarrier startProducers() {
        CyclicBarrier begin = new CyclicBarrier(THREE + 1);
        for (int i = 0; i < THREE; i++) {
            int producer = i;
            Thread thread = new Thread(
                    () -> {
                        try {
                            begin.await();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                        publish(producer);
                    },
                    "producer-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        return begin;
    }
}
