package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who joins behind a consumer that is within a batch hears of that batch's end, though nobody was to be woken when it began. */
class JoinBehindRangesTest {
    /** Its work is done by the test. */
    private static final class NeverRun extends Thread {
        NeverRun(Runnable body) {
            super(body);
        }

        @Override
        public void start() {}
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aNewcomerThatHasParkedIsWokenByTheBatchThatWasUnderWay(boolean ranges) throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 8)
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> gate =
                pipeline.poller("gate"); // the slowest: rests for the join, which its thread has left
        SignalledIdle idle = SignalledIdle.exact(0);
        if (ranges) {
            BatchHandler<long[]> batches = (events, from, to) -> {
                if (from == 0) {
                    join(pipeline, idle);
                }
                return to;
            };
            pipeline.handleBatchesWith(batches);
        } else {
            EventHandler<long[]> events = (event, sequence, endOfBatch) -> {
                if (sequence == 0) {
                    join(pipeline, idle);
                }
            };
            pipeline.handleEventsWith(events);
        }
        pipeline.threads(NeverRun::new);
        EventProcessor processor = pipeline.startProcessors().get(0);
        Rings.onOwnThread(() -> gate.poll((event, sequence, endOfBatch) -> {}, 1));
        Rings.publish(ring.producer(), 1);
        assertThat(processor.doWork()).isEqualTo(1); // within it somebody joins, and announces its park
        assertThat(pipeline.consumers()).hasSize(3);
        processor.doWork();
        idle.deadline(System.nanoTime() + 1_000_000); // a bound, should it sleep
        idle.idle();
        assertThat(idle.parks()).as("it would sleep beside an event").isZero();
    }

    private static void join(Pipeline<long[]> pipeline, SignalledIdle idle) {
        try {
            Rings.onOwnThread(() -> {
                ConsumerHandle working = pipeline.consumers().get(1);
                try {
                    pipeline.join((event, sequence, endOfBatch) -> {})
                            .after(working)
                            .idle(() -> idle)
                            .start(Rings.LONG);
                } catch (TimeoutException e) {
                    throw new IllegalStateException(e);
                }
                idle.idle(); // its thread finds nothing, and announces its park
            });
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
