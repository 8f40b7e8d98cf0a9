package io.sluice.perf.backpressure;

import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.perf.compare.Contestant;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** Publishes events that nobody reads. The figure is nanoseconds a publication. */
class PublishLoop implements Contestant {
    private static final int CAPACITY = 1024;
    private static final int PORTION = 1_000;

    private final RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
            .capacity(CAPACITY)
            .singleProducer()
            .build();
    private final Producer<long[]> producer = ring.producer();
    private long published;

    @Override
    public final double sample(long nanos) {
        long begin = System.nanoTime();
        long before = published;
        while (System.nanoTime() - begin < nanos) {
            publish(PORTION);
            published += PORTION;
        }
        double figure = (double) (System.nanoTime() - begin) / (published - before);
        if (ring.cursor().get() != published - 1 || ring.get(published - 1)[0] != published - 1) {
            throw new IllegalStateException("the last event is not the one that was published");
        }
        return figure;
    }

    void publish(int events) {
        for (int i = 0; i < events; i++) {
            publish();
        }
    }

    final void publish() {
        long sequence = producer.next(1);
        producer.get(sequence)[0] = sequence;
        producer.publish(sequence, sequence);
    }

    /** Each publication after a permit. */
    static final class Limited extends PublishLoop {
        private final RateLimiter limiter;

        Limited(RateLimiter limiter) {
            this.limiter = limiter;
        }

        @Override
        void publish(int events) {
            for (int i = 0; i < events; i++) {
                if (!limiter.tryAcquire(1)) {
                    throw new IllegalStateException("an unlimited limiter refused");
                }
                publish();
            }
        }
    }

    /** Each publication after one look at a word that another thread may change: the least that a limiter can do. */
    static final class Looking extends PublishLoop {
        private final BooleanSupplier limiter;

        Looking() {
            AtomicLong rate = new AtomicLong();
            limiter =
                    new BooleanSupplier() { // as a limiter is: known by its face alone
                        @Override
                        public boolean getAsBoolean() {
                            return rate.getOpaque() == 0; // opaque: must be looked at again each time, orders nothing
                        }
                    };
        }

        @Override
        void publish(int events) {
            for (int i = 0; i < events; i++) {
                if (!limiter.getAsBoolean()) {
                    throw new IllegalStateException("somebody set a rate");
                }
                publish();
            }
        }
    }
}
