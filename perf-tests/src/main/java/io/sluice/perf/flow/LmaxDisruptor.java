package io.sluice.perf.flow;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.Pinning;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;

/** The LMAX Disruptor, built by its own builder. */
public final class LmaxDisruptor implements Exchange {
    private static final class Sum extends PaddedSum implements EventHandler<Event> {
        @Override
        public void onEvent(Event event, long sequence, boolean endOfBatch) {
            sum += event.value;
        }
    }

    private final Disruptor<Event> disruptor;
    private final int batch;
    private final Sum[] handlers;

    /**
     * Builds a disruptor and starts its consumers.
     *
     * @param type SINGLE or MULTI
     * @param capacity the number of slots
     * @param wait how consumers wait
     * @param shape the shape of the consumers
     * @param batch events a claim: 1 or 10
     * @param pinned whether the one consumer is to run on core 1
     */
    public LmaxDisruptor(
            ProducerType type,
            int capacity,
            Supplier<? extends WaitStrategy> wait,
            Shape shape,
            int batch,
            boolean pinned) {
        this.batch = batch;
        ThreadFactory threads = task -> {
            Thread thread = new Thread(
                    () -> {
                        if (pinned) {
                            Pinning.pin(1);
                        }
                        task.run();
                    },
                    "lmax");
            thread.setDaemon(true);
            return thread;
        };
        disruptor = new Disruptor<>(Event::new, capacity, threads, type, wait.get());
        handlers = new Sum[shape.consumers()];
        for (int i = 0; i < handlers.length; i++) {
            handlers[i] = new Sum();
        }
        switch (shape) {
            case ONE, MULTICAST -> disruptor.handleEventsWith(handlers);
            case PIPELINE ->
                disruptor.handleEventsWith(handlers[0]).then(handlers[1]).then(handlers[2]);
            case DIAMOND -> disruptor.handleEventsWith(handlers[0], handlers[1]).then(handlers[2]);
        }
        disruptor.start();
    }

    @Override
    public Source source(int producer) {
        RingBuffer<Event> ring = disruptor.getRingBuffer();
        return batch == 1 ? new OneByOne(ring) : new InBatches(ring, batch);
    }

    private record OneByOne(RingBuffer<Event> ring) implements Source {
        @Override
        public void produce(long from, int count) {
            RingBuffer<Event> to = ring;
            long value = from;
            for (int i = 0; i < count; i++) {
                long sequence = to.next();
                to.get(sequence).value = value++;
                to.publish(sequence);
            }
        }
    }

    private record InBatches(RingBuffer<Event> ring, int batch) implements Source {
        @Override
        public void produce(long from, int count) {
            RingBuffer<Event> to = ring;
            int n = batch;
            long value = from;
            for (int i = 0; i < count; i += n) {
                long hi = to.next(n);
                long lo = hi - n + 1;
                for (long sequence = lo; sequence <= hi; sequence++) {
                    to.get(sequence).value = value++;
                }
                to.publish(lo, hi);
            }
        }
    }

    @Override
    public long handled() {
        long least = Long.MAX_VALUE;
        for (Sum handler : handlers) {
            least = Math.min(least, disruptor.getSequenceValueFor(handler));
        }
        return least + 1;
    }

    @Override
    public long[] sums() {
        long[] sums = new long[handlers.length];
        for (int i = 0; i < sums.length; i++) {
            sums[i] = handlers[i].sum;
        }
        return sums;
    }

    @Override
    public void close() {
        disruptor.halt();
    }
}
