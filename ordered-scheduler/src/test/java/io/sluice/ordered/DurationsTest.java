package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A time may be given as a duration too, and means the same then. */
@Timeout(60)
class DurationsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void aSchedulerDrainsWithinADuration() throws InterruptedException {
        try (var scheduler = OrderedScheduler.tasks().build()) {
            long ticket = scheduler.next();
            assertThat(scheduler.drain(Duration.ZERO)).isFalse();
            scheduler.complete(ticket, () -> {});
            assertThat(scheduler.drain(MINUTE)).isTrue();
            assertThatThrownBy(() -> scheduler.drain(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("limit");
        }
    }

    @Test
    void aTicketIsWaitedForWithinADuration() {
        try (var scheduler = OrderedScheduler.tasks().window(2).build()) {
            assertThat(scheduler.next(MINUTE)).isZero();
            assertThat(scheduler.next(Duration.ofSeconds(-1))).isEqualTo(1);
            assertThat(scheduler.next(Duration.ZERO)).isEqualTo(OrderedScheduler.TIMED_OUT);
            assertThat(scheduler.next(Duration.ofMillis(1))).isEqualTo(OrderedScheduler.TIMED_OUT);
            assertThatThrownBy(() -> scheduler.next(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("limit");
        }
    }

    @Test
    void roomForATicketFromOutsideIsWaitedForWithinADuration() {
        try (var scheduler =
                OrderedScheduler.tasks().window(2).tickets(TicketMode.EXTERNAL).build()) {
            assertThat(scheduler.awaitRoom(1, MINUTE)).isEqualTo(1);
            assertThat(scheduler.awaitRoom(2, Duration.ZERO)).isEqualTo(OrderedScheduler.TIMED_OUT);
        }
    }

    @Test
    void aDrainOfLanesWithoutTimeDoesNotWait() {
        try (var lanes = new KeyedLanes<Runnable>(2, lane -> OrderedScheduler.tasks())) {
            assertThat(lanes.lanes().get(0).tryNext()).isZero();
            assertThat(lanes.drain(Duration.ofSeconds(Long.MIN_VALUE))).isFalse();
            assertThat(lanes.drain(Long.MIN_VALUE)).isFalse();
            assertThat(lanes.drain(-1)).isFalse();
        }
    }

    @Test
    void aMapperDrainsWithinADuration() throws InterruptedException {
        Runnable[] work = new Runnable[1];
        Executor later = task -> work[0] = task;
        try (var mapper = new MapOrdered<Integer, Integer>(later, 4, input -> input + 1)) {
            var result = mapper.map(1);
            assertThat(mapper.drain(Duration.ZERO)).isFalse();
            work[0].run();
            assertThat(mapper.drain(MINUTE)).isTrue();
            assertThat(result).isCompletedWithValue(2);
        }
    }

    @Test
    void aTimeLimitIsTakenAsNanoseconds() {
        assertThatThrownBy(() -> OrderedScheduler.tasks().timeLimit(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("nanos must be 1 or more, but was 0");
    }
}
