package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingException;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches, pollers, handlers of ranges, and the threads that run them. */
@Timeout(60)
class ConsumersTest {
    private static final EventHandler<long[]> NOTHING = (event, sequence, endOfBatch) -> {};

    // waits

    /** To yield to one more of several producers makes all of them slower, as ./sluice bench compare --rows 3p1c shows. */
    @Test
    void onlyTheFirstConsumersOfProducersThatContendKeepTheirProcessor() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(NOTHING).then((event, sequence, endOfBatch) -> {});
            List<EventProcessor> processors = pipeline.startProcessors();
            assertThat(processors)
                    .extracting(EventProcessor::yieldsBeforeWaiting)
                    .containsExactly(true, true);
            Producer<long[]> one = ring.producer();
            assertThat(processors)
                    .extracting(EventProcessor::yieldsBeforeWaiting)
                    .containsExactly(true, true);
            if (!single) {
                Producer<long[]> another = ring.producer();
                assertThat(processors)
                        .extracting(EventProcessor::yieldsBeforeWaiting)
                        .containsExactly(false, true);
                another.close();
                assertThat(processors)
                        .extracting(EventProcessor::yieldsBeforeWaiting)
                        .containsExactly(true, true);
            }
            one.close();
            ring.close();
        }
    }

    @Test
    void aPipelineOnOneThreadKeepsItsProcessorIfOneOfItsConsumersWould() {
        RingBuffer<long[]> ring = ring(false, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(NOTHING).then((event, sequence, endOfBatch) -> {});
        RunnerAgent agent = pipeline.startInvoked();
        Producer<long[]> one = ring.producer();
        assertThat(agent.yieldsBeforeWaiting()).isTrue();
        try (Producer<long[]> another = ring.producer()) {
            assertThat(another).isNotSameAs(one);
            assertThat(agent.yieldsBeforeWaiting()).isFalse();
        }
        assertThat(agent.yieldsBeforeWaiting()).isTrue();
        one.close();
        ring.close();
    }

    /** A runner waits behind a batch only where nothing more is there for anybody. */
    @Test
    void aPipelineOnOneThreadSaysThatOneOfItsConsumersIsBehind() throws Exception {
        RingBuffer<long[]> ring = ring(true, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(
                pipeline.consumer("limited", NOTHING).batchLimit(8),
                pipeline.consumer("not limited", (event, sequence, endOfBatch) -> {}));
        RunnerAgent agent = pipeline.startInvoked();
        assertThat(agent.backOffBatchLimit()).as("a quarter of the ring").isEqualTo(16);
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 12);
        assertThat(agent.doWork()).isEqualTo(8 + 12);
        assertThat(agent.eventsSinceIdle(20)).as("one of them is behind").isZero();
        assertThat(agent.doWork()).isEqualTo(4);
        assertThat(agent.eventsSinceIdle(4)).as("one of them had no batch").isZero();
        Rings.publish(producer, 5);
        assertThat(agent.doWork()).isEqualTo(10);
        assertThat(agent.eventsSinceIdle(10)).as("the smaller batch").isEqualTo(5);
        ring.close();
    }

    @Test
    void whoSpinsAloneLooksSeveralTimesBeforeItReturns() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 4);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            BatchHandler<long[]> ranges = (events, lo, hi) -> hi;
            pipeline.handleEventsWith(NOTHING).then((event, sequence, endOfBatch) -> {});
            pipeline.handleBatchesWith(ranges);
            for (EventProcessor processor : pipeline.startProcessors()) {
                int[] looks = {0};
                ((AbstractLoop<?>) processor).barrier = next -> ++looks[0] < 3 ? next - 1 : next;
                assertThat(processor.doWork()).as("not yet").isZero();
                assertThat(looks[0]).isEqualTo(1);
                looks[0] = 0;
                processor.dedicatedSpinner(true);
                assertThat(processor.doWork()).as("came meanwhile").isEqualTo(1);
                assertThat(looks[0]).isEqualTo(3);
                looks[0] = -1_000;
                assertThat(processor.doWork()).as("returns after a while").isZero();
                assertThat(looks[0]).isBetween(-998, -900);
                looks[0] = 0;
                processor.dedicatedSpinner(false);
                assertThat(processor.doWork()).as("not alone any more").isZero();
                assertThat(looks[0]).isEqualTo(1);
            }
            ring.close();
        }
    }

    // ends

    @Test
    void aWaitForAConsumerThatHasEndedIsRefusedWhileTheRingRuns() {
        for (boolean single : new boolean[] {true, false}) {
            for (boolean byItsRunner : new boolean[] {true, false}) {
                RingBuffer<long[]> ring = ring(single, 4);
                Pipeline<long[]> pipeline = Pipeline.on(ring);
                pipeline.handleEventsWith(pipeline.consumer("ended", NOTHING));
                EventProcessor processor = pipeline.startProcessors().get(0);
                if (byItsRunner) {
                    processor.onClose();
                } else {
                    processor.halt();
                    assertThat(processor.doWork()).isZero();
                }
                assertThat(processor.isDone()).isTrue();
                Producer<long[]> producer = ring.producer();
                publish(producer, 4);
                assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
                assertThatThrownBy(() -> producer.next(1, LONG))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("consumer ended has ended");
                assertThatThrownBy(() -> producer.next(1))
                        .isInstanceOf(IllegalStateException.class)
                        .isNotInstanceOf(RingException.class);
                assertThat(ring.leftover().unhandled()).isEqualTo(4);
                ring.close();
            }
        }
    }

    /** The one that has ended has left as much room as is wanted; the other makes it. Refused is the first claim that no one makes room for. */
    @Test
    @Tag("concurrency")
    void aWaitForALivingConsumerIsNotRefusedThoughAFurtherOneHasEnded() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 8); // a batch spans 2
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventHandler<long[]> slowly = (event, sequence, endOfBatch) -> {};
            pipeline.handleEventsWith(pipeline.consumer("ended", NOTHING), pipeline.consumer("slow", slowly));
            List<EventProcessor> processors = pipeline.startProcessors();
            EventProcessor ended = processors.get(0);
            EventProcessor slow = processors.get(1);
            Producer<long[]> first = ring.producer();
            publish(first, 8);
            first.close();
            ended.doWork();
            ended.doWork();
            ended.halt();
            ended.doWork();
            assertThat(ended.sequence().get()).isEqualTo(3);
            assertThat(ended.isDone()).isTrue();

            Rings.Caller feed = new Rings.Caller(() -> {
                Producer<long[]> producer = ring.producer();
                for (long sequence = 8; sequence < 12; sequence++) {
                    assertThat(producer.next(1, LONG)).isEqualTo(sequence);
                    producer.publish(sequence);
                }
                assertThatThrownBy(() -> producer.next(1, LONG))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("consumer ended has ended");
            });
            Rings.await("a wait for room, or its end", () -> isWaitingOrOver(feed.thread));
            while (feed.thread.isAlive()) {
                slow.doWork();
            }
            assertThat(feed.result()).isNull();
            ring.close();
        }
    }

    private static boolean isWaitingOrOver(Thread thread) {
        return thread.getState() == Thread.State.TIMED_WAITING || !thread.isAlive();
    }

    // batches

    @Test
    void endOfBatchIsOnTheLastLiveEventWhereverSlotsAreAborted() {
        for (boolean single : new boolean[] {true, false}) {
            for (int aborted = 0; aborted < 16; aborted++) {
                RingBuffer<long[]> ring = ring(single, 16); // a batch spans 4
                Pipeline<long[]> pipeline = Pipeline.on(ring);
                Rings.Recorder handler = new Rings.Recorder();
                pipeline.handleEventsWith(handler);
                EventProcessor processor = pipeline.startProcessors().get(0);
                processor.onStart();
                handler.calls.clear();
                Producer<long[]> producer = ring.producer();
                producer.next(4);
                List<Integer> live = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    if ((aborted >> i & 1) == 1) {
                        producer.abort(i, i);
                    } else {
                        producer.publish(i, i);
                        live.add(i);
                    }
                }
                List<String> expected = new ArrayList<>();
                if (!live.isEmpty()) {
                    expected.add("start 4/4");
                    live.forEach(i -> expected.add(i + (live.indexOf(i) == live.size() - 1 ? "!" : "")));
                    expected.add("end 3");
                }
                assertThat(processor.doWork()).isEqualTo(4);
                assertThat(handler.calls).as("aborted " + aborted).isEqualTo(expected);
                assertThat(processor.sequence().get()).isEqualTo(3);
            }
        }
    }

    @Test
    void batchesAreCutAtAQuarterOfTheRingAndAtTheLimit() {
        assertThat(batchOf(1, 0, false)).isEqualTo(1);
        assertThat(batchOf(4, 0, false)).isEqualTo(1);
        assertThat(batchOf(16, 0, false)).isEqualTo(4);
        assertThat(batchOf(16, 3, false)).isEqualTo(3);
        assertThat(batchOf(16, 100, false)).isEqualTo(4);
        assertThat(batchOf(1024, 0, false)).isEqualTo(256);
        assertThat(batchOf(1024, 0, true)).isEqualTo(128);
        assertThat(batchOf(1024, 200, true)).isEqualTo(200);
        assertThat(batchOf(256, 0, true)).isEqualTo(64);
    }

    private static long batchOf(int capacity, long limit, boolean dependedOn) {
        RingBuffer<long[]> ring = ring(true, capacity);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        NewConsumer<long[]> consumer = pipeline.consumer("first", NOTHING);
        if (limit > 0) {
            consumer.batchLimit(limit);
        }
        Stage<long[]> stage = pipeline.handleEventsWith(consumer);
        if (dependedOn) {
            stage.then((event, sequence, endOfBatch) -> {});
        }
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), capacity);
        return processor.doWork();
    }

    // pollers

    @Test
    void aPollerHandsOverUpToTheLimitAndTheFailedEventAgain() throws Exception {
        RingBuffer<long[]> ring = ring(true, 8);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("poller");
        Rings.Recorder handler = new Rings.Recorder();
        assertThat(poller.poll(handler::onEvent, 3)).isZero();
        Producer<long[]> producer = ring.producer();
        publish(producer, 5);
        assertThat(poller.poll(handler::onEvent, 3)).isEqualTo(3);
        assertThat(handler.calls).containsExactly("0", "1", "2!");
        IllegalStateException failure = new IllegalStateException("failed");
        assertThatThrownBy(() -> poller.poll(
                        (event, sequence, endOfBatch) -> {
                            if (sequence == 4) {
                                throw failure;
                            }
                        },
                        9))
                .isSameAs(failure);
        assertThat(poller.sequence().get()).isEqualTo(3);
        assertThat(ring.state()).isEqualTo(State.RUNNING);
        assertThat(poller.poll(handler::onEvent, 9)).isEqualTo(1);
        assertThat(handler.calls).endsWith("4!");
        producer.next(2);
        producer.abort(5, 6);
        assertThat(poller.poll(handler::onEvent, 9)).isEqualTo(2);
        assertThat(handler.calls).hasSize(4);
        publish(producer, 1);
        ring.close();
        assertThat(poller.poll(handler::onEvent, 9)).isZero();
        assertThat(poller.isDone()).isTrue();
        assertThat(ring.leftover().unhandled()).isEqualTo(1);
    }

    @Test
    void aPollerBehindAHandlerEndsWithAFailedRing() throws Exception {
        RingBuffer<long[]> ring = ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> poller = pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                    if (sequence == 9) {
                        throw new IllegalStateException("failed");
                    }
                })
                .thenPoller("last");
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 12);
        assertThat(poller.poll(NOTHING::onEvent, 99)).isZero();
        Rings.exhaust(processor);
        assertThat(poller.poll(NOTHING::onEvent, 99)).isEqualTo(8);
        assertThat(poller.poll(NOTHING::onEvent, 99)).isZero();
        assertThat(poller.isDone()).isTrue();
    }

    /** The ring fails while the consumer before the poller is in a batch, which it finishes. */
    @Test
    void aPollerOnAFailedRingGetsWhatTheConsumerBeforeItStillFinishes() throws Exception {
        RingBuffer<long[]> ring = ring(true, 32); // a batch spans 8
        Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(failure -> {});
        List<EventProcessor> processors = new ArrayList<>();
        List<Object> polled = new ArrayList<>();
        List<EventPoller<long[]>> pollers = new ArrayList<>();
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            throw new IllegalStateException("failed");
        });
        pollers.add(pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                    if (sequence == 1) {
                        processors.get(0).doWork();
                        polled.add(ring.state());
                        polled.add(pollers.get(0).poll(NOTHING::onEvent, 99));
                        polled.add(pollers.get(0).isDone());
                    }
                })
                .thenPoller("last"));
        processors.addAll(pipeline.startProcessors());
        publish(ring.producer(), 5);
        Rings.exhaust(processors.get(1));
        assertThat(polled).containsExactly(State.FAILED, 0, false);
        assertThat(pollers.get(0).poll(NOTHING::onEvent, 99)).isEqualTo(5);
        assertThat(pollers.get(0).poll(NOTHING::onEvent, 99)).isZero();
        assertThat(pollers.get(0).isDone()).isTrue();
    }

    // ranges

    @Test
    void aBatchHandlerGetsLiveRangesAndMayReturnEarly() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 32); // a batch spans 8
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            List<String> ranges = new ArrayList<>();
            pipeline.handleBatchesWith((events, lo, hi) -> {
                ranges.add(lo + "-" + hi);
                return lo == 3 ? 3 : hi;
            });
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            producer.next(8);
            producer.publish(0, 1);
            producer.abort(2, 2);
            producer.publish(3, 5);
            producer.abort(6, 7);
            assertThat(processor.doWork()).isEqualTo(4);
            assertThat(processor.sequence().get()).isEqualTo(3);
            assertThat(processor.doWork()).isEqualTo(4);
            assertThat(ranges).containsExactly("0-1", "3-5", "4-5");
            assertThat(ring.leftover().unhandled()).isZero();
        }
    }

    @Test
    void aBatchHandlerThatReturnsOutOfItsRangeFails() {
        for (long returned : new long[] {Long.MIN_VALUE, -2, 2, Long.MAX_VALUE}) {
            RingBuffer<long[]> ring = ring(true, 32);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleBatchesWith((events, lo, hi) -> returned);
            EventProcessor processor = pipeline.startProcessors().get(0);
            publish(ring.producer(), 2);
            processor.doWork();
            assertThat(ring.failure())
                    .hasMessage("onBatch(0, 1) must return a sequence from -1 to 1, but returned " + returned);
        }
    }

    @Test
    void aBatchHandlersFailuresGoToThePolicy() {
        RingBuffer<long[]> ring = ring(true, 32);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<String> ranges = new ArrayList<>();
        List<Integer> attempts = new ArrayList<>();
        pipeline.handleBatchesWith((events, lo, hi) -> {
            ranges.add(lo + "-" + hi);
            if (lo == 0) {
                throw new IllegalStateException("failed");
            }
            return hi;
        });
        pipeline.onFailure(FailurePolicies.retryEvent(
                2, (cause, sequence, attempt) -> attempts.add(attempt), io.sluice.core.FailurePolicy.Action.SKIP));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 10);
        Rings.exhaust(processor);
        assertThat(ranges).containsExactly("0-7", "0-7", "0-7", "8-9");
        assertThat(attempts).containsExactly(1, 2, 3);
    }

    // threads

    @Test
    @Tag("concurrency")
    void consumersShareTheThreadsThatTheyName() {
        RingBuffer<long[]> ring = ring(false, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Set<String> seen = ConcurrentHashMap.newKeySet();
        Set<String> hooked = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 3; i++) {
            int number = i;
            NewConsumer<long[]> consumer = pipeline.consumer(
                    i == 1 ? "alone" : "sharing-" + i,
                    (event, sequence, endOfBatch) ->
                            seen.add(number + " on " + Thread.currentThread().getName()));
            pipeline.handleEventsWith(i == 1 ? consumer : consumer.thread("shared"));
        }
        pipeline.idle("shared", SleepingIdleStrategy::new).onThreadStart(hooked::add);
        pipeline.start();
        publish(ring.producer(), 30);
        assertThat(ring.drain(LONG).isNone()).isTrue();
        ring.close();
        assertThat(seen).containsExactlyInAnyOrder("0 on sluice-shared", "1 on sluice-alone", "2 on sluice-shared");
        assertThat(hooked).containsExactlyInAnyOrder("shared", "alone");
    }

    @Test
    @SuppressWarnings("NullAway") // null is the point
    void aThreadFactoryThatGivesNullIsRefusedAndNothingStarts() {
        RingBuffer<long[]> ring = ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(NOTHING);
        pipeline.threads(body -> null);
        assertThatThrownBy(pipeline::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("but gave null for consumer-1");
        pipeline.threads(Thread::new).start();
        publish(ring.producer(), 1);
        assertThat(ring.drain(LONG).isNone()).isTrue();
        ring.close();
    }

    @Test
    void whatADaemonStartsIsNoDaemon() throws Exception {
        RingBuffer<long[]> ring = ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Boolean> daemons = new CopyOnWriteArrayList<>();
        pipeline.handleEventsWith(NOTHING);
        pipeline.onThreadStart(name -> daemons.add(Thread.currentThread().isDaemon()));
        FutureTask<Join<long[]>> start = new FutureTask<>(() -> {
            pipeline.start();
            Join<long[]> join = pipeline.join((event, sequence, endOfBatch) -> {});
            join.start(LONG);
            return join;
        });
        Thread starter = new Thread(start);
        starter.setDaemon(true);
        starter.start();
        start.get();
        ring.close();
        assertThat(daemons).containsExactly(false, false);
    }

    /** On a ring whose consumers are woken without a fence. */
    @Test
    void anIdleStrategyThatWasRefusedCanBeReplacedByOneThatNobodySignals() {
        RingBuffer<long[]> ring =
                Rings.ringBuilder(true, 16).consumersIdle(SignalledIdle::timed).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(NOTHING);
        pipeline.idle("consumer-1", SignalledIdle::exact);
        assertThatThrownBy(pipeline::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be a timed strategy, since this group makes no fence");
        pipeline.idle("consumer-1", SleepingIdleStrategy::new).start();
        publish(ring.producer(), 30);
        assertThat(ring.drain(LONG).isNone()).isTrue();
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void virtualThreadsMayParkAndAreRefusedWhereTheySpin() throws Exception {
        Assumptions.assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        ThreadFactory virtual = (ThreadFactory)
                Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
        RingBuffer<long[]> ring = ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(NOTHING);
        pipeline.threads(virtual).idle("consumer-1", () -> BusySpinIdleStrategy.INSTANCE);
        assertThatThrownBy(pipeline::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("virtual")
                .hasMessageContaining("spin");
        pipeline.idle("consumer-1", SleepingIdleStrategy::new).start();
        publish(ring.producer(), 100);
        assertThat(ring.drain(LONG).isNone()).isTrue();
        ring.close();
    }

    // producers

    @Test
    void aRingWithoutConsumersIsNeverFullAndOverwrites() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 4);
            publish(ring.producer(), 100);
            assertThat(ring.cursor().get()).isEqualTo(99);
            assertThat(ring.get(99)[0]).isEqualTo(99);
            assertThat(ring.get(95)[0]).isEqualTo(99);
            assertThat(ring.drain(0).isNone()).isTrue();
        }
    }

    @Test
    void closingAProducerAbortsItsOpenClaims() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 16);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            Rings.Recorder handler = new Rings.Recorder();
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            producer.next(2);
            producer.next(3);
            producer.publish(0, 0);
            assertThat(ring.leftover().openClaims()).isEqualTo(4);
            producer.close();
            Rings.exhaust(processor);
            assertThat(handler.calls).contains("0!").doesNotContain("1", "1!", "4!");
            assertThat(processor.sequence().get()).isEqualTo(4);
            assertThat(ring.leftover().isNone()).isTrue();
        }
    }

    @Test
    void tryNextUpToTakesWhatThereIs() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 8);
            Pipeline.on(ring).poller("poller");
            Producer<long[]> producer = ring.producer();
            assertThat(producer.tryNextUpTo(5)).isEqualTo(4);
            producer.publish(0, 4);
            assertThat(producer.tryNextUpTo(5)).isEqualTo(7);
            assertThat(producer.claimedFrom()).isEqualTo(5);
            producer.publish(5, 7);
            assertThat(producer.tryNextUpTo(5)).isEqualTo(Producer.FULL);
            assertThat(producer.claimedFrom()).isEqualTo(5);
        }
    }

    @Test
    void aProducerThatWasNeverUsedDoesNotKeepDrainFromBeingExact() throws InterruptedException {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 8);
            List<Producer<long[]>> made = new ArrayList<>();
            Thread other = new Thread(() -> made.add(ring.producer()));
            other.start();
            other.join();
            assertThat(ring.drain(0).isNone()).isTrue();
            assertThat(made.get(0).tryNext(1)).isEqualTo(Producer.CLOSED);
        }
    }
}
