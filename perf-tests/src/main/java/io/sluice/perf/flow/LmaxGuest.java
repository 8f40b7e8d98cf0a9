package io.sluice.perf.flow;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.function.LongUnaryOperator;

/** Another part of an application, with an event and a handler of its own on LMAX's ring: see {@link Guests}. */
public final class LmaxGuest implements LongUnaryOperator {
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
    public LmaxGuest() {}

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // waits for the consumer, which may need this core
    public long applyAsLong(long events) {
        Handler handler = new Handler();
        Disruptor<Message> disruptor = new Disruptor<>(
                Message::new, 64, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, new YieldingWaitStrategy());
        disruptor.handleEventsWith(handler);
        RingBuffer<Message> ring = disruptor.start();
        for (long value = 0; value < events; value++) {
            long sequence = ring.next();
            ring.get(sequence).value = value;
            ring.publish(sequence);
        }
        while (disruptor.getSequenceValueFor(handler) < events - 1) {
            Thread.yield();
        }
        disruptor.halt();
        return handler.sum;
    }
}
