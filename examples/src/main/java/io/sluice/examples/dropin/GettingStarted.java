package io.sluice.examples.dropin;

import com.lmax.disruptor.EventFactory;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;

/** A first program for the Disruptor: an event, its factory, its handlers, a translator. It names nothing of Sluice. */
public final class GettingStarted {
    private static final int RING_SIZE = 1024;
    private static final int ORDERS = 20;

    /** The event: made once for each slot, and filled again and again. */
    static final class Order {
        private long number;
        private long price;

        void set(long number, long price) {
            this.number = number;
            this.price = price;
        }
    }

    /** Makes the events. */
    static final class OrderFactory implements EventFactory<Order> {
        @Override
        public Order newInstance() {
            return new Order();
        }
    }

    /** Takes each event in turn. */
    static final class Printer implements EventHandler<Order> {
        @Override
        public void onEvent(Order order, long sequence, boolean endOfBatch) {
            System.out.println("order " + order.number + " at " + order.price + ", sequence " + sequence);
        }
    }

    /** Follows the printer, and adds up. */
    static final class Total implements EventHandler<Order> {
        private final CountDownLatch complete = new CountDownLatch(1);
        private long sum;

        @Override
        public void onEvent(Order order, long sequence, boolean endOfBatch) {
            sum += order.price;
            if (order.number == ORDERS - 1) {
                System.out.println("total " + sum);
                complete.countDown();
            }
        }
    }

    private static final EventTranslatorOneArg<Order, ByteBuffer> FROM_BYTES =
            (order, sequence, bytes) -> order.set(bytes.getLong(0), bytes.getLong(Long.BYTES));

    private GettingStarted() {}

    /**
     * Publishes orders, half of them by a translator and half of them by hand, and shuts down after the total.
     *
     * @param arguments not used
     * @throws InterruptedException if the thread is interrupted while it waits for the total
     */
    public static void main(String[] arguments) throws InterruptedException {
        Disruptor<Order> disruptor = new Disruptor<>(new OrderFactory(), RING_SIZE, DaemonThreadFactory.INSTANCE);
        Total total = new Total();
        disruptor.handleEventsWith(new Printer()).then(total);
        RingBuffer<Order> ring = disruptor.start();

        ByteBuffer bytes = ByteBuffer.allocate(2 * Long.BYTES);
        for (long number = 0; number < ORDERS; number += 2) {
            bytes.putLong(0, number);
            bytes.putLong(Long.BYTES, 100 + number);
            ring.publishEvent(FROM_BYTES, bytes);

            long sequence = ring.next();
            try {
                ring.get(sequence).set(number + 1, 200 + number);
            } finally {
                ring.publish(sequence);
            }
        }
        total.complete.await();
        disruptor.shutdown();
    }
}
