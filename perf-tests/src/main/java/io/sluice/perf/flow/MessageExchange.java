package io.sluice.perf.flow;

import io.sluice.core.Sequence;
import io.sluice.perf.Pinning;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Sluice's ring of messages, claimed and encoded in place, through a handler and a flyweight; one or three consumers, each sees all. */
public final class MessageExchange implements Exchange {
    private static final int TYPE = 1;

    private static final class Sum extends PaddedSum implements MessageHandler {
        private final Figures figures;
        private final Sequence handled = new Sequence(0);
        private long count;

        Sum(int length, DirectBuffer none) {
            figures = new Figures(length, none);
        }

        @Override
        public void onMessage(
                int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
            sum += figures.wrap(buffer, offset).sum();
            count++;
        }

        @Override
        public void onBatchEnd(long sequence) {
            handled.setRelease(count); // release: the sum
        }
    }

    private final RingBuffer<Messages> ring;
    private final int length;
    private final Sum[] handlers;

    /**
     * Builds a ring and starts its consumers.
     *
     * @param setup what the row chooses; its capacity is not used
     * @param bytes how many bytes all messages have
     * @param length how many bytes a message has, a multiple of 8
     * @param consumers how many, each sees all
     */
    public MessageExchange(SluiceRing.Setup setup, int bytes, int length, int consumers) {
        this.length = length;
        RingBufferBuilder<Messages> builder = SluiceRing.idle(RingBufferBuilder.messages(bytes), setup);
        ring = (setup.singleProducer() ? builder.singleProducer() : builder).build();
        handlers = new Sum[consumers];
        for (int i = 0; i < consumers; i++) {
            handlers[i] = new Sum(length, ring.get(0).buffer());
        }
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(handlers);
        if (setup.pinned()) {
            pipeline.onThreadStart(name -> Pinning.pin(1));
        }
        pipeline.start();
    }

    @Override
    public Source source(int producer) {
        MessageProducer own = MessageProducer.of(ring);
        MutableDirectBuffer buffer = own.buffer();
        int all = length;
        return (from, count) -> {
            long value = from;
            for (int i = 0; i < count; i++, value++) {
                long sequence = own.claim(TYPE, all, Long.MAX_VALUE);
                Figures.encode(buffer, own.offset(sequence), all, value, 0);
                own.commit(sequence);
            }
        };
    }

    @Override
    public long handled() {
        long least = Long.MAX_VALUE;
        for (Sum handler : handlers) {
            least = Math.min(least, handler.handled.getAcquire()); // acquire: pairs with onBatchEnd()
        }
        return least;
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
        ring.close();
    }
}
