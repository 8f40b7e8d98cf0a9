package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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

    /** Who is inside the handler: from going in until the tail moves on, and nobody who was there before. */
    @Test
    void aThreadIsInsideFromItsTicketsTurnUntilTheTailMovesOn() throws InterruptedException {
        OrderBuffer buffer = new OrderBuffer(4, 0, false);
        long me = Thread.currentThread().getId();
        assertThat(buffer.isDrainer(me)).isFalse();
        buffer.offer(0, OrderBuffer.VALUE, this);
        assertThat(buffer.isDrainer(me)).isFalse();
        buffer.enter(0);
        assertThat(buffer.isDrainer(me)).isTrue();
        assertThat(buffer.isDrainer(me + 1)).isFalse();
        buffer.free(0);
        assertThat(buffer.isDrainer(me)).as("between two tickets").isFalse();
        buffer.passTurn(1);
        Thread other = new Thread(() -> {
            buffer.offer(1, OrderBuffer.VALUE, this);
            buffer.enter(1);
        });
        other.start();
        other.join();
        assertThat(buffer.isDrainer(other.getId())).isTrue();
        assertThat(buffer.isDrainer(me)).isFalse();
        buffer.leave();
        assertThat(buffer.isDrainer(other.getId())).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64, 1024})
    void theTicketsOfAWindowHaveASlotEach(int window) {
        OrderBuffer buffer = new OrderBuffer(window, 5, false);
        assertThat(java.util.stream.LongStream.range(5, 5 + window).mapToInt(buffer::index))
                .doesNotHaveDuplicates()
                .allMatch(slot -> slot >= 0 && slot < window);
        assertThat(buffer.index(5L + window)).isEqualTo(buffer.index(5));
    }
}
