package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every crash of many short programs: see {@link CrashExplorer}. The property {@code io.sluice.crash.states} sets the number
 * of states to try.
 */
@Tag("once")
@Tag("any-jdk")
class CrashExplorerTest {
    @Test
    void whateverACrashLeavesAllThatWasAcknowledgedIsThere() throws Exception {
        long start = System.nanoTime();
        CrashExplorer.Totals totals = CrashExplorer.explore();
        System.out.println("crash explorer: " + totals + ", " + (System.nanoTime() - start) / 1_000_000 + " ms");
        if (totals.ran.replay()) {
            return;
        }
        assertThat(totals.ran.programs()).isGreaterThan(totals.states / 20_000);
        assertThat(totals.kills).as("processes that died").isPositive();
        assertThat(totals.failedForces).as("forces that failed").isPositive();
        assertThat(totals.epochsInVain)
                .as("epochs of several pages that were forced in vain")
                .isGreaterThan(totals.states / 1_000);
        assertThat(totals.crashesInOpening).as("openings that were cut").isPositive();
        assertThat(totals.secondLives).as("journals that went on and were cut").isPositive();
        assertThat(totals.refusals).as("calls that were refused").isPositive();
        assertThat(totals.closesWithoutRoom)
                .as("journals that were closed on a full disk")
                .isPositive();
        assertThat(totals.sparesOfAnotherSize).as("spares of another size").isPositive();
        assertThat(totals.readersRefused).as("exceptions of readers").isPositive();
    }
}
