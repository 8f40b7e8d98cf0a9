package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The state machine by itself, step by step. */
class OrderBufferTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anItemThatWasTakenIsNotKept(boolean unchecked) {
        OrderBuffer buffer = new OrderBuffer(4, 0, unchecked);
        Object item = new Object();
        assertThat(buffer.offer(1, OrderBuffer.VALUE, item)).isEqualTo(OrderBuffer.LEFT);
        assertThat(buffer.offer(0, OrderBuffer.VALUE, new Object())).isEqualTo(OrderBuffer.OURS);
        buffer.free(0);
        assertThat(buffer.peek(1)).isEqualTo(OrderBuffer.VALUE);
        assertThat(buffer.take(1)).isSameAs(item);
        assertThat(buffer.items).containsOnlyNulls();
        buffer.free(1);
        assertThat(buffer.passTurn(2)).isZero();
        assertThat(buffer.offer(1, OrderBuffer.VALUE, item)).isEqualTo(OrderBuffer.REFUSED);
        assertThat(buffer.items).containsOnlyNulls();
        assertThat(buffer.tailAcquire()).isEqualTo(2);
    }
}
