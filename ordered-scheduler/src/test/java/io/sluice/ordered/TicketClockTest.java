package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Two looks at one slot, of which one was delayed, step by step. */
class TicketClockTest {
    private final TicketClock clock = new TicketClock(1);

    @Test
    void aLookThatWasDelayedMarksNothingOverALaterTicket() {
        long mark = clock.expiredMark(0); // the delayed look has got so far, with ticket 0
        assertThat(clock.markExpired(0, clock.expiredMark(0), 1))
                .isTrue(); // meanwhile ticket 1 has expired in that slot
        assertThat(clock.markExpired(0, mark, 0)).isFalse();
        assertThat(clock.isExpired(0, 1)).isTrue();
        assertThat(clock.isExpired(0, 0)).isFalse();
    }

    @Test
    void aLookThatWasDelayedTakesBackItsOwnMarkOnly() {
        assertThat(clock.markExpired(0, clock.expiredMark(0), 0)).isTrue();
        assertThat(clock.markExpired(0, clock.expiredMark(0), 1)).isTrue();
        clock.unmarkExpired(0, 0);
        assertThat(clock.isExpired(0, 1)).isTrue();
        clock.unmarkExpired(0, 1);
        assertThat(clock.isExpired(0, 1)).isFalse();
    }

    @Test
    void aSlotThatIsClearedHasNoAgeAndNoOwner() {
        clock.start(0, Thread.currentThread());
        assertThat(clock.age(0, System.nanoTime())).isNotNegative();
        clock.clear(0);
        assertThat(clock.age(0, System.nanoTime())).isEqualTo(-1);
        assertThat(clock.owner(0)).isNull();
    }
}
