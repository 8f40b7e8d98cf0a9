package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every crash of many short programs: see {@link CrashExplorer}. The property {@code io.sluice.crash.states} sets the number
 * of states to try, {@code sluice.seed} the first program.
 */
@Tag("once")
class CrashExplorerTest {
    private static final long STATES = Long.getLong("io.sluice.crash.states", 100_000);
    private static final long SEED = Long.getLong("sluice.seed", 1);

    @Test
    void whateverACrashLeavesAllThatWasAcknowledgedIsThere() {
        long start = System.nanoTime();
        CrashExplorer.Totals totals = CrashExplorer.explore(SEED, STATES, false);
        System.out.println("crash explorer: " + totals + ", " + (System.nanoTime() - start) / 1_000_000 + " ms");
        assertThat(totals.states).isGreaterThanOrEqualTo(STATES);
        assertThat(totals.programs).isGreaterThan(STATES / 20_000);
        assertThat(totals.kills).as("processes that died").isPositive();
        assertThat(totals.failedForces).as("forces that failed").isPositive();
        assertThat(totals.crashesInOpening).as("openings that were cut").isPositive();
    }
}
