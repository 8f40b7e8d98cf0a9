package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;

/** A time may be given as a duration too, and means the same then. */
class DurationsTest {
    @Test
    void theTimeOutOfASinkIsTakenAsNanoseconds() {
        BatchingConfig config = BatchingConfig.defaults().sinkIdle(NoOpIdleStrategy.INSTANCE, Duration.ofMillis(3));
        assertThat(config.sinkTimeoutNanos).isEqualTo(3_000_000);
        assertThatThrownBy(() -> config.sinkIdle(NoOpIdleStrategy.INSTANCE, Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeoutNanos must be 0 or more, but was -1");
        assertThatThrownBy(() -> config.sinkIdle(NoOpIdleStrategy.INSTANCE, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("limit");
    }

    @Test
    void theServiceTimeOfAnAdaptiveLimitIsTakenAsNanoseconds() {
        AdaptiveLimit asDuration = new AdaptiveLimit(Duration.ofMillis(1), 1, 1_000_000);
        AdaptiveLimit asNanos = new AdaptiveLimit(1_000_000, 1, 1_000_000);
        for (int bytes = 1_000; bytes < 10_000; bytes += 1_000) {
            asDuration.onService(bytes, 10L * bytes);
            asNanos.onService(bytes, 10L * bytes);
        }
        assertThat(asDuration.limit()).isEqualTo(asNanos.limit()).isGreaterThan(1);
        assertThatThrownBy(() -> new AdaptiveLimit(Duration.ZERO, 1, 2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("targetNanos");
    }
}
