package io.sluice.examples.sbe;

import io.sluice.examples.sbe.codec.CancelDecoder;
import io.sluice.examples.sbe.codec.MessageHeaderDecoder;
import io.sluice.examples.sbe.codec.OrderDecoder;
import io.sluice.examples.sbe.codec.Side;
import io.sluice.ringbuffer.pipeline.SlotHandler;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;

/** Knows which orders are open and what they are worth. The decoders are wrapped around each slot where it is. For one thread. */
final class OpenOrders implements SlotHandler {
    private static final long NOT_OPEN = Long.MIN_VALUE;

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final OrderDecoder order = new OrderDecoder();
    private final CancelDecoder cancel = new CancelDecoder();
    private final Long2LongHashMap worth = new Long2LongHashMap(NOT_OPEN);
    private long messages;
    private long open;
    private long sum;

    @Override
    public void onEvent(DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
        header.wrap(buffer, offset);
        messages++;
        switch (header.templateId()) {
            case OrderDecoder.TEMPLATE_ID -> onOrder(order.wrapAndApplyHeader(buffer, offset, header));
            case CancelDecoder.TEMPLATE_ID -> onCancel(cancel.wrapAndApplyHeader(buffer, offset, header));
            default ->
                throw new IllegalStateException("templateId must be " + OrderDecoder.TEMPLATE_ID + " or "
                        + CancelDecoder.TEMPLATE_ID + ", but was " + header.templateId());
        }
    }

    private void onOrder(OrderDecoder decoder) {
        long value = decoder.price() * decoder.quantity();
        long signed = decoder.side() == Side.BUY ? value : -value;
        worth.put(decoder.orderId(), signed);
        open++;
        sum += signed;
    }

    private void onCancel(CancelDecoder decoder) {
        long signed = worth.remove(decoder.orderId());
        if (signed != NOT_OPEN) {
            open--;
            sum -= signed;
        }
    }

    @Override
    public String toString() {
        return messages + " messages, " + open + " orders open, worth " + sum;
    }
}
