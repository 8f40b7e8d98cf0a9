package io.sluice.perf.latency;

import io.sluice.perf.Pinning;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.SlotHandler;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Sluice's ring of bytes with one handler. Slots of 8 bytes hold a value, longer ones a time too. */
final class SlotLane implements Lane {
    private final RingBuffer<ByteSlots> ring;
    private final Pipeline<ByteSlots> pipeline;
    private final List<Thread> threads = new ArrayList<>();

    private record Handler(Receiver receiver) implements SlotHandler {
        @Override
        public void onStart() {
            receiver.begin();
        }

        @Override
        public void onEvent(DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
            receiver.received(buffer.getLong(offset), length == Long.BYTES ? 0 : buffer.getLong(offset + Long.BYTES));
        }
    }

    SlotLane(SluiceRing.Setup setup, int length, Receiver receiver, int core) {
        ring = SluiceRing.ring(RingBufferBuilder.bytes(length), setup);
        pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(new Handler(receiver));
        pipeline.onThreadStart(name -> Pinning.pin(core));
        pipeline.threads(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        });
        pipeline.start();
    }

    @Override
    public Sender sender() {
        Producer<ByteSlots> producer = ring.producer();
        return (value, time) -> {
            long sequence = producer.next(1);
            ByteSlots slots = producer.get(sequence);
            MutableDirectBuffer buffer = slots.buffer();
            int offset = slots.offset(sequence);
            buffer.putLong(offset, value);
            if (slots.length() > Long.BYTES) {
                buffer.putLong(offset + Long.BYTES, time);
            }
            producer.publish(sequence, sequence);
        };
    }

    @Override
    public void close() {
        pipeline.close();
        for (Thread thread : threads) {
            LaneThread.join(thread);
        }
    }
}
