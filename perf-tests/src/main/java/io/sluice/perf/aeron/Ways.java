package io.sluice.perf.aeron;

import io.sluice.aeron.EventEncoder;
import io.sluice.aeron.SlotMessages;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.util.function.Supplier;

/** The ways that are compared. */
final class Ways {
    private static final SluiceRing.Setup RINGS = SluiceRing.Setup.spinning(true, 1_024);

    private Ways() {}

    static Way.Maker bare(Supplier<String> channel, int length) {
        return () -> new BareWay(channel.get(), length, false);
    }

    static Way.Maker waiting(Supplier<String> channel, int length) {
        return () -> new BareWay(channel.get(), length, true);
    }

    static Way.Maker copied(Supplier<String> channel, int length) {
        return () -> new CopiedWay(channel.get(), length);
    }

    /** A ring of objects, whose encoder writes all bytes of the message. */
    static Way.Maker objects(Supplier<String> channel, int length) {
        int last = length - Long.BYTES;
        return () -> new SluiceWay<long[]>(
                channel.get(),
                () -> SluiceRing.ring(() -> new long[2], RINGS),
                (event, sequence, value) -> event[0] = value,
                EventEncoder.fixed(length, (event, buffer, offset) -> Links.fill(buffer, offset, length, event[0])),
                (event, buffer, offset, bytes, number) -> {
                    event[0] = buffer.getLong(offset);
                    event[1] = buffer.getLong(offset + last);
                },
                (event, sequence, sink) -> sink.onMessage(event[0], event[1]));
    }

    /** A ring of bytes, whose slots are copied as they are. */
    static Way.Maker slots(Supplier<String> channel, int length) {
        int last = length - Long.BYTES;
        return () -> new SluiceWay<ByteSlots>(
                channel.get(),
                () -> SluiceRing.ring(RingBufferBuilder.bytes(length), RINGS),
                (slots, sequence, value) -> Links.fill(slots.buffer(), slots.offset(sequence), length, value),
                SlotMessages.whole(),
                SlotMessages.whole(),
                (slots, sequence, sink) -> {
                    int offset = slots.offset(sequence);
                    sink.onMessage(
                            slots.buffer().getLong(offset), slots.buffer().getLong(offset + last));
                });
    }

    /** A ring alone, without Aeron: one hop. */
    static Way.Maker ring() {
        return Hop::new;
    }

    private static final class Hop implements Way {
        private final RingBuffer<long[]> ring = SluiceRing.ring(() -> new long[1], RINGS);
        private final EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        private final Producer<long[]> producer = ring.producer();
        private final PollHandler<long[], RuntimeException> handler = (event, sequence, endOfBatch) -> toSink(event[0]);
        private Sink sink = (value, last) -> {};

        private void toSink(long value) {
            sink.onMessage(value, value);
        }

        @Override
        public boolean offer(long value) {
            return producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value) >= 0;
        }

        @Override
        public void flush() {}

        @Override
        public void housekeep() {}

        @Override
        public int take(Sink to) {
            sink = to;
            return poller.poll(handler, Integer.MAX_VALUE);
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public void close() {
            ring.close();
        }
    }
}
