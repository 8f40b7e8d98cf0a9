package io.sluice.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OpaqueCountersTest {
    @Test
    void eachCounterCountsByItself() {
        OpaqueCounters counters = new OpaqueCounters(2);
        counters.add(0, 2);
        counters.add(0, 3);
        counters.set(1, 7);
        assertThat(counters.get(0)).isEqualTo(5);
        assertThat(counters.get(1)).isEqualTo(7);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 31})
    void aSizeOutOfItsRangeIsRefused(int size) {
        assertThatThrownBy(() -> new OpaqueCounters(size))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("size must be from 1 to 2147483615, but was " + size);
    }
}
