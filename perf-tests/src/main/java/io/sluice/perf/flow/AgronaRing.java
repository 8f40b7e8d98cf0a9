package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.perf.Pinning;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.RingBuffer;

/** One of Agrona's ring buffers of bytes, with messages of 8 bytes. */
public final class AgronaRing implements Exchange {
    private static final int TYPE = 1;
    private static final int READ_LIMIT = 1024;

    private static final class Sum extends PaddedSum implements MessageHandler {
        @Override
        public void onMessage(int type, MutableDirectBuffer buffer, int index, int length) {
            sum += ((DirectBuffer) buffer).getLong(index);
        }
    }

    private final RingBuffer ring;
    private final Thread consumer;
    private final Sequence handled = new Sequence(0);
    private final Sum handler = new Sum();

    private volatile boolean closed;

    /**
     * Starts the consumer, on core 1.
     *
     * @param ring empty
     */
    public AgronaRing(RingBuffer ring) {
        this.ring = ring;
        this.consumer = new Thread(this::consume, "agrona");
        consumer.setDaemon(true);
        consumer.start();
    }

    private void consume() {
        Pinning.pin(1);
        MessageHandler handler = this.handler;
        long count = 0;
        while (!closed) {
            int read = ring.read(handler, READ_LIMIT);
            if (read > 0) {
                count += read;
                handled.setRelease(count); // release: the sum
            } else {
                Thread.onSpinWait();
            }
        }
    }

    @Override
    public Source source(int producer) {
        UnsafeBuffer message = new UnsafeBuffer(new byte[Long.BYTES]);
        return (from, count) -> {
            long value = from;
            for (int i = 0; i < count; i++, value++) {
                message.putLong(0, value);
                while (!ring.write(TYPE, message, 0, Long.BYTES)) {
                    Thread.onSpinWait();
                }
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
