package io.sluice.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread whose hand-over is refused goes on, and what it handles then is counted as before. */
class RefusedHandOverTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void ticketsLeftForAnotherThreadAreCountedAlsoAfterTheExecutorHasRefused(int limit) {
        List<Long> handled = new ArrayList<>();
        OrderedScheduler<String> scheduler = OrderedScheduler.<String>builder((ticket, value) -> handled.add(ticket))
                .window(8)
                .batchLimit(limit, task -> {
                    throw new RejectedExecutionException("full");
                })
                .build();
        for (int i = 0; i < 8; i++) {
            scheduler.tryNext();
        }
        for (int ticket = 7; ticket >= 0; ticket--) {
            scheduler.complete(ticket, "value");
        }
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        SchedulerSnapshot metrics = scheduler.snapshot();
        assertThat(metrics.handOversRefused()).isPositive();
        assertThat(metrics.deferred()).as("all but the last completed").isEqualTo(7);
        assertThat(metrics.inOrder()).isEqualTo(1);
        assertThat(metrics.longestDrain()).isLessThanOrEqualTo(limit);
    }
}
