package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A thread has lowered the word of all that idle, and is about to wake them. Another one, that waits for a consumer, finds the word lowered,
 * and leaves the wake-up to it. Then the end of the stack cuts the first one off. Who waits makes up for it.
 */
@Tag("concurrency")
@Timeout(60)
class OwedWakeUpsTest {
    private static final int LOWERED = 1;
    private static final int RAISED = 3;

    private enum Waits {
        FOR_A_JOIN,
        FOR_ONE_TO_LEAVE,
        FOR_THE_END
    }

    private final List<SignalledIdle> idles = new CopyOnWriteArrayList<>();
    private final EventHandler<long[]> quiet = (event, sequence, endOfBatch) -> {};

    @ParameterizedTest
    @EnumSource
    void whoWaitsForAConsumerMakesUpForAWakeUpThatWasCutOff(Waits waits) throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8)
                .consumersIdle(() -> {
                    SignalledIdle idle = SignalledIdle.exact(0);
                    idles.add(idle);
                    return idle;
                })
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(quiet);
        pipeline.start();
        ConsumerHandle sleeper = pipeline.consumer(quiet);
        try {
            Rings.await("the consumer to sleep", this::isAsleep);
            WakeUps wakeUps = ((ObjectRing<long[]>) ring).wakeUps;
            Field everyone = WakeUps.class.getDeclaredField("everyone");
            everyone.setAccessible(true);
            Field word = SignalGroup.class.getSuperclass().getDeclaredField("waiting");
            word.setAccessible(true);
            word.setInt(everyone.get(wakeUps), LOWERED);
            Rings.Caller other = new Rings.Caller(() -> waits(waits, pipeline, sleeper));
            other.awaitWaiting();
            assertThat(isAsleep()).as("the consumer sleeps").isTrue();
            word.setInt(everyone.get(wakeUps), RAISED);
            wakeUps.owed = true;
            assertThat(other.result()).isNull();
        } finally {
            pipeline.close(Duration.ofSeconds(20));
        }
    }

    private void waits(Waits waits, Pipeline<long[]> pipeline, ConsumerHandle sleeper) {
        switch (waits) {
            case FOR_A_JOIN -> join(pipeline, sleeper);
            case FOR_ONE_TO_LEAVE ->
                assertThat(sleeper.remove(Duration.ofSeconds(10))).isEqualTo(Removal.LEFT);
            default ->
                assertThat(pipeline.close(Duration.ofSeconds(10)).running()).isEmpty();
        }
    }

    private static void join(Pipeline<long[]> pipeline, ConsumerHandle sleeper) {
        try {
            pipeline.join((event, sequence, endOfBatch) -> {}).before(sleeper).start(Duration.ofSeconds(10));
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private boolean isAsleep() {
        return idles.stream().anyMatch(idle -> idle.parkedSince() != SignalledIdle.NO_DEADLINE);
    }
}
