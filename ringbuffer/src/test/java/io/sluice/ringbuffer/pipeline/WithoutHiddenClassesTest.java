package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That the run of the contract tests on the shared classes is one; and that any other run is not. */
@Tag("once")
class WithoutHiddenClassesTest {
    private static final class Event {
        long value;
    }

    @Test
    void thePropertyDecidesWhichClassesThisJvmUses() {
        boolean forbidden = "false".equals(System.getProperty("io.sluice.hiddenClasses"));
        RingBuffer<Event> ring = RingBufferBuilder.of(Event::new).capacity(8).build();
        Pipeline<Event> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        assertThat(processor.getClass().isHidden()).isEqualTo(!forbidden);
        assertThat(ring.producer().getClass().isHidden()).isEqualTo(!forbidden);
        assertThat(processor.doWork()).isZero();
    }
}
