package io.sluice.examples.sbe;

import io.sluice.examples.sbe.codec.CancelEncoder;
import io.sluice.examples.sbe.codec.MessageHeaderEncoder;
import io.sluice.examples.sbe.codec.OrderEncoder;
import io.sluice.examples.sbe.codec.Side;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.SlotTranslator;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/**
 * Orders and cancellations in SBE on a ring of bytes: the encoders write into the claimed slot, the decoders read from it, and no message
 * is ever an object. Run it with the number of orders: {@code java -cp ... io.sluice.examples.sbe.OrderFlow 1000000}.
 */
public final class OrderFlow {
    /** The longest of the messages with its header: so much a slot must hold. */
    static final int SLOT_LENGTH =
            MessageHeaderEncoder.ENCODED_LENGTH + Math.max(OrderEncoder.BLOCK_LENGTH, CancelEncoder.BLOCK_LENGTH);

    private static final String[] SYMBOLS = {"SLUICE", "GATE", "LOCKGATE"};

    private OrderFlow() {}

    /**
     * Sends orders, takes each third one back, and prints what is left.
     *
     * @param arguments the number of orders, 1 or more
     * @throws InterruptedException if it is interrupted
     */
    public static void main(String[] arguments) throws InterruptedException {
        run(Long.parseLong(arguments[0]), System.out);
    }

    static void run(long orders, PrintStream out) throws InterruptedException {
        RingBuffer<ByteSlots> ring = RingBufferBuilder.bytes(SLOT_LENGTH)
                .name("orders")
                .capacity(1_024)
                .singleProducer()
                .build();
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        OpenOrders open = new OpenOrders();
        pipeline.handleEventsWith(open);
        pipeline.start();
        Producer<ByteSlots> producer = ring.producer();
        Messages messages = new Messages();
        for (long id = 0; id < orders; id++) {
            producer.publishEvent(messages.order(id));
            if (id % 3 == 0) {
                producer.publishEvent(messages.cancel(id));
            }
        }
        pipeline.drain(TimeUnit.SECONDS.toNanos(60));
        ring.close();
        out.println(open);
    }

    /** Fills slots. One object of each encoder, wrapped around one slot after the other. For one thread. */
    static final class Messages {
        private final MessageHeaderEncoder header = new MessageHeaderEncoder();
        private final OrderEncoder order = new OrderEncoder();
        private final CancelEncoder cancel = new CancelEncoder();
        private final SlotTranslator fillsOrder = (buffer, offset, sequence) -> {
            order.wrapAndApplyHeader(buffer, offset, header);
            fill();
        };
        private final SlotTranslator fillsCancel = (buffer, offset, sequence) ->
                cancel.wrapAndApplyHeader(buffer, offset, header).orderId(id());
        private long id;

        SlotTranslator order(long orderId) {
            id = orderId;
            return fillsOrder;
        }

        SlotTranslator cancel(long orderId) {
            id = orderId;
            return fillsCancel;
        }

        private long id() {
            return id;
        }

        private void fill() {
            order.orderId(id)
                    .price(10_000 + id % 100)
                    .quantity((int) (1 + id % 7))
                    .side((id & 1) == 0 ? Side.BUY : Side.SELL)
                    .symbol(SYMBOLS[(int) (id % SYMBOLS.length)]);
        }
    }
}
