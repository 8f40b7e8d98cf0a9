package io.sluice.examples.sbe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.examples.sbe.codec.MessageHeaderDecoder;
import io.sluice.examples.sbe.codec.OrderDecoder;
import io.sluice.examples.sbe.codec.Side;
import io.sluice.ringbuffer.ByteSlots;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Codecs that SBE generated, over buffers of ours: what they write is what SBE says, and it comes back from a slot of a ring. */
class OrderFlowTest {
    @Test
    void ordersAndCancellationsGoThroughTheRing() throws Exception {
        long open = 0;
        long sum = 0;
        long messages = 0;
        for (long id = 0; id < 10_000; id++) {
            messages += id % 3 == 0 ? 2 : 1;
            if (id % 3 != 0) {
                open++;
                sum += (10_000 + id % 100) * (1 + id % 7) * (id % 2 == 0 ? 1 : -1);
            }
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        OrderFlow.run(10_000, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        assertThat(bytes.toString(StandardCharsets.UTF_8).strip())
                .isEqualTo(messages + " messages, " + open + " orders open, worth " + sum);
    }

    /** Message header of eight bytes, then the fields in the order of the schema, packed and little-endian. */
    @Test
    void theBytesInASlotAreThoseOfTheSchema() {
        ByteSlots slot = ByteSlots.one(OrderFlow.SLOT_LENGTH);
        int offset = slot.offset(0);
        new OrderFlow.Messages().order(5).translateTo(slot, 0);
        ByteBuffer expected = ByteBuffer.allocate(37).order(ByteOrder.LITTLE_ENDIAN);
        expected.putShort((short) 29).putShort((short) 1).putShort((short) 24).putShort((short) 0);
        expected.putLong(5).putLong(10_005).putInt(6).put((byte) 1);
        expected.put("LOCKGATE".getBytes(StandardCharsets.US_ASCII));
        byte[] written = new byte[37];
        slot.buffer().getBytes(offset, written);
        assertThat(written).isEqualTo(expected.array());
        OrderDecoder order = new OrderDecoder().wrapAndApplyHeader(slot.buffer(), offset, new MessageHeaderDecoder());
        assertThat(order.orderId()).isEqualTo(5);
        assertThat(order.price()).isEqualTo(10_005);
        assertThat(order.quantity()).isEqualTo(6);
        assertThat(order.side()).isEqualTo(Side.SELL);
        assertThat(order.symbol()).isEqualTo("LOCKGATE");
    }

    @Test
    void aMessageThatNobodyKnowsIsAnError() {
        SafeBuffer buffer = SafeBuffer.allocateDirect(OrderFlow.SLOT_LENGTH);
        buffer.putShort(2, (short) 9, ByteOrder.LITTLE_ENDIAN);
        OpenOrders open = new OpenOrders();
        assertThatThrownBy(() -> open.onEvent(buffer, 0, OrderFlow.SLOT_LENGTH, 0, true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("templateId must be 1 or 2, but was 9");
    }
}
