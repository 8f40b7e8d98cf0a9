package io.sluice.jcstress;

import io.sluice.core.conflation.LatestByKey;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Offers of the one key there is, against the consumer that takes it, under Lincheck: the last value is delivered. A key whose
 * place is cleared behind an offer would be stuck, its values never delivered again.
 */
@Tag("once")
class LatestByKeyLincheckTest {
    @Test
    void theLastValueOfAKeyIsDeliveredThoughItsPlaceWasTakenJustNow() {
        Interleavings.check(OneKey.class, Nothing.class, 2, 2, 900);
    }

    /** A value is pending from the beginning. */
    public static class OneKey {
        private final LatestByKey<Long> latest = new LatestByKey<>(1, value -> {});
        private long offered;
        private long delivered = -1;

        public OneKey() {
            latest.offer(0, offered);
        }

        @Operation(nonParallelGroup = "producer")
        public void offer() {
            latest.offer(0, ++offered);
        }

        @Operation(nonParallelGroup = "consumer")
        public void drain() {
            latest.drain((key, value) -> delivered = value, 1);
        }

        @Validate
        public void theLastIsDelivered() {
            latest.drain((key, value) -> delivered = value, 2);
            if (delivered != offered) {
                throw new IllegalStateException("offered up to " + offered + ", delivered up to " + delivered);
            }
        }
    }

    /** Operations without results. */
    public static class Nothing {
        public void offer() {}

        public void drain() {}
    }
}
