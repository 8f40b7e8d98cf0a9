package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.perf.Pinning;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.RingBuffer;

/** One of Agrona's ring buffers of bytes, claimed and encoded in place, through a handler and a flyweight. */
public final class AgronaClaims implements Exchange {
    private static final int TYPE = 1;
    private static final int READ_LIMIT = 1024;

    private static final class Sum extends PaddedSum implements MessageHandler {
        private final Figures figures;

        Sum(int length, DirectBuffer none) {
            figures = new Figures(length, none);
        }

        @Override
        public void onMessage(int type, MutableDirectBuffer buffer, int index, int length) {
            sum += figures.wrap(buffer, index).sum();
        }
    }

    private final RingBuffer ring;
    private final int length;
    private final Sequence handled = new Sequence(0);
    private final Sum handler;
    private final boolean pinned;
    private final Runnable idle;

    private volatile boolean closed;

    /**
     * Starts the consumer, on core 1.
     *
     * @param ring empty
     * @param length how many bytes a message has, a multiple of 8
     */
    public AgronaClaims(RingBuffer ring, int length) {
        this(ring, length, true, Thread::onSpinWait);
    }

    /**
     * Starts the consumer.
     *
     * @param pinned whether it runs on core 1
     * @param idle what it does where there is nothing, and what a producer does where there is no room
     */
    AgronaClaims(RingBuffer ring, int length, boolean pinned, Runnable idle) {
        this.idle = idle;
        this.pinned = pinned;
        this.ring = ring;
        this.length = length;
        this.handler = new Sum(length, ring.buffer());
        Thread consumer = new Thread(this::consume, "agrona");
        consumer.setDaemon(true);
        consumer.start();
    }

    private void consume() {
        if (pinned) {
            Pinning.pin(1);
        }
        Runnable idle = this.idle;
        MessageHandler handler = this.handler;
        long count = 0;
        while (!closed) {
            int read = ring.read(handler, READ_LIMIT);
            if (read > 0) {
                count += read;
                handled.setRelease(count); // release: the sum
            } else {
                idle.run();
            }
        }
    }

    @Override
    public Source source(int producer) {
        AtomicBuffer buffer = ring.buffer();
        int all = length;
        return (from, count) -> {
            long value = from;
            for (int i = 0; i < count; i++, value++) {
                int index;
                while ((index = ring.tryClaim(TYPE, all)) < 0) {
                    idle.run();
                }
                Figures.encode(buffer, index, all, value, 0);
                ring.commit(index);
            }
        };
    }

    @Override
    public long handled() {
        return handled.getAcquire(); // acquire: pairs with consume()
    }

    @Override
    public long[] sums() {
        return new long[] {handler.sum};
    }

    @Override
    public void close() {
        closed = true;
    }
}
