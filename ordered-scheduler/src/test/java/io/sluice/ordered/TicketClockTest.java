package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
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

    /** The first one's refusal would else say that the owner came first, and take back the mark of an expiry. */
    @Test
    void ofTwoLooksTheSecondLeavesATicketToTheOneThatHasMarkedIt() {
        OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder((ticket, value) -> {})
                .errorHandler(failure -> {})
                .timeLimit(1)
                .build();
        assertThat(scheduler.tryNext()).isZero();
        long start = System.nanoTime();
        while (System.nanoTime() - start < 1000) {
            Thread.onSpinWait();
        }
        TicketClock marked = Objects.requireNonNull(scheduler.delivery.clock);
        assertThat(marked.markExpired(0, marked.expiredMark(0), 0)).isTrue(); // the first look has got so far
        assertThat(scheduler.expireOverdue()).isZero();
        marked.unmarkExpired(0, 0);
        assertThat(scheduler.expireOverdue()).isEqualTo(1);
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
