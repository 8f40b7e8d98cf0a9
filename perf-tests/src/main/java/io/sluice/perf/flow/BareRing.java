package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.perf.Pinning;

/**
 * The work that no ring of one producer and one consumer can leave out: the producer writes each event and publishes it by a release of its
 * own, the consumer reads each event, and the producer stays within a lap of the consumer. There are no life cycle, no handler, no
 * failures, no claims that can be open, no second consumer. The consumer always waits while it is close behind, no matter how long an event
 * then takes, so that the cores hand over cache lines as seldom as possible.
 */
abstract class BareRing implements Exchange {
    /** The most looks at the cursor while the consumer is close behind, before it takes the published events. */
    private static final int MOST_LOOKS = 16;

    /** The number of spin hints before each look, since a look takes the cache line from the producer. */
    private static final int HINTS = 64;

    /** The consumer tells its progress after this many events at most, as the consumers of the others do. */
    private static final int BATCH = 1_024;

    private static final class Sum extends PaddedSum {}

    private final int capacity;
    private final Sequence published = new Sequence(0);
    private final Sequence handled = new Sequence(0);
    private final Sum sum = new Sum();

    private volatile boolean closed;

    /**
     * For subclasses, which {@link #start} it once their slots are there.
     *
     * @param capacity how many slots, a power of two
     */
    BareRing(int capacity) {
        this.capacity = capacity;
    }

    /** Starts the consumer, on core 1. */
    final void start(String name) {
        Thread consumer = new Thread(this::consume, name);
        consumer.setDaemon(true);
        consumer.start();
    }

    /** Writes a payload into its slot. The producer's thread. */
    abstract void write(long at, long value);

    /** Adds up the payloads of a range. The consumer's thread. */
    abstract long read(long from, long end);

    private void consume() {
        Pinning.pin(1);
        Sum sum = this.sum;
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
            sum.sum += read(next, end);
            next = end;
            handled.setRelease(next); // release: the sum, and the slots that may be written again
        }
    }

    @Override
    public final Source source(int producer) {
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
                    write(at, value);
                    published.setRelease(at + 1); // release: this payload
                }
                next = at;
            }
        };
    }

    @Override
    public final long handled() {
        return handled.getAcquire(); // acquire: the sum
    }

    @Override
    public final long[] sums() {
        return new long[] {sum.sum};
    }

    @Override
    public final void close() {
        closed = true;
    }
}
