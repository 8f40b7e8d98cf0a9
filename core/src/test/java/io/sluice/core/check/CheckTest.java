package io.sluice.core.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CheckTest {
    @Test
    void nullIsRefusedByName() {
        assertThat(Check.notNull("a", "ring")).isEqualTo("a");
        assertThatThrownBy(() -> Check.notNull(null, "ring"))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("ring must not be null");
    }

    @Test
    void aNumberIsRefusedWithItsRange() {
        assertThatCode(() -> Check.inRange(1, 1, 9, "n")).doesNotThrowAnyException();
        assertThatCode(() -> Check.inRange(9, 1, 9, "n")).doesNotThrowAnyException();
        assertThatThrownBy(() -> Check.inRange(0, 1, 9, "n"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("n must be from 1 to 9, but was 0");
        assertThatThrownBy(() -> Check.inRange(10, 1, 9, "n")).hasMessage("n must be from 1 to 9, but was 10");
        assertThatThrownBy(() -> Check.inRange(-1, 0, Long.MAX_VALUE, "n"))
                .hasMessage("n must be 0 or more, but was -1");
        assertThatThrownBy(() -> Check.inRange(0, 1, Integer.MAX_VALUE, "n"))
                .hasMessage("n must be 1 or more, but was 0");
    }

    @Test
    void whatIsNoPowerOfTwoIsRefused() {
        assertThatCode(() -> Check.powerOfTwo(1, 1, 8, "n")).doesNotThrowAnyException();
        assertThatCode(() -> Check.powerOfTwo(8, 1, 8, "n")).doesNotThrowAnyException();
        for (long wrong : new long[] {-8, 0, 3, 12, 16, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> Check.powerOfTwo(wrong, 1, 8, "n"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("n must be a power of two from 1 to 8, but was " + wrong);
        }
    }
}
