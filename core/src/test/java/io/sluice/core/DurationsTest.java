package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A time may be given as a duration too, and means the same then. */
class DurationsTest {
    @Test
    void theTimesOfATimedParkAreTakenAsNanoseconds() {
        assertThat(SignalledIdle.timed(Duration.ofNanos(5), Duration.ofNanos(5)).isExact())
                .isFalse();
        assertThatThrownBy(() -> SignalledIdle.timed(Duration.ofNanos(5), Duration.ofNanos(4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("minParkNanos was 5 and maxParkNanos 4");
        assertThatThrownBy(() -> SignalledIdle.timed(null, Duration.ofMillis(1)))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("minPark");
        assertThatThrownBy(() -> SignalledIdle.timed(Duration.ofMillis(1), null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("maxPark");
    }
}
