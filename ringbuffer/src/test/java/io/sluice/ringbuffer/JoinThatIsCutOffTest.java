package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Join;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A join whose wake-up is cut off, as by the end of the stack, at whichever of its wake-ups. */
class JoinThatIsCutOffTest {
    private static final int EVENTS = 4;

    private final RingBuffer<long[]> ring = Rings.ring(true, 16);
    private final Producer<long[]> producer = ring.producer();
    private final FailingWakeUps<long[]> wakeUps = new FailingWakeUps<>(ring);
    private final Pipeline<long[]> pipeline = Pipeline.on(wakeUps.ring());
    private final EventPoller<long[]> first = pipeline.poller("first");
    private final EventPoller<long[]> last = pipeline.after(first.consumer()).thenPoller("last");

    /** The wake-ups are those that ask others to rest, and those behind the join. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJoinWhoseWakeUpIsCutOffHasFailedAndIsInNobodysWay(int which) {
        pipeline.startProcessors();
        pass(null);
        Join<long[]> join =
                pipeline.joinPoller("between").after(first.consumer()).before(last.consumer());
        wakeUps.cutOff(which, false);
        assertThatThrownBy(() -> join.poller(Rings.LONG))
                .isInstanceOf(StackOverflowError.class)
                .hasMessage("planned");
        pass(null);
        EventPoller<long[]> between = poller(join);
        pass(between);
        assertThat(between.consumer().remove(0)).isEqualTo(Removal.LEFT);
        pass(null);
    }

    private void refused() {
        pipeline.startProcessors();
        pass(null);
        Join<long[]> join =
                pipeline.joinPoller("between").after(first.consumer()).before(last.consumer());
        wakeUps.cutOff(2, true);
        assertThatThrownBy(() -> join.poller(Rings.LONG)).isInstanceOf(StackOverflowError.class);
        assertThat(wakeUps.stillLacksMemory())
                .as("looks at what gates, without memory")
                .isFalse();
    }

    @Test
    void oneThatThereIsNoMemoryToTakeOutIsTakenOutByWhoFindsNoRoom() {
        refused();
        int full = 0;
        for (int i = 0; i < 10 * EVENTS; i++) {
            if (producer.tryPublishEvent((event, sequence) -> {}) < 0) {
                full++;
                assertThat(producer.tryPublishEvent((event, sequence) -> {})).isNotNegative();
            }
            all(first);
            all(last);
        }
        assertThat(full).as("times that the ring was full").isEqualTo(1);
    }

    @Test
    void oneThatThereIsNoMemoryToTakeOutKeepsNobodyWaiting() {
        refused();
        long event = producer.publishEvent((slot, sequence) -> {});
        all(first);
        all(last);
        assertThat(pipeline.awaitHandled(event, 0)).isTrue();
    }

    @Test
    void aRingIsDrainedThoughThereWasNoMemoryToTakeOneOut() {
        refused();
        producer.publishEvent((slot, sequence) -> {});
        all(first);
        all(last);
        producer.close();
        assertThat(ring.drain(0).isNone()).isTrue();
        assertThat(ring.close(Duration.ZERO).isNone()).isTrue();
    }

    private static EventPoller<long[]> poller(Join<long[]> join) {
        try {
            return join.poller(Rings.LONG);
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** More events than the ring holds pass all pollers, each behind the one before. */
    private void pass(@Nullable EventPoller<long[]> between) {
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < EVENTS; i++) {
                assertThat(producer.tryPublishEvent((event, sequence) -> {}))
                        .as("%s", ring.leftover())
                        .isNotNegative();
            }
            assertThat(all(last)).isZero();
            assertThat(all(first)).isEqualTo(EVENTS);
            if (between != null) {
                assertThat(all(last)).isZero();
                assertThat(all(between)).isEqualTo(EVENTS);
            }
            assertThat(all(last)).isEqualTo(EVENTS);
        }
    }

    private static int all(EventPoller<long[]> poller) {
        int all = 0;
        int some;
        do {
            some = poller.poll((event, sequence, endOfBatch) -> {}, EVENTS);
            all += some;
        } while (some > 0);
        return all;
    }
}
