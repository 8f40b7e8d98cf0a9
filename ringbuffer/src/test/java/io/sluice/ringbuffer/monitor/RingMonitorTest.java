package io.sluice.ringbuffer.monitor;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static io.sluice.ringbuffer.Rings.ringBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.Sequence;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Allocated;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingClosedException;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.pipeline.BatchHandler;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a monitor sees of a ring: exact where the ring stands still, in range while it runs, and no garbage. */
@Timeout(60)
class RingMonitorTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theFiguresOfARingThatStandsStillAreExact(boolean single) {
        RingBuffer<long[]> ring = ringBuilder(single, 16).name("orders").build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> second = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("first", first)).then(pipeline.consumer("second", second));
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.name()).isEqualTo("orders");
        assertThat(monitor.state()).isEqualTo(State.RUNNING);
        assertThat(monitor.capacity()).isEqualTo(16);
        assertThat(monitor.published()).isZero();
        assertThat(monitor.fill()).isZero();
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        publish(producer, 3);
        Rings.exhaust(processors.get(0));
        publish(producer, 4);
        monitor.sample();
        assertThat(monitor.published()).isEqualTo(7);
        assertThat(monitor.handled()).isZero();
        assertThat(monitor.fill()).isEqualTo(7);
        assertThat(monitor.consumers()).isEqualTo(2);
        RingMonitor.ConsumerSample one = monitor.consumer(0);
        assertThat(one.name()).isEqualTo("first");
        assertThat(one.sequence()).isEqualTo(2);
        assertThat(one.lag()).isEqualTo(4);
        assertThat(one.handled()).isEqualTo(3);
        assertThat(one.batches()).isEqualTo(1);
        assertThat(one.meanBatchSize()).isEqualTo(3);
        assertThat(monitor.consumer(1).lag()).isEqualTo(7);
        assertThat(monitor.dump())
                .contains(
                        "ring orders: RUNNING, 7 of 16 slots in use, 7 published, 0 handled; 0 stalls, 0 refused, 0 dropped\n")
                .contains("consumer first: at 2, 4 behind, works from 3, here for at least ")
                .contains("consumer second: at -1, 7 behind, not started, here for at least ");
        Rings.exhaust(processors.get(0));
        Rings.exhaust(processors.get(1));
        Rings.exhaust(processors.get(1));
        monitor.sample();
        assertThat(monitor.handled()).isEqualTo(7);
        assertThat(monitor.fill()).isZero();
        assertThat(one.lag()).as("the view is refreshed").isZero();
        assertThat(monitor.dump()).contains("consumer second: at 6, 0 behind, waits for publications, ");
        ring.close();
        processors.forEach(EventProcessor::onClose);
        assertThat(monitor.dump()).contains("ring orders: CLOSED", "consumer first: at 6, 0 behind, ended\n");
        assertThatThrownBy(() -> monitor.consumer(2))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("index must be from 0 to 1, there being 2, but was 2");
    }

    @Test
    void whoWaitsForAnUpstreamIsNamedWithIt() {
        RingBuffer<long[]> ring = ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> slow = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> behind = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("slow", slow)).then(pipeline.consumer("behind", behind));
        List<EventProcessor> processors = pipeline.startProcessors();
        publish(ring.producer(), 2);
        assertThat(processors.get(1).doWork()).isZero();
        assertThat(RingMonitor.of(ring).dump())
                .contains("consumer behind: at -1, 2 behind, waits for slow at -1, here for at least ");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void batchesAreCountedByTheirSize(boolean single) {
        RingBuffer<long[]> ring = ring(single, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> events = (event, sequence, endOfBatch) -> {};
        BatchHandler<long[]> ranges = (all, lo, hi) -> hi;
        pipeline.handleEventsWith(events);
        pipeline.handleBatchesWith(ranges);
        EventPoller<long[]> poller = pipeline.poller("poller");
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> producer = ring.producer();
        for (int size : new int[] {1, 1, 2, 3, 4, 7, 8, 16}) {
            publish(producer, size);
            processors.forEach(Rings::exhaust);
            poller.poll((event, sequence, endOfBatch) -> {}, 100);
        }
        RingMonitor monitor = RingMonitor.of(ring);
        for (int i = 0; i < 3; i++) {
            RingMonitor.ConsumerSample sample = monitor.consumer(i);
            assertThat(sample.batches()).isEqualTo(8);
            assertThat(sample.batchesUpTo(1)).isEqualTo(2);
            assertThat(sample.batchesUpTo(3)).isEqualTo(4);
            assertThat(sample.batchesUpTo(7)).isEqualTo(6);
            assertThat(sample.batchesUpTo(Integer.MAX_VALUE)).isEqualTo(8);
            assertThat(sample.batchSizeAt(25)).isEqualTo(1);
            assertThat(sample.batchSizeAt(50)).isEqualTo(3);
            assertThat(sample.batchSizeAt(100)).isEqualTo(31);
            assertThat(sample.meanBatchSize()).isEqualTo(42 / 8.0);
        }
        assertThatThrownBy(() -> monitor.consumer(0).batchSizeAt(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("percent must be more than 0 and at most 100, but was 0.0");
        assertThatThrownBy(() -> monitor.consumer(0).batchesUpTo(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusalsAreCounted(boolean single) {
        RingBuffer<long[]> ring = ring(single, 4);
        Pipeline.on(ring).poller("never");
        RingMonitor monitor = RingMonitor.of(ring);
        Producer<long[]> producer = ring.producer();
        Rings.fill(producer);
        assertThat(monitor.sample().refused()).isEqualTo(1);
        assertThat(monitor.stalls()).isZero();
        assertThat(producer.next(1, 1)).isEqualTo(Producer.TIMED_OUT);
        monitor.sample();
        assertThat(monitor.refused()).isEqualTo(2);
        assertThat(monitor.stalls()).isLessThanOrEqualTo(1);
        assertThat(monitor.producersWaiting()).isZero();
        assertThat(monitor.fill()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aStallIsSeenWhileItLastsAndCounted(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> poller = pipeline.poller("slowcoach");
        RingMonitor monitor = RingMonitor.of(ring);
        Rings.Caller waiter = new Rings.Caller(() -> publish(ring.producer(), 6));
        Rings.await("a stall", () -> monitor.sample().producersWaiting() == 1);
        assertThat(monitor.stalls()).isEqualTo(1);
        assertThat(monitor.dump())
                .containsPattern("producer on thread Thread-\\d+: waits for room for sequence 4 for \\S+ m?s, until"
                        + " slowcoach has finished 0\n");
        poller.poll((event, sequence, endOfBatch) -> {}, 4);
        assertThat(waiter.result()).isNull();
        monitor.sample();
        assertThat(monitor.producersWaiting()).isZero();
        assertThat(monitor.stalls()).isBetween(1L, 2L);
        assertThat(monitor.stalledNanos()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void whatAStallOfARingThatRetainsEventsWaitsForIsNamed(boolean single) throws Exception {
        RingBuffer<long[]> ring = ringBuilder(single, 8).retain(4).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> poller = pipeline.poller("slowcoach");
        RingMonitor monitor = RingMonitor.of(ring);
        Rings.Caller waiter = new Rings.Caller(() -> publish(ring.producer(), 5));
        Rings.await("a stall", () -> monitor.sample().producersWaiting() == 1);
        assertThat(monitor.dump())
                .containsPattern("waits for room for sequence 4 for \\S+ m?s, until slowcoach has finished 0\n");
        poller.poll((event, sequence, endOfBatch) -> {}, 1);
        assertThat(waiter.result()).isNull();
    }

    /** What holds the producer up is the program's own: no consumer has to finish anything for it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aStallThatNoConsumerCausesNamesNone(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 4);
        Sequence own = new Sequence();
        ring.addGating(own);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        RingMonitor monitor = RingMonitor.of(ring);
        Rings.Caller waiter = new Rings.Caller(() -> publish(ring.producer(), 5));
        Rings.await("a stall", () -> monitor.sample().producersWaiting() == 1);
        poller.poll((event, sequence, endOfBatch) -> {}, 4);
        assertThat(monitor.dump())
                .containsPattern("waits for room for sequence 4 for \\S+ m?s\n")
                .doesNotContain("until");
        ring.removeGating(own);
        assertThat(waiter.result()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aStallThatEndsBadlyEnds(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 4);
        Pipeline.on(ring).poller("slowcoach");
        RingMonitor monitor = RingMonitor.of(ring);
        Rings.Caller waiter = new Rings.Caller(() -> publish(ring.producer(), 6));
        Rings.await("a stall", () -> monitor.sample().producersWaiting() == 1);
        ring.close();
        assertThat(waiter.result()).isInstanceOf(RingClosedException.class);
        assertThat(monitor.sample().producersWaiting()).isZero();
    }

    /** Another producer takes a part of the room between two looks: the claim gets the rest, and nobody is refused. */
    @Test
    void aClaimThatTakesWhatRoomIsLeftIsNoRefusal() {
        RingBuffer<long[]> ring = ring(false, 8);
        Runnable nothing = () -> {};
        Runnable[] meanwhile = {nothing};
        ring.addGating(() -> {
            Runnable now = meanwhile[0];
            meanwhile[0] = nothing;
            now.run();
            return -1;
        });
        Producer<long[]> one = ring.producer();
        Producer<long[]> other = ring.producer();
        meanwhile[0] = () -> other.next(3);
        assertThat(one.tryNextUpTo(8)).isEqualTo(7);
        assertThat(one.claimedFrom()).isEqualTo(3);
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.refused()).isZero();
        assertThat(one.tryNextUpTo(8)).isEqualTo(Producer.FULL);
        assertThat(monitor.sample().refused()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPollWhoseHandlerPublishesItsProgressItselfIsABatchToo(boolean single) {
        RingBuffer<long[]> ring = ring(single, 16);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        publish(ring.producer(), 6);
        assertThat(poller.poll(
                        (event, sequence, endOfBatch) -> poller.consumer().progress(sequence), 4))
                .isEqualTo(4);
        RingMonitor.ConsumerSample sample = RingMonitor.of(ring).consumer(0);
        assertThat(sample.handled()).isEqualTo(4);
        assertThat(sample.batches()).isEqualTo(1);
        assertThat(sample.meanBatchSize()).isEqualTo(4);
    }

    /** A program that makes a producer for each task keeps no watch for each. */
    @Test
    void watchesAreTakenOverAndGoOnCounting() throws Exception {
        RingBuffer<long[]> ring = ring(false, 4);
        Pipeline.on(ring).poller("never");
        Rings.fill(ring.producer()); // the test's own thread: one watch, in use
        for (int i = 0; i < 10; i++) {
            Producer<long[]> closed = ring.producer();
            assertThat(closed.tryNext(1)).isEqualTo(Producer.FULL);
            closed.close();
            Rings.Caller dies = new Rings.Caller(() -> ring.producer().tryNext(1));
            assertThat(dies.result()).isNull();
        }
        int[] watches = {0};
        FollowedRing.of(ring).forEachProducer(watch -> watches[0]++);
        assertThat(watches[0]).isLessThanOrEqualTo(3);
        assertThat(RingMonitor.of(ring).refused()).isEqualTo(21);
    }

    @Test
    void failuresAreCounted() {
        RingBuffer<long[]> ring = ring(true, 16);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> throwing = (event, sequence, endOfBatch) -> {
            throw new IllegalStateException("as planned");
        };
        pipeline.handleEventsWith(throwing);
        pipeline.onFailure(FailurePolicies.skip((cause, sequence, attempt) -> {}));
        EventProcessor processor = pipeline.startProcessors().get(0);
        publish(ring.producer(), 3);
        Rings.exhaust(processor);
        assertThat(RingMonitor.of(ring).consumer(0).failures()).isEqualTo(3);
    }

    @Test
    @Tag("concurrency")
    void parksAreCountedAndTold() {
        RingBuffer<long[]> ring = ringBuilder(true, 16)
                .consumersIdle(() -> SignalledIdle.exact(1))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        try (pipeline) {
            pipeline.start();
            RingMonitor monitor = RingMonitor.of(ring);
            Rings.await("a park", () -> monitor.sample().consumer(0).parks() > 0);
            Rings.await("a thread that waits", () -> monitor.dump().contains(" WAITING, parked for "));
            assertThat(monitor.dump())
                    .containsPattern("waits for publications, here for at least \\S+ m?s, thread sluice-\\S+ WAITING");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void theFiguresOfARunningRingStayInRange(boolean single) throws Exception {
        RingBuffer<long[]> ring =
                ringBuilder(single, 64).consumersIdle(YieldingIdleStrategy::new).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> first = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> second = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(first).then(second);
        pipeline.start();
        AtomicBoolean done = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        Rings.Caller sender = new Rings.Caller(() -> {
            Producer<long[]> producer = ring.producer();
            while (!done.get()) {
                publish(producer, 10);
                begun.countDown();
            }
        });
        begun.await();
        RingMonitor monitor = RingMonitor.of(ring);
        long published = 0;
        long handled = 0;
        long batches = 0;
        for (int i = 0; i < 20_000; i++) {
            monitor.sample();
            assertThat(monitor.fill()).isBetween(0L, 64L);
            assertThat(monitor.published()).isGreaterThanOrEqualTo(published);
            assertThat(monitor.handled()).isBetween(handled, monitor.published());
            for (int j = 0; j < 2; j++) {
                assertThat(monitor.consumer(j).lag()).isBetween(0L, 64L);
            }
            assertThat(monitor.consumer(1).batches()).isGreaterThanOrEqualTo(batches);
            published = monitor.published();
            handled = monitor.handled();
            batches = monitor.consumer(1).batches();
        }
        done.set(true);
        assertThat(sender.result()).isNull();
        assertThat(pipeline.drain(Rings.LONG).isNone()).isTrue();
        monitor.sample();
        assertThat(monitor.handled()).isEqualTo(monitor.published());
        pipeline.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("once")
    void aSnapshotMakesNoGarbage(boolean single) {
        RingBuffer<long[]> ring = ring(single, 64);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        for (int i = 0; i < 5; i++) {
            pipeline.poller("poller " + i);
        }
        Rings.fill(ring.producer());
        RingMonitor monitor = RingMonitor.of(ring);
        long[] sum = {0};
        int[] samples = {0};
        assertThat(Allocated.least(() -> {
                    for (int i = 0; i < 1_000; i++, samples[0]++) {
                        monitor.sample();
                        sum[0] += monitor.fill()
                                + monitor.refused()
                                + monitor.consumer(4).batchSizeAt(99);
                    }
                }))
                .isZero();
        assertThat(sum[0]).isEqualTo(samples[0] * 65L);
    }

    @Test
    void aRingOfSomeoneElsesMakingIsRefused() {
        RingBuffer<?> foreign = (RingBuffer<?>) Proxy.newProxyInstance(
                RingBuffer.class.getClassLoader(),
                new Class<?>[] {RingBuffer.class},
                (proxy, method, arguments) -> null);
        assertThatThrownBy(() -> RingMonitor.of(foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ring must be one of RingBufferBuilder.of");
    }

    /** A producer whose thread has ended lends its figures to the next; closed later, it does not lend them once more. */
    @Test
    @Tag("concurrency")
    void everyWaitingProducerIsSeenThoughOneTookOverFromAnEndedThread() throws Exception {
        RingBuffer<long[]> full = Rings.ring(false, 2);
        Pipeline.on(full).poller("books");
        Rings.fill(full.producer());
        Producer<long[]> first = full.producer();
        Rings.onOwnThread(() -> assertThat(first.tryNext(1)).isEqualTo(Producer.FULL)); // and ends
        Producer<long[]> second = full.producer();
        Rings.Caller two = new Rings.Caller(() -> {
            assertThat(second.tryNext(1)).isEqualTo(Producer.FULL); // counts where the ended one has
            first.close();
            assertThat(second.next(1, Rings.LONG)).isEqualTo(Producer.CLOSED);
        });
        two.awaitWaiting();
        Producer<long[]> third = full.producer();
        Rings.Caller three =
                new Rings.Caller(() -> assertThat(third.next(1, Rings.LONG)).isEqualTo(Producer.CLOSED));
        three.awaitWaiting();
        RingMonitor monitor = RingMonitor.of(full);
        Rings.await("both to be seen waiting", () -> monitor.sample().producersWaiting() == 2);
        assertThat(monitor.dump())
                .contains("producer on thread " + two.thread.getName() + ": waits for room for sequence 2")
                .contains("producer on thread " + three.thread.getName() + ": waits for room for sequence 2");
        full.close();
        assertThat(two.result()).isNull();
        assertThat(three.result()).isNull();
        assertThat(monitor.sample().refused()).isEqualTo(3); // one each of Rings.fill, first, second: none is lost
        assertThat(monitor.producersWaiting()).isZero();
    }

    /** Producers that come and go on a thread that lives leave no figures behind that grow. */
    @Test
    void theWatchOfAClosedProducerServesTheNext() {
        FollowedRing<long[]> full = FollowedRing.of(Rings.ring(false, 2));
        Pipeline.on(full).poller("books");
        Rings.fill(full.producer());
        for (int i = 0; i < 5; i++) {
            try (Producer<long[]> producer = full.producer()) {
                assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
            }
        }
        int[] watches = new int[1];
        full.forEachProducer(watch -> watches[0]++);
        assertThat(watches[0])
                .as("one of Rings.fill, and one that five have used")
                .isEqualTo(2);
        assertThat(RingMonitor.of(full).refused()).isEqualTo(6);
    }

    @Test
    void ringsWithoutANameGetOneEach() {
        RingBufferBuilder<long[]> builder = Rings.ringBuilder(true, 2);
        String one = RingMonitor.of(builder.build()).name();
        String other = RingMonitor.of(builder.build()).name();
        assertThat(one).matches("ring-[0-9]+");
        assertThat(other).matches("ring-[0-9]+").isNotEqualTo(one);
        assertThat(RingMonitor.of(builder.name("orders").build()).name()).isEqualTo("orders");
    }

    /** A monitor lives as long as the ring, and consumers come and go. */
    @Test
    void aMonitorKeepsNoConsumerThatHasLeft() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 8);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventPoller<long[]> stays = pipeline.poller("stays");
        pipeline.start();
        stays.poll((event, sequence, endOfBatch) -> {}, 1); // this thread's own from now on
        RingMonitor monitor = RingMonitor.of(ring);
        WeakReference<Object> handler = joinsAndLeaves(pipeline, monitor);
        monitor.sample();
        Rings.await("the handler is let go", () -> {
            System.gc();
            return handler.get() == null;
        });
        assertThat(monitor.sample().state()).isEqualTo(State.RUNNING);
    }

    private static WeakReference<Object> joinsAndLeaves(Pipeline<long[]> pipeline, RingMonitor monitor)
            throws TimeoutException {
        long[] held = new long[1];
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> held[0]++;
        ConsumerHandle late = pipeline.join(pipeline.consumer("late", handler)).start(Rings.LONG);
        monitor.sample();
        assertThat(late.remove(Rings.LONG)).isEqualTo(Removal.LEFT);
        return new WeakReference<>(handler);
    }
}
