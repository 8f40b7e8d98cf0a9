package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that go on while there is more. The processors are worked by the test's own thread, which publishes too. */
class ExtendedBatchTest {
    /** Publishes, from within its calls, what is to arrive meanwhile. */
    private static final class Arriving extends Rings.Recorder {
        private final boolean extendsBatch;
        private final Map<Long, Runnable> arrivals = new HashMap<>();
        private long failing = -1;

        Arriving(boolean extendsBatch) {
            this.extendsBatch = extendsBatch;
        }

        @Override
        public boolean extendsBatch() {
            return extendsBatch;
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
            super.onEvent(event, sequence, endOfBatch);
            Runnable arrival = arrivals.remove(sequence);
            if (arrival != null) {
                arrival.run();
            }
            if (sequence == failing) {
                failing = -1;
                throw new IllegalStateException("failed");
            }
        }
    }

    /** Three events; two more arrive during the first, one during the fourth. */
    private static final class Rig {
        final RingBuffer<long[]> ring;
        final Pipeline<long[]> pipeline;
        final Producer<long[]> producer;
        final Arriving handler;
        final NewConsumer<long[]> consumer;

        Rig(boolean single, boolean extendsBatch) {
            ring = Rings.ring(single, 32); // a batch spans up to 8
            pipeline = Pipeline.on(ring);
            handler = new Arriving(extendsBatch);
            consumer = pipeline.consumer("arriving", handler);
            producer = ring.producer();
            handler.arrivals.put(0L, () -> Rings.publish(producer, 2));
            handler.arrivals.put(3L, () -> Rings.publish(producer, 1));
        }

        EventProcessor started() {
            pipeline.handleEventsWith(consumer);
            EventProcessor processor = pipeline.startProcessors().get(0);
            Rings.publish(producer, 3);
            return processor;
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchEndsWhenThereIsNoMore(boolean single) {
        Rig rig = new Rig(single, true);
        EventProcessor processor = rig.started();
        assertThat(processor.doWork()).isEqualTo(6);
        assertThat(rig.handler.calls).containsExactly("onStart", "start 3/3", "0", "1", "2", "3", "4", "5!", "end 5");
        assertThat(processor.sequence().get()).isEqualTo(5);
        assertThat(processor.doWork()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherwiseItEndsAtWhatWasThereWhenItBegan(boolean single) {
        Rig rig = new Rig(single, false);
        EventProcessor processor = rig.started();
        assertThat(processor.doWork()).isEqualTo(3);
        assertThat(rig.handler.calls).containsExactly("onStart", "start 3/3", "0", "1", "2!", "end 2");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLimitHolds(boolean single) {
        Rig rig = new Rig(single, true);
        rig.consumer.batchLimit(4);
        EventProcessor processor = rig.started();
        assertThat(processor.doWork()).isEqualTo(4);
        assertThat(processor.sequence().get()).isEqualTo(3);
        assertThat(processor.doWork()).isEqualTo(2);
        assertThat(rig.handler.calls)
                .filteredOn(call -> !call.startsWith("start")) // how much is seen at first is the barrier's business
                .containsExactly("onStart", "0", "1", "2", "3!", "end 3", "4", "5!", "end 5");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEventByWhichTheBatchHasGrownMayBeFinishedAndIsProgress(boolean single) {
        Rig rig = new Rig(single, true);
        rig.consumer.finishesEvents();
        EventProcessor processor = rig.started();
        ConsumerHandle consumer = rig.pipeline.consumer(rig.handler);
        rig.handler.arrivals.put(4L, () -> {
            consumer.finish(5);
            consumer.progress(4);
            assertThat(processor.sequence().get()).as("told within the batch").isEqualTo(4);
        });
        assertThat(processor.doWork()).isEqualTo(6);
        assertThat(rig.handler.calls).containsExactly("onStart", "start 3/3", "0", "1", "2", "3", "4", "5!", "end 5");
        assertThat(consumer.failure()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEndIsOnTheLastLiveEventOfTheLongerBatch(boolean single) {
        Rig rig = new Rig(single, true);
        rig.handler.arrivals.put(3L, () -> {
            long aborted = rig.producer.next(2);
            rig.producer.abort(aborted - 1, aborted);
        });
        EventProcessor processor = rig.started();
        assertThat(processor.doWork()).isEqualTo(7);
        assertThat(rig.handler.calls).containsExactly("onStart", "start 3/3", "0", "1", "2", "3", "4!", "end 6");
        assertThat(processor.sequence().get()).isEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void abortedSlotsInTheMiddleAreNotDelivered(boolean single) {
        Rig rig = new Rig(single, true);
        rig.handler.arrivals.put(3L, () -> {
            long aborted = rig.producer.next(1);
            rig.producer.abort(aborted, aborted);
            Rings.publish(rig.producer, 1);
        });
        EventProcessor processor = rig.started();
        assertThat(processor.doWork()).isEqualTo(7);
        assertThat(rig.handler.calls).containsExactly("onStart", "start 3/3", "0", "1", "2", "3", "4", "6!", "end 6");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailureInTheLongerPartIsHandledAsAnywhere(boolean single) {
        FailurePolicies.Report none = (cause, sequence, attempt) -> {};
        Map<FailurePolicy<long[]>, String[]> expected = Map.of(
                FailurePolicies.skip(none),
                new String[] {"onStart", "start 3/3", "0", "1", "2", "3", "4", "5!", "end 5"},
                FailurePolicies.retryEvent(1, none, Action.HALT),
                new String[] {"onStart", "start 3/3", "0", "1", "2", "3", "4", "4", "5!", "end 5"},
                FailurePolicies.rewindBatch(1, none, Action.HALT),
                new String[] {
                    "onStart", "start 3/3", "0", "1", "2", "3", "4", "start 6/6", "0", "1", "2", "3", "4", "5!", "end 5"
                });
        expected.forEach((policy, calls) -> {
            Rig rig = new Rig(single, true);
            rig.handler.failing = 4;
            rig.consumer.onFailure(policy);
            EventProcessor processor = rig.started();
            assertThat(processor.doWork()).isEqualTo(6);
            assertThat(rig.handler.calls).containsExactly(calls);
            assertThat(processor.sequence().get()).isEqualTo(5);
        });
    }
}
