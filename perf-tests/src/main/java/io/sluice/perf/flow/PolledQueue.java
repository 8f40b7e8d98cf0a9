package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.perf.Pinning;
import java.util.Queue;

/**
 * A queue of pooled events, offered and polled by spinning, as people use it who do not take a ring. The events are made beforehand and go
 * round, so that payload memory moves as in a ring.
 */
@SuppressWarnings("ThreadPriorityCheck") // yields where threads share cores, as the row says
public final class PolledQueue implements Exchange {
    /** The number of events beyond those that the queue holds: one may still be read after it was polled. */
    private static final int SPARE = 64;

    private static final class Total extends PaddedSum {}

    private final Queue<Event> queue;
    private final int capacity;
    private final boolean bounded;
    private final boolean pinned;
    private final Sequence handled = new Sequence(0);
    private final Total result = new Total();
    private final Thread consumer;

    private volatile boolean closed;

    /**
     * Starts the consumer.
     *
     * @param queue empty
     * @param capacity how much it may hold
     * @param bounded whether it refuses more by itself; else the producers look at the consumer's progress
     * @param pinned whether the consumer runs on core 1; else it and the producers yield instead of spinning
     */
    public PolledQueue(Queue<Event> queue, int capacity, boolean bounded, boolean pinned) {
        this.queue = queue;
        this.capacity = capacity;
        this.bounded = bounded;
        this.pinned = pinned;
        this.consumer = new Thread(this::consume, "queue");
        consumer.setDaemon(true);
        consumer.start();
    }

    private void consume() {
        if (pinned) {
            Pinning.pin(1);
        }
        Queue<Event> from = queue;
        long count = 0;
        long total = 0;
        int unsaid = 0;
        while (!closed) {
            Event event = from.poll();
            if (event != null) {
                total += event.value;
                count++;
                if (++unsaid == SPARE / 2) {
                    unsaid = 0;
                    result.sum = total;
                    handled.setRelease(count); // release: the sum, and that the events were read
                }
            } else {
                unsaid = 0;
                result.sum = total;
                handled.setRelease(count); // release: the sum, and that the events were read
                if (pinned) {
                    Thread.onSpinWait();
                } else {
                    Thread.yield();
                }
            }
        }
    }

    @Override
    public Source source(int producer) {
        return new Pooled();
    }

    private final class Pooled implements Source {
        private final Event[] pool = new Event[capacity + SPARE];
        private int next;
        private long limit = bounded ? Long.MAX_VALUE : capacity;

        Pooled() {
            for (int i = 0; i < pool.length; i++) {
                pool[i] = new Event();
            }
        }

        @Override
        public void produce(long from, int count) {
            Queue<Event> to = queue;
            long value = from;
            for (int i = 0; i < count; i++, value++) {
                while (value >= limit) { // only with one producer: its values are its counts
                    limit = handled.getAcquire() + capacity; // acquire: the events were read
                    if (value >= limit) {
                        pause();
                    }
                }
                Event event = pool[next];
                next = next + 1 == pool.length ? 0 : next + 1;
                event.value = value;
                while (!to.offer(event)) {
                    pause();
                }
            }
        }

        private void pause() {
            if (pinned) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    @Override
    public long handled() {
        return handled.getAcquire(); // acquire: pairs with consume()
    }

    @Override
    public long[] sums() {
        return new long[] {result.sum};
    }

    @Override
    public void close() {
        closed = true;
    }
}
