package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.perf.Pinning;

/**
 * Messages side by side, each behind a header of 8 bytes, with only the work that no ring of several producers and one consumer can leave
 * out: a message is claimed by one addition, written and read through the same flyweight, and published by a release of its header;
 * producers stay within a lap of the consumer. All messages have one length, so the consumer needs no header to know where the next one is.
 * There are no life cycle, no handler, no failures, no padding, no claims that can be open, no second consumer.
 */
public final class BareMessages implements Exchange {
    private static final int HEADER = Long.BYTES;

    /** A pinned consumer that finds fewer messages rests a moment, so that the cores hand over cache lines as seldom as possible. */
    private static final int CLOSE_BEHIND = 256;

    /** The number of spin hints of such a rest. */
    private static final int HINTS = 512;

    /** The consumer tells its progress after this many events at most, as the consumers of the others do. */
    private static final int BATCH = 1_024;

    private static final class Sum extends PaddedSum {}

    private final SafeBuffer buffer;
    private final int length;
    private final int capacity;
    private final boolean pinned;
    private final Runnable waits;
    private final Sequence claims = new Sequence(0);
    private final Sequence handled = new Sequence(0);
    private final Sum sum = new Sum();

    private volatile boolean closed;

    /**
     * Starts the consumer.
     *
     * @param bytes how many bytes all messages have at least
     * @param length how many bytes a message has, a multiple of 8
     * @param pinned whether the consumer is bound to core 1
     * @param waits called by a thread that waits
     */
    public BareMessages(int bytes, int length, boolean pinned, Runnable waits) {
        this.length = length;
        this.pinned = pinned;
        this.waits = waits;
        capacity = slots(bytes, length);
        buffer = SafeBuffer.allocateDirect(capacity * (HEADER + length));
        Thread consumer = new Thread(this::consume, "bare-messages");
        consumer.setDaemon(true);
        consumer.start();
    }

    /**
     * The number of messages that take so many bytes with their headers, or more.
     *
     * @param bytes of all
     * @param length of one
     * @return a power of two
     */
    public static int slots(int bytes, int length) {
        return Integer.highestOneBit(bytes / (HEADER + length) * 2 - 1);
    }

    private int at(long message) {
        return ((int) message & (capacity - 1)) * (HEADER + length);
    }

    private void consume() {
        if (pinned) {
            Pinning.pin(1);
        }
        Figures figures = new Figures(length, buffer);
        long next = 0;
        while (!closed) {
            long first = next;
            long all = 0;
            while (next - first < BATCH && buffer.getLongAcquire(at(next)) == next + 1) { // acquire: the payload
                all += figures.wrap(buffer, at(next) + HEADER).sum();
                next++;
            }
            sum.sum += all;
            handled.setRelease(next); // release: the sum, and the slots that may be written again
            if (next == first) {
                waits.run();
            } else if (pinned && next - first < CLOSE_BEHIND) {
                for (int hint = 0; hint < HINTS; hint++) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Override
    public Source source(int producer) {
        return new Source() {
            private long limit = capacity;

            @Override
            public void produce(long from, int count) {
                long value = from;
                for (int i = 0; i < count; i++, value++) {
                    long message = claims.getAndAdd(1); // an addition in one instruction: unique
                    while (message >= limit) {
                        waits.run();
                        limit = handled.getAcquire() + capacity; // acquire: the slots have been read
                    }
                    int at = at(message);
                    Figures.encode(buffer, at + HEADER, length, value, 0);
                    buffer.putLongRelease(at, message + 1); // release: this payload
                }
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
