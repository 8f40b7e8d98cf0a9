package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.Rings.Recorder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stage whose handlers divide the events among themselves by key. */
@Timeout(60)
class PartitionTest {
    @SuppressWarnings("StaticAssignmentOfThrowable") // to be recognized
    private static final RuntimeException PLANNED = new IllegalArgumentException("planned");

    private static long key(long[] event) {
        return event[0];
    }

    private static void publish(Producer<long[]> producer, long... keys) {
        for (long key : keys) {
            producer.publishEvent((event, sequence, value) -> event[0] = value, key);
        }
    }

    private static List<Recorder> recorders(int n) {
        List<Recorder> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(new Recorder());
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachHandlerGetsItsKeysInOrder(boolean single) {
        RingBuffer<long[]> ring = Rings.ring(single, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Recorder zero = new Recorder();
        Recorder one = new Recorder();
        Recorder two = new Recorder();
        Recorder last = new Recorder();
        pipeline.handleEventsPartitionedBy(PartitionTest::key, zero, one, two).then(last);
        List<EventProcessor> run = pipeline.startProcessors();
        publish(ring.producer(), 0, 1, 4, 3, -2, 6, 1, 0);
        assertThat(run.get(0).doWork()).isEqualTo(8);
        assertThat(run.get(1).doWork()).isEqualTo(8);
        assertThat(run.get(3).doWork()).as("behind all of them").isZero();
        assertThat(run.get(2).doWork()).as("no event of its own").isEqualTo(8);
        assertThat(zero.calls).containsExactly("onStart", "start 8/8", "0", "3", "5", "7!", "end 7");
        assertThat(one.calls).containsExactly("onStart", "start 8/8", "1", "2", "4", "6!", "end 7");
        assertThat(two.calls).containsExactly("onStart");
        run.get(3).doWork();
        assertThat(last.calls).contains("0", "7!");
        assertThat(run.get(2).sequence().get()).isEqualTo(7);
        ring.close();
    }

    @Test
    void everyKeyHasOneHandlerWhateverTheNumberOfHandlers() {
        SplittableRandom random = new SplittableRandom(1);
        for (int count = 1; count <= 9; count++) {
            for (int i = 0; i < 1_000; i++) {
                long key = i < 20 ? i - 10 : i == 20 ? Long.MIN_VALUE : i == 21 ? Long.MAX_VALUE : random.nextLong();
                int owners = 0;
                for (int index = 0; index < count; index++) {
                    if (new Partition<long[]>(PartitionTest::key, index, count).isOwn(key)) {
                        owners++;
                        assertThat(index).isEqualTo((int) Math.floorMod(key, (long) count));
                    }
                }
                assertThat(owners).as("owners of key %d of %d", key, count).isEqualTo(1);
            }
        }
    }

    @Test
    void abortedEventsAreNobodysAndTheirKeysAreNotAskedFor() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = Rings.ring(single, 32);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            List<Long> asked = new ArrayList<>();
            Recorder all = new Recorder();
            pipeline.handleEventsPartitionedBy(
                    event -> {
                        asked.add(event[0]);
                        return event[0];
                    },
                    all);
            EventProcessor run = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            publish(producer, 5);
            long aborted = producer.next(1);
            producer.get(aborted)[0] = 99;
            producer.abort(aborted, aborted);
            publish(producer, 6);
            aborted = producer.next(1);
            producer.get(aborted)[0] = 98;
            producer.abort(aborted, aborted);
            assertThat(run.doWork()).isEqualTo(4);
            assertThat(asked).as("once each").containsExactly(5L, 6L);
            assertThat(all.calls).containsExactly("onStart", "start 4/4", "0", "2!", "end 3");
            ring.close();
        }
    }

    // failures

    private static List<String> calls(
            io.sluice.core.FailurePolicy<long[]> policy, ToLongFunction<long[]> key, Recorder handler) {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsPartitionedBy(
                key,
                pipeline.consumer("handler", handler).onFailure(policy),
                pipeline.consumer("other", new Recorder()));
        EventProcessor run = pipeline.startProcessors().get(0);
        publish(ring.producer(), 0, 1, 2, 1, 4, 1);
        Rings.exhaust(run);
        handler.calls.add("at " + run.sequence().get() + " " + ring.state());
        ring.close();
        return handler.calls;
    }

    /** Throws as often as told at an event. */
    private static Recorder failing(long at, int times) {
        int[] left = {times};
        return new Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence == at && left[0]-- > 0) {
                    throw PLANNED;
                }
            }
        };
    }

    @Test
    void everyPolicyAtAnEvent() {
        assertThat(calls(FailurePolicies.skip((cause, sequence, attempt) -> {}), PartitionTest::key, failing(2, 1)))
                .containsExactly("onStart", "start 6/6", "0", "2", "4!", "end 5", "at 5 RUNNING");
        assertThat(calls(
                        FailurePolicies.retryEvent(2, (cause, sequence, attempt) -> {}, Action.HALT),
                        PartitionTest::key,
                        failing(4, 2)))
                .containsExactly("onStart", "start 6/6", "0", "2", "4!", "4!", "4!", "end 5", "at 5 RUNNING");
        assertThat(calls(
                        FailurePolicies.rewindBatch(2, (cause, sequence, attempt) -> {}, Action.HALT),
                        PartitionTest::key,
                        failing(2, 1)))
                .containsExactly(
                        "onStart", "start 6/6", "0", "2", "start 6/6", "0", "2", "4!", "end 5", "at 5 RUNNING");
        assertThat(calls(FailurePolicies.halt(), PartitionTest::key, failing(2, 1)))
                .containsExactly("onStart", "start 6/6", "0", "2", "at -1 FAILED");
        assertThat(calls(
                        FailurePolicies.rewindBatch(1, (cause, sequence, attempt) -> {}, Action.SKIP),
                        PartitionTest::key,
                        failing(4, 5)))
                .as("bounded")
                .containsExactly(
                        "onStart", "start 6/6", "0", "2", "4!", "start 6/6", "0", "2", "4!", "end 5", "at 5 RUNNING");
    }

    @Test
    void whatTheKeyFunctionThrowsGoesToThePolicyWithItsEvent() {
        List<String> told = new ArrayList<>();
        int[] left = {1};
        ToLongFunction<long[]> key = event -> {
            if (event[0] == 2 && left[0]-- > 0) {
                throw PLANNED;
            }
            return event[0];
        };
        for (Action action : Action.values()) {
            left[0] = 1;
            told.clear();
            List<String> calls = calls(
                    (cause, event, sequence, attempt) -> {
                        told.add(cause.getMessage() + " " + (event == null ? "none" : event[0]) + " at " + sequence
                                + "/" + attempt);
                        return action;
                    },
                    key,
                    new Recorder());
            assertThat(told).containsExactly("planned 2 at 2/1");
            switch (action) {
                case SKIP ->
                    assertThat(calls).containsExactly("onStart", "start 6/6", "0", "4!", "end 5", "at 5 RUNNING");
                case RETRY_EVENT, REWIND_BATCH ->
                    assertThat(calls).containsExactly("onStart", "start 6/6", "0", "2", "4!", "end 5", "at 5 RUNNING");
                case HALT -> assertThat(calls).containsExactly("onStart", "at -1 FAILED");
            }
        }
    }

    /** The keys of a batch are read before any of its events is handed over: their failures are none of the handler's. */
    @ParameterizedTest
    @ValueSource(longs = {0, 2, 4})
    void aKeyThatIsReadAgainCostsTheHandlerNoneOfItsRetries(long failsAt) {
        boolean[] failed = {false};
        ToLongFunction<long[]> key = event -> {
            if (event[0] == 4 && !failed[0]) {
                failed[0] = true;
                throw PLANNED;
            }
            return event[0];
        };
        List<String> told = new ArrayList<>();
        List<String> calls = calls(
                FailurePolicies.retryEvent(
                        1, (cause, sequence, attempt) -> told.add(sequence + "/" + attempt), Action.HALT),
                key,
                failing(failsAt, 1));
        assertThat(told).containsExactly("4/1", failsAt + "/1");
        assertThat(calls).endsWith("end 5", "at 5 RUNNING");
    }

    @Test
    void failuresAtTheEdgesOfABatchGoToThePolicyWithoutAnEvent() {
        List<String> told = new ArrayList<>();
        Recorder handler = new Recorder() {
            @Override
            public void onBatchStart(long size, long available) {
                super.onBatchStart(size, available);
                throw PLANNED;
            }

            @Override
            public void onBatchEnd(long sequence) throws Exception {
                super.onBatchEnd(sequence);
                throw PLANNED;
            }
        };
        assertThat(calls(
                        (cause, event, sequence, attempt) -> {
                            told.add((event == null ? "none" : "event") + " at " + sequence + "/" + attempt);
                            return attempt == 1 ? Action.RETRY_EVENT : Action.SKIP;
                        },
                        PartitionTest::key,
                        handler))
                .containsExactly("onStart", "start 6/6", "start 6/6", "0", "2", "4!", "end 5", "end 5", "at 5 RUNNING");
        assertThat(told).containsExactly("none at 0/1", "none at 0/2", "none at 5/1", "none at 5/2");
    }

    @Test
    void aRewindGoesBackNoFurtherThanTheHandlersOwnProgress() {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicReference<ConsumerHandle> self = new AtomicReference<>();
        int[] left = {1};
        Recorder handler = new Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence == 2 && left[0] > 0) {
                    self.get().progress(1);
                } else if (sequence == 4 && left[0]-- > 0) {
                    throw PLANNED;
                }
            }
        };
        pipeline.handleEventsPartitionedBy(
                PartitionTest::key,
                pipeline.consumer("handler", handler)
                        .onFailure(FailurePolicies.rewindBatch(1, (cause, sequence, attempt) -> {}, Action.HALT)),
                pipeline.consumer("other", new Recorder()));
        EventProcessor run = pipeline.startProcessors().get(0);
        self.set(pipeline.consumer(handler));
        publish(ring.producer(), 0, 1, 2, 1, 4, 1);
        Rings.exhaust(run);
        assertThat(handler.calls)
                .containsExactly("onStart", "start 6/6", "0", "2", "4!", "start 4/4", "2", "4!", "end 5");
        ring.close();
    }

    // leaving, and bad input

    @Test
    void whoIsRemovedTakesItsKeysWithIt() {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Recorder> all = recorders(2);
        Recorder last = new Recorder();
        pipeline.handleEventsPartitionedBy(PartitionTest::key, all.get(0), all.get(1))
                .then(last);
        List<EventProcessor> run = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        publish(producer, 0, 1);
        run.forEach(Rings::exhaust);
        assertThat(pipeline.consumer(all.get(1)).remove(LONG)).isEqualTo(Removal.LEFT);
        publish(producer, 2, 3);
        Rings.exhaust(run.get(0));
        Rings.exhaust(run.get(2));
        assertThat(all.get(0).calls).contains("2!");
        assertThat(all.get(1).calls).doesNotContain("3!");
        assertThat(last.calls).contains("3!");
        ring.close();
    }

    @Test
    void badDeclarationsAreRefused() {
        RingBuffer<long[]> ring = Rings.ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Recorder a = new Recorder();
        assertThatThrownBy(() -> pipeline.handleEventsPartitionedBy(PartitionTest::key, new Recorder[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("handlers must have 1 element or more, but had 0");
        assertThatThrownBy(() -> pipeline.handleEventsPartitionedBy(PartitionTest::key, a, a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("handlers[1]");
        Stage<long[]> stage = pipeline.handleEventsPartitionedBy(PartitionTest::key, a);
        assertThatThrownBy(() -> stage.thenPartitionedBy(PartitionTest::key, a)).hasMessageStartingWith("handlers[0]");
        pipeline.startProcessors();
        assertThatThrownBy(() -> stage.thenPartitionedBy(PartitionTest::key, new Recorder()))
                .isInstanceOf(IllegalStateException.class);
        ring.close();
    }

    /** Threads: every key's events in order with one handler, and the stage behind them sees all. */
    @Tag("concurrency")
    @ParameterizedTest
    @ValueSource(ints = {1, 3, 4})
    void manyKeysOnThreads(int count) {
        int events = 20_000;
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[2])
                .capacity(256)
                .consumersIdle(SignalledIdle::exact)
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        long[][] lastOfKey = new long[count][64];
        long[] handled = new long[count];
        AtomicReference<String> wrong = new AtomicReference<>();
        List<EventHandler<long[]>> handlers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            handlers.add((event, sequence, endOfBatch) -> {
                int key = (int) event[0];
                if (key % count != index || event[1] != lastOfKey[index][key] + 1) {
                    wrong.compareAndSet(
                            null,
                            "key " + key + " with handler " + index + ", its " + event[1] + " after "
                                    + lastOfKey[index][key]);
                }
                lastOfKey[index][key] = event[1];
                handled[index]++;
            });
        }
        long[] seen = new long[1];
        @SuppressWarnings("unchecked") // an array of handlers
        EventHandler<long[]>[] array = handlers.toArray(EventHandler[]::new);
        pipeline.handleEventsPartitionedBy(event -> event[0], array)
                .then((EventHandler<long[]>) (event, sequence, endOfBatch) -> seen[0]++);
        pipeline.start();
        SplittableRandom random = new SplittableRandom(count);
        long[] numbers = new long[64];
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < events; i++) {
            int key = random.nextInt(64);
            numbers[key]++;
            producer.publishEvent(
                    (event, sequence, value) -> {
                        event[0] = key;
                        event[1] = value;
                    },
                    numbers[key]);
        }
        assertThat(pipeline.awaitHandled(events - 1, LONG)).isTrue();
        assertThat(ring.state()).isEqualTo(State.RUNNING);
        ring.close();
        assertThat(wrong.get()).isNull();
        assertThat(seen[0]).isEqualTo(events);
        long sum = 0;
        for (long one : handled) {
            sum += one;
        }
        assertThat(sum).isEqualTo(events);
    }
}
