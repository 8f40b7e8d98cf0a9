package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RingBufferBuilderTest {
    @Test
    void aBuilderBuildsSeveralRingsThatHaveNothingInCommon() {
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(4).singleProducer();
        RingBuffer<long[]> first = builder.build();
        RingBuffer<long[]> second = builder.capacity(8).multiProducer().build();
        try (Producer<long[]> producer = first.producer()) {
            producer.publishEvent((event, sequence, value) -> event[0] = value, 7);
        }
        assertThat(first.capacity()).isEqualTo(4);
        assertThat(second.capacity()).isEqualTo(8);
        assertThat(first.get(0)).containsExactly(7);
        assertThat(second.get(0)).containsExactly(0);
        assertThat(second.cursor().get()).isEqualTo(-1);
        assertThat(first.name()).isNotEqualTo(second.name());
        first.close();
        assertThat(second.producer()).isNotNull();
    }

    @Test
    void aBuilderOfSlotsAndOneOfMessagesDoTheSame() {
        RingBufferBuilder<ByteSlots> slots = RingBufferBuilder.bytes(16).capacity(4);
        assertThat(slots.build().get(0).buffer())
                .isNotSameAs(slots.build().get(0).buffer());
        RingBufferBuilder<Messages> messages = RingBufferBuilder.messages(64);
        assertThat(messages.build().get(0)).isNotSameAs(messages.build().get(0));
    }

    @Test
    void whatIsRefusedChangesNothing() {
        RingBufferBuilder<long[]> builder = RingBufferBuilder.of(() -> new long[1]);
        assertThatThrownBy(() -> builder.onAbandonedClaim(5, null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> builder.onAbandonedClaim(0, claim -> {})).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.capacity(12)).hasMessageContaining("but was 12");
        assertThat(builder.settings.abandonedAfterNanos).isZero();
        assertThat(builder.settings.abandonedHandler).isNull();
        assertThat(builder.build().capacity()).isEqualTo(1024);
    }

    @Test
    void badInputIsNamedAtTheCall() {
        assertThatThrownBy(() -> RingBufferBuilder.of(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("factory");
        assertThatThrownBy(() -> RingBufferBuilder.bytes(7)).hasMessageContaining("slotLength");
        assertThatThrownBy(() -> RingBufferBuilder.messages(96)).hasMessageContaining("bytes must be a power of two");
        assertThatThrownBy(
                        () -> RingBufferBuilder.bytes(65_536).capacity(1 << 20).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("less than 2 GiB");
    }
}
