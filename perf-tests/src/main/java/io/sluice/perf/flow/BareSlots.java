package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.perf.Pinning;

/**
 * Slots of bytes side by side, and what no ring of one producer and one consumer can leave out: the payload is written and read through
 * the same flyweight, each message is published by a release of its own, and the producer stays within a lap of the consumer. There are no
 * life cycle, no handler, no failures, no claims that can be open, no second consumer. The consumer always waits while it is close behind,
 * whatever that does to the time of a message, so that the cores hand over lines as seldom as can be.
 */
public final class BareSlots implements Exchange {
    /** So many looks at most while it is close behind, before it takes what there is. */
    private static final int MOST_LOOKS = 16;

    /** So many spin hints before each: a look takes the line from the producer. */
    private static final int HINTS = 64;

    /** Progress is told so often at least, as by the others' consumers. */
    private static final int BATCH = 1_024;

    private static final class Sum extends PaddedSum {}

    private final SafeBuffer buffer;
    private final int length;
    private final int capacity;
    private final Sequence published = new Sequence(0);
    private final Sequence handled = new Sequence(0);
    private final Sum sum = new Sum();

    private volatile boolean closed;

    /**
     * Starts the consumer, on core 1.
     *
     * @param capacity how many slots, a power of two
     * @param length how many bytes a slot holds, a multiple of 8
     */
    public BareSlots(int capacity, int length) {
        this.capacity = capacity;
        this.length = length;
        buffer = SafeBuffer.allocateDirect(capacity * length);
        Thread consumer = new Thread(this::consume, "bare-slots");
        consumer.setDaemon(true);
        consumer.start();
    }

    private void consume() {
        Pinning.pin(1);
        Figures figures = new Figures(length, buffer);
        Sum sum = this.sum;
        int mask = capacity - 1;
        int length = this.length;
        long next = 0;
        while (!closed) {
            long end = published.getAcquire(); // acquire: the payloads
            for (int i = 0; i < MOST_LOOKS && end - next < capacity / 4; i++) {
                for (int hint = 0; hint < HINTS; hint++) {
                    Thread.onSpinWait();
                }
                end = published.getAcquire(); // acquire: the payloads
            }
            end = Math.min(end, next + BATCH);
            long all = 0;
            for (long at = next; at < end; at++) {
                all += figures.wrap(buffer, ((int) at & mask) * length).sum();
            }
            sum.sum += all;
            next = end;
            handled.setRelease(next); // release: the sum, and the slots that may be written again
        }
    }

    @Override
    public Source source(int producer) {
        int mask = capacity - 1;
        int all = length;
        SafeBuffer into = buffer;
        return new Source() {
            private long next;
            private long limit = capacity;

            @Override
            public void produce(long from, int count) {
                long value = from;
                long at = next;
                for (int i = 0; i < count; i++, value++, at++) {
                    while (at >= limit) {
                        limit = handled.getAcquire() + capacity; // acquire: the slots have been read
                    }
                    Figures.encode(into, ((int) at & mask) * all, all, value, 0);
                    published.setRelease(at + 1); // release: this payload
                }
                next = at;
            }
        };
    }

    @Override
    public long handled() {
        return handled.getAcquire(); // acquire: the sum
    }

    @Override
    public long[] sums() {
        return new long[] {sum.sum};
    }

    @Override
    public void close() {
        closed = true;
    }
}
