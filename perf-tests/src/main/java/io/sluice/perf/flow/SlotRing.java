package io.sluice.perf.flow;

import io.sluice.perf.Pinning;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.SlotHandler;
import org.agrona.DirectBuffer;

/** Sluice's ring of bytes with slots of one size, through a handler and a flyweight. */
public final class SlotRing implements Exchange {
    private static final class Sum extends PaddedSum implements SlotHandler {
        private final Figures figures;

        Sum(int length, DirectBuffer none) {
            figures = new Figures(length, none);
        }

        @Override
        public void onEvent(DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
            sum += figures.wrap(buffer, offset).sum();
        }
    }

    private final RingBuffer<ByteSlots> ring;
    private final int length;
    private final Sum handler;
    private final ConsumerHandle consumer;

    /**
     * Builds a ring and starts its consumer.
     *
     * @param setup what the row chooses
     * @param length how many bytes a slot holds, a multiple of 8
     */
    public SlotRing(SluiceRing.Setup setup, int length) {
        this.length = length;
        ring = SluiceRing.ring(RingBufferBuilder.bytes(length), setup);
        handler = new Sum(length, ring.get(0).buffer());
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(handler);
        consumer = pipeline.consumer(handler);
        if (setup.pinned()) {
            pipeline.onThreadStart(name -> Pinning.pin(1));
        }
        pipeline.start();
    }

    @Override
    public Source source(int producer) {
        Producer<ByteSlots> own = ring.producer();
        int all = length;
        return (from, count) -> {
            long value = from;
            for (int i = 0; i < count; i++, value++) {
                long sequence = own.next();
                ByteSlots slots = own.get(sequence);
                Figures.encode(slots.buffer(), slots.offset(sequence), all, value, 0);
                own.publish(sequence);
            }
        };
    }

    @Override
    public long handled() {
        return consumer.sequence().get() + 1;
    }

    @Override
    public long[] sums() {
        return new long[] {handler.sum};
    }

    @Override
    public void close() {
        ring.close();
    }
}
