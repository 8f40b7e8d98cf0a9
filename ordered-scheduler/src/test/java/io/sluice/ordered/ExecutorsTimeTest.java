package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ordered.Programs.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What time an executor has before a wait goes on in its stead, to the nanosecond. */
@Timeout(30)
class ExecutorsTimeTest {
    private final ProgramClock clock = new ProgramClock();
    private final List<Long> handled = new ArrayList<>();
    private final OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder(
                    (ticket, value) -> handled.add(ticket))
            .window(2)
            .batchLimit(1, task -> {})
            .time(clock)
            .build();

    private long next(long nanos) {
        return clock.during(
                new Wait(nanos, 0, 0), scheduler.delivery.admission, () -> scheduler.next(nanos, TimeUnit.NANOSECONDS));
    }

    /** Of a full window the first ticket is handled, and the rest is given away. */
    private void stall() {
        clock.pass(1_000_000_000);
        long first = scheduler.tryNext();
        long second = scheduler.tryNext();
        scheduler.complete(second, "v");
        scheduler.complete(first, "v");
        assertThat(handled).endsWith(first);
        assertThat(scheduler.tryNext()).isEqualTo(second + 1);
    }

    @Test
    void anExecutorHasFiftyMicrosecondsBeforeAWaitThatIsOverGoesOnInItsStead() {
        stall();
        clock.pass(49_998);
        assertThat(next(1)).as("with 49,999 ns").isEqualTo(OrderedScheduler.TIMED_OUT);
        assertThat(handled).containsExactly(0L);
        assertThat(next(1)).as("with 50,000 ns").isEqualTo(3);
        assertThat(handled).containsExactly(0L, 1L);
    }

    @Test
    void eachHandOverHasItsOwnTime() {
        stall();
        assertThat(next(50_000)).isEqualTo(3);
        scheduler.complete(3, "v");
        scheduler.complete(2, "v"); // and so 3 is given away
        assertThat(scheduler.tryNext()).isEqualTo(4);
        assertThat(next(49_999)).isEqualTo(OrderedScheduler.TIMED_OUT);
        assertThat(next(1)).isEqualTo(5);
    }
}
