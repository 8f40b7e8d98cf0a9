package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers that come, go and rest while the ring runs. */
@Timeout(120)
class JoinLeaveTest {
    private static final EventHandler<long[]> NOTHING = (event, sequence, endOfBatch) -> {};

    /** Checks that every event comes once, in order, and is what was published. */
    private static final class InOrder implements EventHandler<long[]> {
        final AtomicLong first = new AtomicLong(-1);
        final AtomicLong last = new AtomicLong(-1);

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            if (first.get() < 0) {
                first.set(sequence);
            } else if (sequence != last.get() + 1) {
                throw new AssertionError(sequence + " after " + last);
            }
            if (event[0] != sequence) {
                throw new AssertionError("event " + event[0] + " in the slot of " + sequence);
            }
            last.set(sequence);
        }
    }

    private static void publish(Producer<long[]> producer, int n) {
        for (int i = 0; i < n; i++) {
            producer.publishEvent((event, sequence) -> event[0] = sequence);
        }
    }

    private static RingBuffer<long[]> ring(boolean single, int capacity, int retained) {
        return Rings.ringBuilder(single, capacity).retain(retained).build();
    }

    private static void all(List<EventProcessor> processors) {
        int work;
        do {
            work = 0;
            for (EventProcessor processor : processors) {
                work += processor.doWork();
            }
        } while (work > 0);
    }

    // joining

    @Test
    @Tag("concurrency")
    void whoWasToFollowOneThatCouldNotJoinDoesNotFollowItsUpstream() {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 8, 0);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            AtomicBoolean refuses = new AtomicBoolean();
            pipeline.threads(task -> {
                if (refuses.get()) {
                    throw new IllegalStateException("no more threads");
                }
                Thread thread = new Thread(task);
                thread.setDaemon(true);
                return thread;
            });
            EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {};
            InOrder quick = new InOrder();
            pipeline.handleEventsWith(slow, quick);
            pipeline.start();
            Producer<long[]> producer = ring.producer();
            ConsumerHandle behind = pipeline.consumer(slow);
            behind.pause();
            refuses.set(true);
            assertThatThrownBy(() -> pipeline.join(NOTHING)
                            .after(behind)
                            .before(pipeline.consumer(quick))
                            .start(LONG))
                    .hasMessage("no more threads");
            publish(producer, 3);
            Rings.await("the one before which nobody has joined goes on", () -> quick.last.get() == 2);
            assertThat(behind.sequence().get()).isEqualTo(-1);
            assertThat(pipeline.consumers()).hasSize(2);
            publish(producer, 5);
            assertThat(producer.tryNext(1)).as("both still gate").isEqualTo(Producer.FULL);
            behind.resume();
            Rings.await("both have handled all", () -> behind.sequence().get() == 7 && quick.last.get() == 7);
            pipeline.close();
        }
    }

    @Test
    void aJoinerGetsEverythingFromItsJoinPointOn() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 8, 0);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            InOrder declared = new InOrder();
            pipeline.handleEventsWith(declared);
            List<EventProcessor> processors = new ArrayList<>(pipeline.startProcessors());
            Producer<long[]> producer = ring.producer();
            publish(producer, 5);
            all(processors);
            publish(producer, 3);
            InOrder joined = new InOrder();
            EventProcessor late =
                    pipeline.join(pipeline.consumer("late", joined)).processor(0);
            assertThat(pipeline.consumers().get(1).joinedFrom()).isEqualTo(5);
            all(processors);
            publish(producer, 5);
            assertThat(producer.tryNext(1)).as("the joiner gates").isEqualTo(Producer.FULL);
            processors.add(late);
            all(processors);
            assertThat(joined.first).hasValue(5);
            assertThat(joined.last).hasValue(12);
            assertThat(declared.last).hasValue(12);
            assertThat(ring.state()).isEqualTo(State.RUNNING);
            ring.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aJoinerFromNowGetsNothingThatIsPublishedAlready(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 8, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder declared = new InOrder();
        InOrder behind = new InOrder();
        pipeline.handleEventsWith(declared).then(behind);
        List<EventProcessor> processors = new ArrayList<>(pipeline.startProcessors());
        Producer<long[]> producer = ring.producer();
        publish(producer, 5);
        all(processors);
        publish(producer, 3);
        InOrder beside = new InOrder();
        InOrder between = new InOrder();
        processors.add(
                pipeline.join(pipeline.consumer("beside", beside)).fromNow().processor(0));
        EventProcessor slow = pipeline.join(pipeline.consumer("between", between))
                .after(pipeline.consumer(declared))
                .before(pipeline.consumer(behind))
                .fromNow()
                .processor(0);
        assertThat(pipeline.consumer(beside).joinedFrom()).isEqualTo(8);
        assertThat(pipeline.consumer(between).joinedFrom()).isEqualTo(8);
        all(processors);
        assertThat(beside.first).as("earlier events").hasValue(-1);
        assertThat(behind.last).as("what is not for the joiner goes on").hasValue(7);
        publish(producer, 8);
        all(processors);
        assertThat(declared.last).hasValue(15);
        assertThat(beside.first).hasValue(8);
        assertThat(behind.last).as("it follows the joiner").hasValue(7);
        assertThat(producer.tryNext(1)).as("the joiner gates").isEqualTo(Producer.FULL);
        processors.add(slow);
        all(processors);
        assertThat(between.first).hasValue(8);
        for (InOrder one : List.of(declared, behind, beside, between)) {
            assertThat(one.last).hasValue(15);
        }
        assertThat(ring.failure()).isNull();
        ring.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void joinersFromNowComeWhileEventsArePublished(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 64, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(NOTHING);
        pipeline.start();
        AtomicBoolean stop = new AtomicBoolean();
        Rings.Caller publisher = new Rings.Caller(() -> {
            try (Producer<long[]> producer = ring.producer()) {
                while (!stop.get()) {
                    publish(producer, 1);
                }
            }
        });
        for (int i = 0; i < 50; i++) {
            InOrder joiner = new InOrder();
            long before = ring.cursor().get();
            ConsumerHandle joined =
                    pipeline.join(pipeline.consumer("joiner", joiner)).fromNow().start(LONG);
            assertThat(joined.joinedFrom()).isGreaterThan(before);
            Rings.await("its first event", () -> joiner.first.get() >= 0);
            assertThat(joiner.first).hasValue(joined.joinedFrom());
            assertThat(joined.remove(LONG)).isEqualTo(Removal.LEFT);
        }
        stop.set(true);
        assertThat(publisher.result()).isNull();
        assertThat(ring.failure()).isNull();
        ring.close();
    }

    @Test
    void aJoinPointThatIsNotHeldAnyMoreIsRefusedWithTheRange() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<long[]> ring = ring(single, 16, 6);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(NOTHING);
            List<EventProcessor> processors = new ArrayList<>(pipeline.startProcessors());
            Producer<long[]> producer = ring.producer();
            for (int i = 0; i < 10; i++) {
                publish(producer, 10);
                all(processors);
            }
            publish(producer, 10);
            assertThat(producer.tryNext(1)).as("6 of 16 are retained").isEqualTo(Producer.FULL);
            assertThatThrownBy(() -> pipeline.join(new InOrder()).from(93).processor(0))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("join point must be from 94 to 110");
            assertThatThrownBy(() -> pipeline.join(new InOrder()).from(111).processor(0))
                    .hasMessageStartingWith("join point must be from 94 to 110");
            InOrder oldest = new InOrder();
            processors.add(
                    pipeline.join(pipeline.consumer("oldest", oldest)).from(94).processor(0));
            processors.get(1).onStart();
            // Its own progress is the lowest now, but what lies before it may be overwritten.
            assertThatThrownBy(() -> pipeline.join(pipeline.consumer("older", new InOrder()))
                            .from(93)
                            .processor(0))
                    .hasMessageStartingWith("join point must be from 94 to 110");
            all(processors);
            publish(producer, 10);
            all(processors);
            assertThat(oldest.first).hasValue(94);
            assertThat(oldest.last).hasValue(119);
            assertThat(ring.failure()).isNull();
            ring.close();
        }
    }

    @Test
    void anInnerJoinerIsFollowedFromItsJoinPointOn() throws Exception {
        RingBuffer<long[]> ring = ring(false, 32, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder first = new InOrder();
        InOrder last = new InOrder();
        pipeline.handleEventsWith(first).then(last);
        List<EventProcessor> processors = new ArrayList<>(pipeline.startProcessors());
        Producer<long[]> producer = ring.producer();
        publish(producer, 10);
        all(processors);
        publish(producer, 4);
        InOrder middle = new InOrder();
        EventProcessor inner = pipeline.join(pipeline.consumer("middle", middle))
                .after(pipeline.consumer(first))
                .before(pipeline.consumer(last))
                .processor(0);
        assertThat(pipeline.consumer(middle).joinedFrom()).isEqualTo(10);
        all(processors);
        assertThat(first.last).hasValue(13);
        assertThat(last.last).as("waits for the one in the middle").hasValue(9);
        processors.add(inner);
        all(processors);
        assertThat(middle.first).hasValue(10);
        assertThat(last.last).hasValue(13);

        // one more, from a retained sequence: the dependent waits until it has caught up
        InOrder replayed = new InOrder();
        EventProcessor replay = pipeline.join(pipeline.consumer("replay", replayed))
                .before(pipeline.consumer(last))
                .from(8)
                .processor(0);
        publish(producer, 1);
        all(processors);
        assertThat(last.last).hasValue(13);
        processors.add(replay);
        all(processors);
        assertThat(replayed.first).hasValue(8);
        assertThat(last.last).hasValue(14);

        // and out again: the dependent follows the first one from there on
        publish(producer, 2);
        assertThat(pipeline.consumer(middle).remove(0)).isEqualTo(Removal.LEFT);
        assertThat(pipeline.consumer(replayed).remove(0)).isEqualTo(Removal.LEFT);
        all(processors);
        assertThat(inner.isDone()).isTrue();
        assertThat(middle.last).hasValue(14);
        assertThat(last.last).hasValue(16);
        assertThat(ring.leftover().unhandled()).isZero();
        ring.close();
    }

    /** The one that is to follow has rested for a join before, and goes on since. */
    @Test
    @Tag("concurrency")
    void aSecondJoinTooWaitsForTheBatchOfTheOneThatIsToFollow() throws Exception {
        RingBuffer<long[]> ring = ring(true, 32, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        };
        pipeline.handleEventsWith(pipeline.consumer("slow", slow));
        EventProcessor follows = pipeline.startProcessors().get(0);
        follows.onStart();
        ConsumerHandle follower = pipeline.consumer(slow);
        InOrder first = new InOrder();
        EventProcessor leads = pipeline.join(first).before(follower).processor(LONG);
        publish(ring.producer(), 3);
        Rings.exhaust(leads);
        Rings.Caller caller = new Rings.Caller(() -> follows.doWork());
        assertThat(inside.await(10, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(() -> pipeline.join(new InOrder()).before(follower).processor(1_000_000))
                .isInstanceOf(TimeoutException.class)
                .hasMessage(
                        "a join must find the others at rest, but consumer slow did not finish its batch within 1.0 ms: nothing has joined");
        goOn.countDown();
        assertThat(caller.result()).isNull();
        assertThat(first.last).hasValue(2);
        InOrder second = new InOrder();
        pipeline.join(second).before(follower).processor(LONG);
        assertThat(pipeline.consumer(second).joinedFrom())
                .as("behind what the follower has handled")
                .isEqualTo(3);
        ring.close();
    }

    @Test
    void refusalsNameWhatIsAllowed() throws Exception {
        RingBuffer<long[]> ring = ring(true, 8, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(NOTHING);
        assertThatThrownBy(() -> pipeline.join(new InOrder()).start(LONG))
                .hasMessageContaining("must be called after the start");
        EventProcessor processor = pipeline.startProcessors().get(0);
        assertThatThrownBy(() -> pipeline.join(new InOrder()).processor(0))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining(" is not run by any thread within 0.0 ms: nothing has joined");
        processor.onStart();
        ConsumerHandle consumer = pipeline.consumer(NOTHING);
        assertThatThrownBy(() -> pipeline.join(new InOrder())
                        .after(consumer)
                        .before(consumer)
                        .processor(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must make no cycle");
        assertThatThrownBy(
                        () -> pipeline.join(pipeline.consumer("again", NOTHING)).processor(0))
                .hasMessageContaining("is in the pipeline already");
        assertThatThrownBy(() -> pipeline.joinPoller(consumer.name()).poller(0))
                .hasMessageContaining("another consumer has the name");
        assertThatThrownBy(() -> pipeline.joinPoller("poller").start(0)).hasMessageContaining("must end with poller");
        assertThatThrownBy(() -> pipeline.join(new InOrder()).from(-1))
                .hasMessageContaining("sequence must be 0 or more, but was -1");
        assertThat(consumer.remove(0)).isEqualTo(Removal.LEFT);
        assertThatThrownBy(() -> pipeline.join(new InOrder()).processor(0)).hasMessageContaining("no consumer gates");
        assertThatThrownBy(() -> pipeline.join(new InOrder()).after(consumer).processor(0))
                .hasMessageContaining("has left");
        ring.close();
        assertThatThrownBy(() -> pipeline.join(new InOrder()).processor(0)).hasMessageContaining("but is CLOSED");
        assertThatThrownBy(() -> Rings.ringBuilder(true, 8).retain(8).build())
                .hasMessage("retain must be from 0 to 7, but was 8");
        assertThatThrownBy(() -> ring(true, 8, 2).producer().next(7))
                .hasMessage("n must be from 1 to the capacity less what is retained, 6, but was 7");
    }

    // leaving and resting

    @Test
    void leavingStopsGatingAndPutsTheUpstreamInItsPlace() throws Exception {
        RingBuffer<long[]> ring = ring(true, 8, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder first = new InOrder();
        InOrder last = new InOrder();
        pipeline.handleEventsWith(first).then(last);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        publish(producer, 8);
        processors.get(0).doWork(); // 2
        processors.get(1).onStart();
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
        assertThat(pipeline.consumer(last).remove(0)).isEqualTo(Removal.LEFT);
        assertThat(processors.get(1).doWork()).isZero();
        assertThat(processors.get(1).isDone()).isTrue();
        publish(producer, 2);
        assertThat(producer.tryNext(1)).as("the upstream gates now").isEqualTo(Producer.FULL);
        all(processors);
        publish(producer, 8);
        assertThat(pipeline.consumers()).extracting(ConsumerHandle::name).hasSize(1);
        ring.close();
    }

    @Test
    void aPausedConsumerGatesAndGoesOnWhereItStopped() throws Exception {
        RingBuffer<long[]> ring = ring(false, 8, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder handler = new InOrder();
        pipeline.handleEventsWith(handler);
        EventPoller<long[]> poller = pipeline.poller("poller");
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        publish(producer, 4);
        processor.doWork();
        pipeline.consumer(handler).pause();
        poller.consumer().pause();
        assertThat(processor.doWork()).isZero();
        assertThat(poller.poll(NOTHING::onEvent, 9)).isZero();
        publish(producer, 4);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
        pipeline.consumer(handler).resume();
        poller.consumer().resume();
        assertThat(poller.poll(NOTHING::onEvent, 9)).isEqualTo(8);
        Rings.exhaust(processor);
        assertThat(handler.last).hasValue(7);
        pipeline.consumer(handler).pause();
        assertThat(pipeline.consumer(handler).remove(0)).isEqualTo(Removal.LEFT);
        ring.close();
        assertThat(poller.poll(NOTHING::onEvent, 9)).isZero();
        assertThat(poller.isDone()).isTrue();
    }

    /** Again and again: a pause that is not kept lets too much in, a resumption that is not noticed leaves it there. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aConsumerOnAThreadRestsAndGoesOn(boolean single) {
        RingBuffer<long[]> ring = Rings.ringBuilder(single, 8)
                .consumersIdle(() -> SignalledIdle.exact(0)) // parks at once
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        InOrder handler = new InOrder();
        InOrder behind = new InOrder();
        pipeline.handleEventsWith(handler).then(behind);
        pipeline.start();
        ConsumerHandle consumer = pipeline.consumer(handler);
        Producer<long[]> producer = ring.producer();
        for (int round = 0; round < 300; round++) {
            consumer.pause();
            int accepted = 0;
            for (int i = 0; i < 1_000; i++) {
                if (producer.tryPublishEvent((event, sequence) -> event[0] = sequence) >= 0) {
                    accepted++;
                }
            }
            assertThat(accepted)
                    .as("a full ring, and one batch that was under way")
                    .isBetween(8, 10);
            consumer.resume();
            assertThat(pipeline.awaitHandled(ring.cursor().get(), LONG)).isTrue();
        }
        assertThat(handler.last).hasValue(ring.cursor().get());
        assertThat(behind.last).hasValue(ring.cursor().get());
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void aConsumerInsideItsHandlerFinishesItsBatchAndLeaves() throws Exception {
        RingBuffer<long[]> ring = ring(true, 16, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean shutDown = new AtomicBoolean();
        EventHandler<long[]> slow = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                inside.countDown();
                goOn.await();
            }

            @Override
            public void onShutdown() {
                shutDown.set(true);
            }
        };
        InOrder behind = new InOrder();
        pipeline.handleEventsWith(slow).then(behind);
        pipeline.start();
        ConsumerHandle consumer = pipeline.consumer(slow);
        Producer<long[]> producer = ring.producer();
        publish(producer, 3);
        inside.await();
        assertThat(consumer.remove(0)).as("still inside").isEqualTo(Removal.LATER);
        assertThatThrownBy(() -> pipeline.join(pipeline.consumer("impatient", new InOrder()))
                        .before(consumer)
                        .start(1_000_000))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining(" did not finish its batch within 1.0 ms: nothing has joined");
        goOn.countDown();
        assertThat(consumer.remove(LONG)).isEqualTo(Removal.LEFT);
        publish(producer, 100);
        assertThat(pipeline.awaitHandled(102, LONG)).isTrue();
        assertThat(behind.first).hasValue(0);
        assertThat(consumer.state()).isEqualTo(State.CLOSED);
        Rings.await("onShutdown", shutDown::get);
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void aConsumerLeavesFromItsOwnHandlerAndOneWhoseThreadDiedIsTakenOut() throws Exception {
        RingBuffer<long[]> ring = ring(false, 16, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> leaver = new EventHandler<>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                assertThat(pipeline.consumer(this).remove(LONG)).isEqualTo(Removal.LATER);
            }
        };
        InOrder dies = new InOrder();
        InOrder stays = new InOrder();
        pipeline.handleEventsWith(leaver, dies, stays);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        publish(producer, 1);
        Thread worker = new Thread(() -> processors.get(1).doWork());
        worker.start();
        worker.join();
        processors.get(0).doWork();
        processors.get(0).doWork();
        assertThat(processors.get(0).isDone()).isTrue();
        assertThat(pipeline.consumer(dies).remove(LONG)).isEqualTo(Removal.LEFT);
        for (int i = 0; i < 10; i++) {
            publish(producer, 10);
            Rings.exhaust(processors.get(2));
        }
        assertThat(stays.last).hasValue(100);
        ring.close();
    }

    @Test
    @Tag("concurrency")
    void consumersComeAndGoWhileAllRuns() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            for (boolean exact : new boolean[] {true, false}) {
                RingBuffer<long[]> ring = Rings.ringBuilder(single, 64)
                        .retain(16)
                        .consumersIdle(exact ? SignalledIdle::exact : SignalledIdle::timed)
                        .build();
                Pipeline<long[]> pipeline = Pipeline.on(ring);
                InOrder first = new InOrder();
                InOrder last = new InOrder();
                pipeline.handleEventsWith(first).then(last);
                pipeline.start();
                AtomicBoolean stop = new AtomicBoolean();
                List<Rings.Caller> publishers = new ArrayList<>();
                for (int i = 0; i < (single ? 1 : 2); i++) {
                    publishers.add(new Rings.Caller(() -> {
                        Producer<long[]> producer = ring.producer();
                        while (!stop.get()) {
                            publish(producer, 1);
                        }
                    }));
                }
                Rings.await("first events", () -> last.last.get() > 100);
                for (int round = 0; round < 25; round++) {
                    InOrder leaf = new InOrder();
                    InOrder inner = new InOrder();
                    EventHandler<long[]> follower = new InOrder();
                    ConsumerHandle atLeaf = pipeline.join(pipeline.consumer("leaf", leaf))
                            .after(pipeline.consumer(first))
                            .start(LONG);
                    ConsumerHandle atInner = pipeline.join(pipeline.consumer("inner", inner))
                            .after(pipeline.consumer(first))
                            .before(pipeline.consumer(last), atLeaf)
                            .start(LONG);
                    ConsumerHandle behind = pipeline.join(pipeline.consumer("behind", follower))
                            .after(atInner)
                            .start(LONG);
                    Rings.await("the joined ones", () -> behind.sequence().get() > atInner.joinedFrom() + 100);
                    assertThat(atInner.remove(LONG)).isEqualTo(Removal.LEFT);
                    assertThat(atInner.sequence().get()).isGreaterThanOrEqualTo(atInner.joinedFrom() + 100);
                    assertThat(behind.remove(LONG)).isEqualTo(Removal.LEFT);
                    assertThat(atLeaf.remove(LONG)).isEqualTo(Removal.LEFT);
                    assertThat(leaf.first).hasValue(atLeaf.joinedFrom());
                    assertThat(leaf.last).hasValue(atLeaf.sequence().get());
                    assertThat(inner.first).hasValue(atInner.joinedFrom());
                    assertThat(inner.last).hasValue(atInner.sequence().get());
                }
                stop.set(true);
                for (Rings.Caller publisher : publishers) {
                    assertThat(publisher.result()).isNull();
                }
                assertThat(ring.drain(LONG).unhandled()).isZero();
                assertThat(ring.failure()).isNull();
                assertThat(first.first).hasValue(0);
                assertThat(last.first).hasValue(0);
                assertThat(last.last).hasValue(ring.cursor().get());
                ring.close();
            }
        }
    }

    @Test
    @Tag("concurrency")
    void whoHasLeftWhenTheRingClosesIsSaidToHaveLeft() throws Exception {
        for (int round = 0; round < 10; round++) {
            RingBuffer<long[]> ring = Rings.ringBuilder(true, 8)
                    .consumersIdle(() -> SignalledIdle.exact(5))
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(NOTHING);
            List<EventPoller<long[]>> beside = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                beside.add(pipeline.poller("beside-" + i)); // so that a change of the graph takes a while
            }
            pipeline.start();
            ConsumerHandle leaver = pipeline.consumer(NOTHING);
            Producer<long[]> producer = ring.producer();
            leaver.pause();
            publish(producer, 1);
            producer.close();
            for (EventPoller<long[]> poller : beside) {
                poller.poll(NOTHING::onEvent, 1);
            }
            FollowedRing<long[]> inside = FollowedRing.of(ring);
            leaver.remove(0);
            while (inside.gating().size() > beside.size()) {
                Thread.onSpinWait();
            }
            inside.life().close(); // as close() begins
            Removal left = leaver.remove(LONG);
            ring.close();
            assertThat(leaver.sequence().get()).as("it rested until it left").isEqualTo(-1);
            assertThat(left).as("round %d", round).isEqualTo(Removal.LEFT);
        }
    }

    @Test
    @Tag("concurrency")
    void aJoinThatWaitsForAHandlerEndsWithTheRing() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RingBuffer<long[]> ring = ring(true, 8, 0);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        });
        pipeline.start();
        publish(ring.producer(), 1);
        inside.await();
        Thread closer = new Thread(pipeline::close);
        FutureTask<ConsumerHandle> join = new FutureTask<>(() -> {
            closer.start();
            return pipeline.join(pipeline.consumer("late", new InOrder())).start(LONG);
        });
        new Thread(join).start();
        assertThatThrownBy(() -> join.get(LONG, TimeUnit.NANOSECONDS))
                .hasRootCauseMessage("the ring must be RUNNING or DRAINING for a join, but is CLOSED");
        assertThat(pipeline.consumers()).hasSize(1);
        goOn.countDown();
        closer.join();
        assertThat(pipeline.consumers().get(0).sequence().get()).isEqualTo(0);
    }

    // random graphs against a model

    /** A consumer, and what the model says that it may have handled. */
    private static final class Actor implements EventHandler<long[]> {
        final List<Actor> upstream = new ArrayList<>();
        EventProcessor processor;
        ConsumerHandle consumer;
        long next;
        boolean paused;

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            assertThat(sequence).as("exactly once, in order").isEqualTo(next);
            assertThat(event[0]).as("the event of the sequence").isEqualTo(sequence);
            for (Actor one : upstream) {
                assertThat(one.next).as("upstream first").isGreaterThan(sequence);
            }
            assertThat(paused).isFalse();
            next++;
        }
    }

    @Test
    void randomJoinsLeavesAndPausesFollowTheModel() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, 150), program -> {
                    randomRun(program);
                    return program.size();
                })
                .budget("io.sluice.model.steps", 150_000)
                .run();
    }

    private static void randomRun(SeededProgram program) throws Exception {
        SplittableRandom random = program.random();
        boolean single = random.nextBoolean();
        int capacity = 1 << random.nextInt(6);
        int retained = random.nextInt(capacity);
        RingBuffer<long[]> ring = ring(single, capacity, retained);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<Actor> actors = new ArrayList<>();
        Stage<long[]> stage = null;
        for (int levels = 2 + random.nextInt(2); levels > 0; levels--) {
            Actor actor = new Actor();
            stage = stage == null ? pipeline.handleEventsWith(actor) : stage.then(actor);
            if (!actors.isEmpty()) {
                actor.upstream.add(actors.get(actors.size() - 1));
            }
            actors.add(actor);
        }
        List<EventProcessor> processors = pipeline.startProcessors();
        for (int i = 0; i < actors.size(); i++) {
            actors.get(i).processor = processors.get(i);
            actors.get(i).consumer = pipeline.consumer(actors.get(i));
            processors.get(i).onStart();
        }
        Producer<long[]> producer = ring.producer();
        long published = 0;
        for (int step : program.steps()) {
            random = program.random(step);
            int dice = random.nextInt(20);
            Actor any = actors.get(random.nextInt(actors.size()));
            if (dice < 7) {
                long result = producer.tryPublishEvent((event, sequence) -> event[0] = sequence);
                long slowest = actors.stream()
                        .mapToLong(actor -> actor.consumer.sequence().get())
                        .min()
                        .orElseThrow();
                if (published <= slowest + capacity - retained) {
                    assertThat(result).isEqualTo(published);
                } else if (result >= 0) {
                    // granted before somebody joined further back: within what is retained
                    assertThat(published).isLessThanOrEqualTo(slowest + capacity);
                } else {
                    assertThat(result).isEqualTo(Producer.FULL);
                }
                if (result >= 0) {
                    published++;
                }
            } else if (dice < 14) {
                any.processor.doWork();
            } else if (dice < 15) {
                any.consumer.pause();
                any.paused = true;
            } else if (dice < 16) {
                any.paused = false;
                any.consumer.resume();
            } else if (dice < 18 && actors.size() < 7) {
                randomJoin(random, pipeline, actors, published);
            } else if (dice >= 18 && actors.size() > 1) {
                assertThat(any.consumer.remove(0)).isEqualTo(Removal.LEFT);
                actors.remove(any);
                for (Actor other : actors) {
                    if (other.upstream.remove(any)) {
                        any.upstream.stream()
                                .filter(one -> !other.upstream.contains(one))
                                .forEach(other.upstream::add);
                    }
                }
            }
            assertThat(ring.failure()).isNull();
        }
        for (Actor actor : actors) {
            actor.paused = false;
            actor.consumer.resume();
        }
        int work;
        do {
            work = 0;
            for (Actor actor : actors) {
                work += actor.processor.doWork();
            }
        } while (work > 0);
        assertThat(ring.failure()).isNull();
        for (Actor actor : actors) {
            assertThat(actor.next).isEqualTo(published);
        }
        ring.close();
    }

    private static void randomJoin(
            SplittableRandom random, Pipeline<long[]> pipeline, List<Actor> actors, long published) throws Exception {
        Actor joiner = new Actor();
        Join<long[]> join = pipeline.join(joiner);
        List<Actor> before = new ArrayList<>();
        for (Actor actor : actors) {
            if (random.nextInt(4) == 0) {
                joiner.upstream.add(actor);
                join.after(actor.consumer);
            } else if (random.nextInt(4) == 0) {
                before.add(actor);
                join.before(actor.consumer);
            }
        }
        long from = -1;
        switch (random.nextInt(5)) {
            case 0, 1 -> {
                from = Math.max(0, published - random.nextInt(1 + random.nextInt(8)));
                join.from(from);
            }
            case 2 -> {
                from = published;
                join.fromNow();
            }
            default -> {}
        }
        try {
            joiner.processor = join.processor(0);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageMatching("(?s).*(must make no cycle|^join point must be from .*).*");
            return;
        }
        joiner.consumer = pipeline.consumer(joiner);
        joiner.next = joiner.consumer.joinedFrom();
        if (from >= 0) {
            assertThat(joiner.next).isEqualTo(from);
        } else if (!before.isEmpty()) {
            assertThat(joiner.next)
                    .isEqualTo(
                            before.stream().mapToLong(actor -> actor.next).max().orElseThrow());
        }
        joiner.processor.onStart();
        actors.add(joiner);
        before.forEach(actor -> actor.upstream.add(joiner));
    }
}
