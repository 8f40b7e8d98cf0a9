package io.sluice.perf.backpressure;

import io.sluice.backpressure.RateLimiter;
import io.sluice.perf.compare.Contestant;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.jspecify.annotations.Nullable;

/** Publishes events that nobody reads, each after a permit if there is a limiter. The figure is nanoseconds a publication. */
final class PublishLoop implements Contestant {
    private static final int CAPACITY = 1024;
    private static final int PORTION = 1_000;

    private final RingBuffer<long[]> ring = RingBuffer.builder(() -> new long[1])
            .capacity(CAPACITY)
            .singleProducer()
            .build();
    private final Producer<long[]> producer = ring.producer();
    private final @Nullable RateLimiter limiter;
    private long published;

    PublishLoop(@Nullable RateLimiter limiter) {
        this.limiter = limiter;
    }

    @Override
    public double sample(long nanos) {
        long begin = System.nanoTime();
        long before = published;
        while (System.nanoTime() - begin < nanos) {
            if (limiter == null) {
                publish();
            } else {
                publish(limiter);
            }
        }
        double figure = (double) (System.nanoTime() - begin) / (published - before);
        if (ring.cursor().get() != published - 1 || ring.get(published - 1)[0] != published - 1) {
            throw new IllegalStateException("the last event is not the one that was published");
        }
        return figure;
    }

    private void publish() {
        for (int i = 0; i < PORTION; i++) {
            long sequence = producer.next(1);
            producer.get(sequence)[0] = sequence;
            producer.publish(sequence, sequence);
        }
        published += PORTION;
    }

    private void publish(RateLimiter limits) {
        for (int i = 0; i < PORTION; i++) {
            if (!limits.tryAcquire(1)) {
                throw new IllegalStateException("an unlimited limiter refused");
            }
            long sequence = producer.next(1);
            producer.get(sequence)[0] = sequence;
            producer.publish(sequence, sequence);
        }
        published += PORTION;
    }
}
