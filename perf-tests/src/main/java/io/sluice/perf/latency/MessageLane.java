package io.sluice.perf.latency;

import io.sluice.perf.Pinning;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Sluice's ring of messages with one handler. A message holds a value, encoded in its claim, and no time. */
final class MessageLane implements Lane {
    private static final int TYPE = 1;
    private static final int LENGTH = Long.BYTES;
    private static final int RECORD = 2 * Long.BYTES;

    private final RingBuffer<Messages> ring;
    private final Pipeline<Messages> pipeline;
    private final List<Thread> threads = new ArrayList<>();

    private record Handler(Receiver receiver) implements MessageHandler {
        @Override
        public void onStart() {
            receiver.begin();
        }

        @Override
        public void onMessage(
                int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
            receiver.received(buffer.getLong(offset), 0);
        }
    }

    /** A ring for one producer that holds as many messages as the others have slots. */
    MessageLane(SluiceRing.Setup setup, Receiver receiver, int core) {
        ring = SluiceRing.idle(RingBufferBuilder.messages(setup.capacity() * RECORD), setup)
                .singleProducer()
                .build();
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
        MessageProducer producer = MessageProducer.of(ring);
        MutableDirectBuffer buffer = producer.buffer();
        return (value, time) -> {
            long sequence = producer.claim(TYPE, LENGTH, Long.MAX_VALUE);
            buffer.putLong(producer.offset(sequence), value);
            producer.commit(sequence);
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
