package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link ConsumerHandle#remove} says where a consumer does not leave at once. */
@Timeout(60)
class RemovalTest {
    @Test
    @Tag("concurrency")
    void oneThatIsInsideItsHandlerWhenTheRingClosesNeverLeaves() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        };
        pipeline.handleEventsWith(slow);
        pipeline.start();
        ConsumerHandle consumer = pipeline.consumer(slow);
        Rings.publish(ring.producer(), 1);
        inside.await();
        assertThat(ring.close(Duration.ZERO).running()).hasSize(1);
        assertThat(consumer.remove(0)).isEqualTo(Removal.NEVER);
        assertThat(consumer.remove(Duration.ZERO)).isEqualTo(Removal.NEVER);
        goOn.countDown();
        assertThat(ring.close(Duration.ofNanos(Rings.LONG)).isNone()).isTrue();
        assertThat(consumer.state()).isEqualTo(State.CLOSED);
    }

    /** It would get nothing, and hold the producers up for good. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobodyIsDeclaredBehindAPollerThatHasLeftBeforeTheStart(boolean stageMadeBefore) {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
        EventPoller<long[]> poller = pipeline.poller("books");
        Stage<long[]> behind = pipeline.after(poller.consumer());
        poller.poll((event, sequence, endOfBatch) -> {}, 1);
        assertThat(poller.consumer().remove(0)).isEqualTo(Removal.LEFT);
        assertThatThrownBy(() -> (stageMadeBefore ? behind : pipeline.after(poller.consumer())).then(handler))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("consumer books must be in the pipeline, but has left");
        pipeline.handleEventsWith(handler);
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 3; i++) {
            Rings.publish(producer, 8);
            Rings.exhaust(processor);
        }
        assertThat(ring.leftover().unhandled()).isZero();
    }

    /** Their idle strategy is one, and the ring wakes it still. */
    @Test
    @Tag("concurrency")
    void oneWhoseFormerNeighbourOnItsThreadHasLeftIsStillWoken() {
        RingBuffer<long[]> ring =
                Rings.ringBuilder(true, 8).consumersIdle(SignalledIdle::exact).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        SignalledIdle idle = SignalledIdle.exact(0);
        EventHandler<long[]> leaver = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> stays = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(leaver, stays);
        pipeline.oneThread("shared").idle("shared", () -> idle);
        pipeline.start();
        ConsumerHandle resting = pipeline.consumer(stays);
        assertThat(pipeline.consumer(leaver).remove(Rings.LONG)).isEqualTo(Removal.LEFT);
        resting.pause();
        long began = System.nanoTime();
        Rings.publish(ring.producer(), 1);
        Rings.await(
                "the thread parks again",
                () -> idle.parkedSince() != SignalledIdle.NO_DEADLINE && idle.parkedSince() - began > 0);
        resting.resume();
        assertThat(pipeline.awaitHandled(0, Rings.LONG)).isTrue();
        assertThat(ring.close(Duration.ofNanos(Rings.LONG)).running()).isEmpty();
    }

    /** Else what it has open stayed open for as long as the others go on. */
    @Test
    void oneThatLeavesAPipelineThatIsInvokedIsShutDownAtOnce() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder leaves = new Rings.Recorder();
        Rings.Recorder stays = new Rings.Recorder();
        pipeline.handleEventsWith(leaves, stays);
        RunnerAgent agent = pipeline.startInvoked();
        agent.onStart();
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 1);
        assertThat(agent.doWork()).isEqualTo(2);
        assertThat(pipeline.consumer(leaves).remove(0)).isEqualTo(Removal.LEFT);
        Rings.publish(producer, 1);
        assertThat(agent.doWork()).isEqualTo(1);
        assertThat(leaves.calls).containsExactly("onStart", "start 1/1", "0!", "end 0", "onShutdown");
        assertThat(agent.isDone()).isFalse();
        ring.close();
        assertThat(agent.doWork()).isZero();
        assertThat(agent.isDone()).isTrue();
        agent.onClose();
        assertThat(leaves.calls).hasSize(5);
        assertThat(stays.calls)
                .containsExactly("onStart", "start 1/1", "0!", "end 0", "start 1/1", "1!", "end 1", "onShutdown");
    }

    /** One thread of the program runs two consumers; one is halted, and the thread goes on with the other. */
    @Test
    @Tag("concurrency")
    void oneThatWasHaltedLeavesThoughTheThreadThatRanItLivesOn() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> halted = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> goesOn = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(halted, goesOn);
        List<EventProcessor> processors = pipeline.startProcessors();
        CountDownLatch removed = new CountDownLatch(1);
        Rings.Caller both = new Rings.Caller(() -> {
            processors.forEach(EventProcessor::doWork);
            processors.get(0).halt();
            while (removed.getCount() > 0) {
                processors.forEach(EventProcessor::doWork);
            }
        });
        Removal said;
        try {
            ConsumerHandle consumer = pipeline.consumer(halted);
            Rings.await("the halt", () -> consumer.state() == State.CLOSED);
            said = consumer.remove(Duration.ofSeconds(5));
        } finally {
            removed.countDown();
        }
        assertThat(said).isEqualTo(Removal.LEFT);
        assertThat(both.result()).isNull();
        Producer<long[]> producer = ring.producer();
        for (int i = 0; i < 3; i++) {
            Rings.publish(producer, 8);
            Rings.exhaust(processors.get(1));
        }
        ring.close();
    }

    @Test
    void oneThatLeavesWhileItsEventFailsGivesTheEventUp() {
        RingBuffer<long[]> ring = Rings.ring(true, 1);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        AtomicReference<ConsumerHandle> self = new AtomicReference<>();
        AtomicReference<Removal> said = new AtomicReference<>();
        EventHandler<long[]> fails = (event, sequence, endOfBatch) -> {
            said.set(self.get().remove(Duration.ofDays(1)));
            throw new IllegalStateException("planned");
        };
        pipeline.onFailure((cause, event, sequence, attempt) -> Action.RETRY_EVENT);
        pipeline.handleEventsWith(fails);
        EventProcessor processor = pipeline.startProcessors().get(0);
        self.set(pipeline.consumer(fails));
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 1);
        Rings.exhaust(processor);
        assertThat(said).hasValue(Removal.LATER);
        assertThat(ring.failure()).isNull();
        Rings.exhaust(processor);
        assertThat(pipeline.consumers()).as("it has left").isEmpty();
        assertThat(self.get().sequence().get()).as("its event is not handled").isEqualTo(-1);
        assertThat(self.get().remove(0)).isEqualTo(Removal.LEFT);
        assertThat(producer.tryNext(1)).as("it gates no more").isEqualTo(1);
    }

    /** Else who asks but once gates for good: a producer that looked at one that had left held the graph while the next one left. */
    @Test
    @Tag("concurrency")
    void thoseThatLeaveOneAfterAnotherLeaveAtOnceThoughAProducerFindsNoRoom() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 1);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> stays = pipeline.poller("stays");
        pipeline.startProcessors();
        stays.poll((event, sequence, endOfBatch) -> {}, 1); // this thread's own from now on, as the others
        AtomicBoolean over = new AtomicBoolean();
        Rings.Caller looks = new Rings.Caller(() -> {
            Producer<long[]> producer = ring.producer();
            Rings.publish(producer, 1);
            while (!over.get()) {
                assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
            }
        });
        Set<Removal> said = EnumSet.noneOf(Removal.class);
        try {
            for (int i = 0; i < 600; i++) {
                List<EventPoller<long[]>> leavers = new ArrayList<>();
                for (int j = 0; j < 64; j++) {
                    EventPoller<long[]> leaver =
                            pipeline.joinPoller("leaver " + i + "." + j).poller(Rings.LONG);
                    leaver.consumer().pause();
                    leaver.poll((event, sequence, endOfBatch) -> {}, 1);
                    leavers.add(leaver);
                }
                leavers.forEach(leaver -> said.add(leaver.consumer().remove(0)));
            }
        } finally {
            over.set(true);
        }
        assertThat(looks.result()).isNull();
        assertThat(said).containsExactly(Removal.LEFT);
        assertThat(pipeline.consumers()).hasSize(1);
        assertThat(stays.consumer().state()).isEqualTo(State.RUNNING);
    }

    /** It was told to leave later, and dies before. Nobody else asks it again. */
    @Test
    @Tag("concurrency")
    void oneWhoseThreadEndsBehindAPutOffRemovalIsTakenOutForAProducerThatWaits() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        };
        pipeline.handleEventsWith(slow);
        EventPoller<long[]> poller = pipeline.poller("stays");
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 1);
        Rings.Caller runs = new Rings.Caller(processor::doWork);
        inside.await();
        ConsumerHandle consumer = pipeline.consumer(slow);
        assertThat(consumer.remove(0)).isEqualTo(Removal.LATER);
        goOn.countDown();
        assertThat(runs.result()).isNull();
        Rings.publish(producer, 3);
        Rings.onOwnThread(() ->
                assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 4)).isEqualTo(4));
        Rings.publish(producer, 1);
        assertThat(producer.next(3, Rings.LONG)).isEqualTo(7);
        assertThat(consumer.state()).isEqualTo(State.CLOSED);
        assertThat(pipeline.consumers()).extracting(ConsumerHandle::name).containsExactly("stays");
    }

    /** Its removal found another change under way. */
    @Test
    @Tag("concurrency")
    void oneWhoseThreadHasEndedLeavesWithTheChangeThatItsRemovalMet() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        EventHandler<long[]> dead = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {
            inside.countDown();
            goOn.await();
        };
        pipeline.handleEventsWith(dead, slow);
        List<EventProcessor> processors = pipeline.startProcessors();
        Rings.publish(ring.producer(), 1);
        assertThat(new Rings.Caller(() -> processors.get(0).doWork()).result()).isNull();
        AtomicBoolean ends = new AtomicBoolean();
        Rings.Caller runs = new Rings.Caller(() -> {
            while (!ends.get()) {
                processors.get(1).doWork();
            }
        });
        inside.await();
        Rings.Caller joins = new Rings.Caller(() -> {
            try {
                pipeline.join(pipeline.consumer("late", (event, sequence, endOfBatch) -> {}))
                        .before(pipeline.consumer(slow))
                        .processor(Rings.LONG);
            } catch (TimeoutException e) {
                throw new AssertionError(e);
            }
        });
        joins.awaitWaiting();
        ConsumerHandle consumer = pipeline.consumer(dead);
        assertThat(consumer.remove(0)).isEqualTo(Removal.LATER);
        goOn.countDown();
        assertThat(joins.result()).isNull();
        Rings.await("the dead one has left", () -> consumer.state() == State.CLOSED);
        assertThat(pipeline.consumers()).extracting(ConsumerHandle::name).doesNotContain(consumer.name());
        ends.set(true);
        assertThat(runs.result()).isNull();
    }
}
