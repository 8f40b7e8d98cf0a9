package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.junit.jupiter.api.Test;

class IdleStrategiesTest {
    @Test
    void onlyAStrategyThatHasToBeSignalledIsRefused() {
        IdleStrategies.checkWakesByItself(new BackoffIdleStrategy(), "idle", "who waits for room");
        IdleStrategies.checkWakesByItself(BusySpinIdleStrategy.INSTANCE, "idle", "who waits for room");
        for (SignalledIdle idle : new SignalledIdle[] {SignalledIdle.exact(), SignalledIdle.timed()}) {
            assertThatThrownBy(() -> IdleStrategies.checkWakesByItself(idle, "idle", "who waits for room"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("idle must be a strategy that wakes by itself, since nobody signals who waits for room,"
                            + " but was " + idle);
        }
    }
}
