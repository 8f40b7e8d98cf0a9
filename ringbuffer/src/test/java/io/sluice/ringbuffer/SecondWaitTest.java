package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A publisher that has waited once for room waits the next time as if it were the first. */
@Timeout(60)
class SecondWaitTest {
    private static final int STEPS = 3;

    /** Makes room with each third step. */
    private static final class Steps implements IdleStrategy {
        final List<Integer> taken = new ArrayList<>();
        Runnable makeRoom = () -> {};
        private int step;

        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            taken.add(++step);
            if (step % STEPS == 0) {
                makeRoom.run();
            }
        }

        @Override
        public void reset() {
            step = 0;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachWaitForRoomBeginsWithTheFirstStepOfTheIdleStrategy(boolean single) {
        Steps steps = new Steps();
        RingBuffer<long[]> ring =
                Rings.ringBuilder(single, 2).producersIdle(() -> steps).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        steps.makeRoom = () -> poll(poller);
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 2);
        Rings.publish(producer, 3); // each waits
        assertThat(steps.taken).containsExactly(1, 2, 3, 1, 2, 3, 1, 2, 3);
    }

    private static void poll(EventPoller<long[]> poller) {
        try {
            Rings.onOwnThread(() -> poller.poll((event, sequence, endOfBatch) -> {}, 1));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
