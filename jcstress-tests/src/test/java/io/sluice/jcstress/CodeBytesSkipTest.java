package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

/** Where the tests that read machine code may be skipped, and where that is a failure. */
@Tag("once")
class CodeBytesSkipTest {
    @Test
    void aMissingObjdumpOnX86FailsTheContinuousBuild() {
        assertThatThrownBy(() -> CodeBytes.decide(true, () -> false, "true"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("objdump");
    }

    @Test
    void elsewhereTheTestIsSkipped() {
        assertThatThrownBy(() -> CodeBytes.decide(true, () -> false, null)).isInstanceOf(TestAbortedException.class);
        assertThatThrownBy(() -> CodeBytes.decide(true, () -> false, "false")).isInstanceOf(TestAbortedException.class);
        assertThatThrownBy(() -> CodeBytes.decide(false, () -> false, "true")).isInstanceOf(TestAbortedException.class);
        assertThatThrownBy(() -> CodeBytes.decide(false, () -> true, "true")).isInstanceOf(TestAbortedException.class);
    }

    @Test
    void whereTheBytesCanBeReadTheTestRuns() {
        assertThatCode(() -> CodeBytes.decide(true, () -> true, "true")).doesNotThrowAnyException();
        assertThatCode(() -> CodeBytes.decide(true, () -> true, null)).doesNotThrowAnyException();
    }
}
