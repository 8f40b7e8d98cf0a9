package io.sluice.perf.flow;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.agrona.concurrent.YieldingIdleStrategy;

/** Another part of an application, with an event and a handler of its own on a ring of Sluice: see {@link Guests}. */
public final class SluiceGuest implements LongUnaryOperator {
    private static final class Message {
        long value;
    }

    private static final class Handler implements EventHandler<Message> {
        private long sum;

        @Override
        public void onEvent(Message message, long sequence, boolean endOfBatch) {
            sum += message.value;
        }
    }

    /** For {@link Guests}. */
    public SluiceGuest() {}

    @Override
    public long applyAsLong(long events) {
        Handler handler = new Handler();
        RingBuffer<Message> ring = SluiceRing.ring(
                Message::new,
                new SluiceRing.Setup(true, 64, YieldingIdleStrategy::new, YieldingIdleStrategy::new, false, false));
        try (Pipeline<Message> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(handler);
            pipeline.start();
            Producer<Message> producer = ring.producer();
            for (long value = 0; value < events; value++) {
                long sequence = producer.next();
                producer.get(sequence).value = value;
                producer.publish(sequence);
            }
            pipeline.drain(TimeUnit.SECONDS.toNanos(10));
        }
        return handler.sum;
    }
}
