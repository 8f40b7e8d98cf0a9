package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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
        buffer.freeSlot(0);
        assertThat(buffer.waitingState(1)).isEqualTo(OrderBuffer.VALUE);
        assertThat(buffer.takeItem(1)).isSameAs(item);
        assertThat(buffer.items).containsOnlyNulls();
        buffer.freeSlot(1);
        assertThat(buffer.passTurn(2)).isZero();
        assertThat(buffer.offer(1, OrderBuffer.VALUE, item)).isEqualTo(OrderBuffer.REFUSED);
        assertThat(buffer.items).containsOnlyNulls();
        assertThat(buffer.tailAcquire()).isEqualTo(2);
    }

    /** Who has the role: from taking the turn until it is passed, and nobody who had it before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aThreadHasTheRoleFromItsTicketsTurnUntilItPassesIt(boolean unchecked) throws InterruptedException {
        OrderBuffer buffer = new OrderBuffer(4, 0, unchecked);
        long me = Thread.currentThread().getId();
        assertThat(buffer.isDrainer(me)).isFalse();
        buffer.offer(0, OrderBuffer.VALUE, this);
        assertThat(buffer.isDrainer(me)).isTrue();
        assertThat(buffer.isDrainer(me + 1)).isFalse();
        buffer.freeSlot(0);
        buffer.passTurn(1);
        assertThat(buffer.isDrainer(me)).isFalse();
        Thread other = new Thread(() -> buffer.offer(1, OrderBuffer.VALUE, this));
        other.start();
        other.join();
        assertThat(buffer.isDrainer(other.getId())).isTrue();
        assertThat(buffer.isDrainer(me)).isFalse();
        buffer.resignAsDrainer();
        assertThat(buffer.isDrainer(other.getId())).isFalse();
    }

    /** A drainer that meets a finisher between its two changes gives it the role, and its own id does not stay behind. */
    @Test
    void whoGivesTheRoleToAFinisherIsTheDrainerNoMore() {
        OrderBuffer buffer = new OrderBuffer(4, 0, false);
        long me = Thread.currentThread().getId();
        buffer.offer(0, OrderBuffer.VALUE, this);
        buffer.freeSlot(0);
        buffer.words[1] = OrderBuffer.word(1, OrderBuffer.FILLING);
        assertThat(buffer.passTurn(1)).isZero();
        assertThat(buffer.words[1]).isEqualTo(OrderBuffer.word(1, OrderBuffer.TAKEN));
        assertThat(buffer.isDrainer(me)).isFalse();
        buffer.becomeDrainer();
        assertThat(buffer.isDrainer(me)).isTrue();
    }

    /** One of two, of whom each may have been the drainer before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTurnThatWasTakenIsRefused(boolean byTheSame) throws InterruptedException {
        OrderBuffer buffer = new OrderBuffer(4, 0, false);
        Thread first = new Thread(() -> buffer.offer(0, OrderBuffer.VALUE, this));
        first.start();
        first.join();
        buffer.freeSlot(0);
        if (byTheSame) {
            buffer.becomeDrainer();
        }
        buffer.passTurn(1);
        assertThat(buffer.offer(1, OrderBuffer.VALUE, this)).isEqualTo(OrderBuffer.OURS);
        assertThat(buffer.words[1]).isEqualTo(OrderBuffer.word(1, OrderBuffer.TAKEN));
        assertThat(buffer.offer(1, OrderBuffer.VALUE, this)).isEqualTo(OrderBuffer.REFUSED);
        assertThat(buffer.tryTakeTurn(1)).isFalse();
        assertThat(buffer.isDrainer(Thread.currentThread().getId())).isTrue();
    }

    /** The one is told that it has the turn, or the other finds its item: else nobody would go on. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("concurrency")
    @Timeout(60)
    void aFinisherThatMeetsTheTurnTakesItOrLeavesItsItem(boolean unchecked) throws InterruptedException {
        OrderBuffer[] buffers = Stream.generate(() -> new OrderBuffer(2, 0, unchecked))
                .limit(5_000)
                .toArray(OrderBuffer[]::new);
        for (OrderBuffer buffer : buffers) {
            buffer.offer(0, OrderBuffer.VALUE, this);
            buffer.freeSlot(0);
        }
        AtomicInteger drainer = new AtomicInteger(-1);
        AtomicInteger finisher = new AtomicInteger(-1);
        int[] offered = new int[buffers.length];
        Thread finishing = new Thread(() -> {
            for (int round = 0; round < buffers.length; round++) {
                meet(finisher, drainer, round);
                offered[round] = buffers[round].offer(1, OrderBuffer.VALUE, this);
            }
        });
        finishing.setDaemon(true);
        finishing.start();
        int[] passed = new int[buffers.length];
        for (int round = 0; round < buffers.length; round++) {
            meet(drainer, finisher, round);
            for (int i = round & 15; i > 0; i--) { // its look at the word takes longer than this thread's
                Thread.onSpinWait();
            }
            passed[round] = buffers[round].passTurn(1);
        }
        finishing.join();
        for (int round = 0; round < buffers.length; round++) {
            assertThat(offered[round])
                    .as("offered in round %d, in which the drainer has found state %d", round, passed[round])
                    .isEqualTo(passed[round] == 0 ? OrderBuffer.OURS : OrderBuffer.LEFT);
        }
    }

    private static void meet(AtomicInteger mine, AtomicInteger other, int round) {
        mine.set(round);
        while (other.get() < round && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
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
