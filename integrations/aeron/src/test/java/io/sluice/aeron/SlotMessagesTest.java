package io.sluice.aeron;

import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From a ring of bytes to a ring of bytes. */
class SlotMessagesTest {
    private static final int MESSAGES = 2_000;

    /** A ring of bytes whose slots are sent, and one that they come into. */
    private static final class Bridge {
        final RingBuffer<ByteSlots> from;
        final RingBuffer<ByteSlots> to;
        final Producer<ByteSlots> producer;
        final EventPoller<ByteSlots> poller;
        final AeronSender<ByteSlots> sender;
        final AeronReceiver receiver;
        final Heard heard = new Heard();

        Bridge(Harness harness, String channel, int slot, SlotMessages messages, boolean dropping) {
            from = RingBufferBuilder.bytes(slot).capacity(16).singleProducer().build();
            to = RingBufferBuilder.bytes(slot).capacity(8).singleProducer().build();
            sender = AeronSender.<ByteSlots>builder(harness.link, channel, STREAM, messages)
                    .build();
            Pipeline<ByteSlots> out = Pipeline.on(from);
            out.handleEventsWith(out.batchConsumer("out", sender));
            RunnerAgent sending = out.startInvoked();
            poller = Pipeline.on(to).poller("in");
            producer = from.producer();
            RingSink<ByteSlots> sink = dropping
                    ? RingSink.dropping(
                            DroppingProducer.dropNewest(to.producer(), ByteSlots.one(slot), event -> {}), messages)
                    : RingSink.waiting(to.producer(), messages);
            receiver = harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, sink, heard)
                    .build());
            harness.agent(new Agent() {
                @Override
                public int doWork() throws Exception {
                    return sending.doWork();
                }

                @Override
                public String roleName() {
                    return "out";
                }
            });
            harness.runUntil(() -> sender.open() && receiver.isConnected());
        }

        void close() {
            from.close();
            to.close();
            receiver.close();
            sender.close();
        }
    }

    /** Short slots, slots of a cache line, and slots that Aeron cuts into fragments; the bytes of each place are their own. */
    @ParameterizedTest
    @CsvSource({"8, false", "56, false", "64, true", "4096, false"})
    void eachByteOfEachSlotArrives(int slot, boolean dropping) throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, IPC + "|mtu=1408", slot, SlotMessages.whole(), dropping);
            int[] handled = {0};
            PollHandler<ByteSlots, RuntimeException> checks = (slots, sequence, endOfBatch) -> {
                DirectBuffer buffer = slots.buffer();
                int offset = slots.offset(sequence);
                assertThat(buffer.getInt(offset)).isEqualTo(handled[0]);
                for (int i = 4; i < slot; i++) {
                    assertThat(buffer.getByte(offset + i)).isEqualTo((byte) (handled[0] + i));
                }
                handled[0]++;
            };
            for (int i = 0; i < MESSAGES; i++) {
                int value = i;
                harness.runUntil(() -> {
                    bridge.poller.poll(checks, Integer.MAX_VALUE);
                    return bridge.producer.tryPublishEvent((slots, sequence) -> {
                                int offset = slots.offset(sequence);
                                slots.buffer().putInt(offset, value);
                                for (int b = 4; b < slot; b++) {
                                    slots.buffer().putByte(offset + b, (byte) (value + b));
                                }
                            })
                            >= 0;
                });
            }
            harness.runUntil(() -> {
                bridge.poller.poll(checks, Integer.MAX_VALUE);
                return handled[0] == MESSAGES;
            });
            assertThat(bridge.receiver.missing() + bridge.receiver.bad()).isZero();
            bridge.close();
        }
    }

    @Test
    void aSlotMaySayHowLongItsMessageIs() throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, IPC, 40, SlotMessages.withLength(), false);
            List<String> texts = new ArrayList<>();
            PollHandler<ByteSlots, RuntimeException> reads = (slots, sequence, endOfBatch) -> {
                int offset = slots.offset(sequence);
                texts.add(slots.buffer()
                        .getStringWithoutLengthAscii(
                                offset + SlotMessages.PAYLOAD, slots.buffer().getInt(offset)));
            };
            List<String> sent = List.of("one", "", "a message of all thirty-two bytes", "x", "three");
            for (String text : sent) {
                harness.runUntil(() -> bridge.producer.tryPublishEvent((slots, sequence) -> {
                            int offset = slots.offset(sequence);
                            String cut = text.substring(0, Math.min(32, text.length()));
                            slots.buffer().putInt(offset, cut.length());
                            slots.buffer().putStringWithoutLengthAscii(offset + SlotMessages.PAYLOAD, cut);
                        })
                        >= 0);
            }
            harness.runUntil(() -> {
                bridge.poller.poll(reads, Integer.MAX_VALUE);
                return texts.size() == 4;
            });
            assertThat(texts).containsExactly("one", "a message of all thirty-two byte", "x", "three");
            assertThat(bridge.sender.position()).as("nothing is no message").isEqualTo(4);
            bridge.close();
        }
    }

    @Test
    void whatASlotCannotHoldIsRefusedAndTouchesNoOtherSlot() {
        ByteSlots slots = ByteSlots.one(16);
        UnsafeBuffer message = new UnsafeBuffer(new byte[32]);
        assertThatThrownBy(() -> SlotMessages.whole().decode(slots, message, 0, 17, 1))
                .hasMessage("length of a message must be 16 bytes, but was 17");
        assertThatThrownBy(() -> SlotMessages.whole().decode(slots, message, 0, 15, 1))
                .hasMessage("length of a message must be 16 bytes, but was 15");
        assertThatThrownBy(() -> SlotMessages.withLength().decode(slots, message, 0, 9, 1))
                .hasMessage("length of a message must be from 0 to 8 bytes, but was 9");
        slots.buffer().putInt(slots.offset(0), 9);
        assertThatThrownBy(() -> SlotMessages.withLength().length(slots))
                .hasMessage("length of a message must be from 0 to 8 bytes, but was 9");
        slots.buffer().putInt(slots.offset(0), -1);
        assertThatThrownBy(() -> SlotMessages.withLength().length(slots))
                .hasMessage("length of a message must be from 0 to 8 bytes, but was -1");
        slots.buffer().putInt(slots.offset(0), 8);
        assertThat(SlotMessages.withLength().length(slots)).isEqualTo(8);
        message.putLong(0, 7);
        SlotMessages.withLength().decode(slots, message, 0, 8, 1);
        UnsafeBuffer out = new UnsafeBuffer(new byte[8]);
        SlotMessages.withLength().encode(slots, out, 0, 8);
        assertThat(out.getLong(0)).isEqualTo(7);
    }
}
