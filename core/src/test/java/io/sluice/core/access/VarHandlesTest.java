package io.sluice.core.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.junit.jupiter.api.Test;

class VarHandlesTest {
    private static final VarHandle VALUE =
            VarHandles.field(MethodHandles.lookup(), VarHandlesTest.class, "value", long.class);

    private long value;

    @Test
    void aHandleReadsAndWritesTheField() {
        value = 1;
        assertThat(VALUE.compareAndSet(this, 1L, 2L)).isTrue();
        assertThat(value).isEqualTo(2);
        assertThat((long) VALUE.getAcquire(this)).isEqualTo(2);
    }

    @Test
    void aFieldThatIsNotThereOrOfAnotherTypeIsRefused() {
        MethodHandles.Lookup own = MethodHandles.lookup();
        assertThatThrownBy(() -> VarHandles.field(own, VarHandlesTest.class, "gone", long.class))
                .isInstanceOf(ExceptionInInitializerError.class)
                .hasCauseInstanceOf(NoSuchFieldException.class);
        assertThatThrownBy(() -> VarHandles.field(own, VarHandlesTest.class, "value", int.class))
                .isInstanceOf(ExceptionInInitializerError.class)
                .hasCauseInstanceOf(NoSuchFieldException.class);
    }

    @Test
    void aFieldThatTheCallerMayNotSeeIsRefused() {
        assertThatThrownBy(
                        () -> VarHandles.field(MethodHandles.publicLookup(), VarHandlesTest.class, "value", long.class))
                .isInstanceOf(ExceptionInInitializerError.class)
                .hasCauseInstanceOf(IllegalAccessException.class);
    }
}
