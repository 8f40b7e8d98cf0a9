package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.EventTranslatorOneArg;
import io.sluice.ringbuffer.EventTranslatorTwoArg;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Drop oldest: the publisher asks, each consumer jumps at its next event and counts. */
@Timeout(60)
class SheddingTest {
    private static final EventTranslatorLong<long[]> FILL = (event, sequence, value) -> event[0] = value;

    @TempDir
    Path folder;

    private final List<String> shed = new ArrayList<>();
    private final Map<String, Long> given = new HashMap<>(); // progress of each consumer

    private RingBufferBuilder<long[]> builder(boolean single, int capacity) {
        return Rings.ringBuilder(single, capacity)
                .shedding((consumer, event, sequence) -> shed.add(consumer + " " + sequence + "=" + event[0]));
    }

    private static DroppingProducer<long[]> asking(RingBuffer<long[]> ring) {
        return DroppingProducer.dropOldest(ring.producer(), 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPollerDropsTheOldestThatAPublisherNeedsRoomFor(boolean single) throws Exception {
        RingBuffer<long[]> ring = builder(single, 4).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        DroppingProducer<long[]> producer = asking(ring);
        for (long i = 0; i < 4; i++) {
            assertThat(producer.publishEvent(FILL, 10 + i)).isEqualTo(i);
        }
        assertThat(producer.publishEvent(FILL, 14)).isEqualTo(Producer.TIMED_OUT);
        assertThat(shed).isEmpty();
        List<Long> handled = new ArrayList<>();
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            assertThat(endOfBatch).isTrue();
            handled.add(event[0]);
        };
        assertThat(poller.poll(handler::onEvent, 2)).isEqualTo(2); // one dropped, one handled
        assertThat(shed).containsExactly("books 0=10");
        assertThat(producer.publishEvent(FILL, 14)).isEqualTo(4);
        assertThat(producer.publishEvent((event, sequence) -> event[0] = 15)).isEqualTo(5);
        EventTranslatorOneArg<long[], Long> one = (event, sequence, a) -> event[0] = a;
        EventTranslatorTwoArg<long[], Long, Long> two = (event, sequence, a, b) -> event[0] = a + b;
        assertThat(producer.publishEvent(one, 16L)).isEqualTo(Producer.TIMED_OUT);
        assertThat(producer.publishEvent(two, 16L, 0L)).isEqualTo(Producer.TIMED_OUT);
        while (poller.poll(handler::onEvent, 100) > 0) {}
        assertThat(handled).containsExactly(11L, 13L, 14L, 15L);
        assertThat(shed).containsExactly("books 0=10", "books 2=12");
        assertThat(producer.publishEvent(one, 16L)).isEqualTo(6);
        assertThat(producer.publishEvent(two, 16L, 1L)).isEqualTo(7);
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.consumer(0).shed()).isEqualTo(2);
        assertThat(monitor.consumer(0).handled()).isEqualTo(6);
        assertThat(monitor.dropped()).isZero();
        assertThat(monitor.dump()).contains("2 shed");
        assertThat(producer.dropped()).isZero();
    }

    /** The handler asks, as a publisher on another thread would, while it is inside slot 1. */
    @Test
    void aJumpEndsTheBatchBeforeTheNextEventAndNeverWithinOne() {
        RingBuffer<long[]> ring = builder(true, 16).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        DropOldestRequest<long[]> shedding = FollowedRing.of(ring).dropOldest();
        Rings.Recorder books = new Rings.Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence == 1) {
                    shedding.ask(2);
                    assertThat(shed).isEmpty();
                }
            }
        };
        pipeline.handleEventsWith(books);
        EventProcessor processor = pipeline.startProcessors().get(0);
        Rings.publish(ring.producer(), 5);
        assertThat(processor.doWork()).isEqualTo(2); // of a batch of 4
        assertThat(processor.sequence().get()).isEqualTo(1);
        Rings.exhaust(processor);
        assertThat(books.calls)
                .containsExactly("onStart", "start 4/5", "0", "1", "end 1", "start 2/2", "3", "4!", "end 4");
        assertThat(shed).containsExactly("consumer-1 2=2");
    }

    /** The handler is done with its batch at the first event; then a publisher asks for room behind it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestTakesBackNoProgressThatTheHandlerHasMade(boolean single) {
        RingBuffer<long[]> ring = builder(single, 8).build(); // a batch spans 2
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        DroppingProducer<long[]> producer = asking(ring);
        ConsumerHandle[] books = new ConsumerHandle[1];
        List<Long> handled = new ArrayList<>();
        NewConsumer<long[]> consumer = pipeline.consumer("books", (event, sequence, endOfBatch) -> {
            handled.add(sequence);
            if (sequence == 0) {
                books[0].progress(1);
                producer.publishEvent(FILL, 8);
                producer.publishEvent(FILL, 9); // in the slot of 1
                producer.publishEvent(FILL, 10); // there is no room: asks for 2
            }
        });
        pipeline.handleEventsWith(consumer);
        books[0] = consumer.handle();
        EventProcessor processor = pipeline.startProcessors().get(0);
        for (long i = 0; i < 8; i++) {
            producer.publishEvent(FILL, i);
        }
        assertThat(processor.doWork()).isEqualTo(2);
        assertThat(processor.sequence().get()).isEqualTo(1);
        Rings.exhaust(processor);
        assertThat(shed).containsExactly("books 2=2");
        assertThat(handled).containsExactly(0L, 1L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    /** Handlers of all kinds that give away more than they were handed, fail, and are asked to drop. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whatHandlersGiveAwayStaysGivenAway(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        RingBuffer<long[]> ring = builder(random.nextBoolean(), 16).build(); // a batch spans 4
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.onFailure((cause, event, sequence, attempt) -> {
            FailurePolicy.Action[] actions = FailurePolicy.Action.values(); // HALT is the last one
            return attempt > 3 ? FailurePolicy.Action.SKIP : actions[random.nextInt(actions.length - 1)];
        });
        EventHandler<long[]> events =
                (event, sequence, endOfBatch) -> givesAway(ring, pipeline, "events", sequence, random);
        EventHandler<long[]> extending = new Rings.Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                givesAway(ring, pipeline, "extending", sequence, random);
            }

            @Override
            public boolean extendsBatch() {
                return true;
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("events", events), pipeline.consumer("extending", extending));
        pipeline.handleEventsWith(pipeline.batchConsumer("ranges", (all, lo, hi) -> {
            givesAway(ring, pipeline, "ranges", lo, random);
            return lo + random.nextInt((int) (hi - lo + 1));
        }));
        EventHandler<long[]> part =
                (event, sequence, endOfBatch) -> givesAway(ring, pipeline, "part", sequence, random);
        pipeline.handleEventsPartitionedBy(event -> event[0], pipeline.consumer("part", part));
        List<EventProcessor> processors = pipeline.startProcessors();
        DroppingProducer<long[]> producer = asking(ring);
        List<String> names = List.of("events", "extending", "ranges", "part");
        long published = 0;
        for (int step = 0;
                step < 20_000
                        || processors.stream().anyMatch(one -> one.sequence().get() < 4_999);
                step++) {
            if (published < 5_000 && random.nextBoolean()) {
                published += producer.publishEvent(FILL, random.nextInt(2)) >= 0 ? 1 : 0;
            }
            int which = random.nextInt(processors.size());
            processors.get(which).doWork();
            long now = processors.get(which).sequence().get();
            assertThat(now).isBetween(given.getOrDefault(names.get(which), -1L), published - 1);
            given.put(names.get(which), now);
        }
        assertThat(ring.state()).isEqualTo(State.RUNNING);
    }

    /** Perhaps gives a part of the batch away, is asked to drop, and fails. */
    private void givesAway(
            RingBuffer<long[]> ring, Pipeline<long[]> pipeline, String name, long sequence, SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            try {
                ConsumerHandle own = pipeline.consumers().stream()
                        .filter(one -> one.name().equals(name))
                        .findFirst()
                        .orElseThrow();
                long last = sequence + random.nextInt(4);
                own.progress(last);
                given.put(name, last);
            } catch (IllegalArgumentException beyond) {
                // the batch, or not beyond what was given away
            }
        }
        if (random.nextInt(8) == 0) {
            FollowedRing.of(ring).dropOldest().ask(sequence + random.nextInt(3)); // as a publisher on another thread
        }
        if (random.nextInt(8) == 0) {
            throw new IllegalStateException("planned");
        }
    }

    /** As the plain producer's wait. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aPublisherThatWaitsUntilTheOldestIsDroppedIsSeenWaiting(boolean single) throws Exception {
        RingBuffer<long[]> ring = builder(single, 4).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("slowcoach");
        RingMonitor monitor = RingMonitor.of(ring);
        Rings.Caller waiter = new Rings.Caller(() -> {
            DroppingProducer<long[]> producer = DroppingProducer.dropOldest(ring.producer(), Long.MAX_VALUE);
            for (long i = 0; i < 5; i++) {
                producer.publishEvent(FILL, i);
            }
        });
        Rings.await("a publisher that waits", () -> monitor.sample().producersWaiting() == 1);
        assertThat(monitor.dump())
                .containsPattern("producer on thread Thread-\\d+: waits for room for sequence 4 for \\S+ m?s, until"
                        + " slowcoach has finished 0\n");
        poller.poll((event, sequence, endOfBatch) -> {}, 1);
        assertThat(waiter.result()).isNull();
        assertThat(shed).containsExactly("slowcoach 0=0");
        monitor.sample();
        assertThat(monitor.producersWaiting()).isZero();
        assertThat(monitor.stalls()).isEqualTo(1);
        assertThat(monitor.stalledNanos()).isPositive();
    }

    /** As the plain producer's wait, which counts a refusal only where its time is over. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEventThatIsPublishedInTheEndIsNoRefusal(boolean single) throws Exception {
        List<EventPoller<long[]>> pollers = new ArrayList<>();
        Runnable poll = () -> pollers.get(0).poll((event, sequence, endOfBatch) -> {}, 1);
        RingBuffer<long[]> ring =
                builder(single, 2).producersIdle(() -> new OnOwnThread(poll)).build();
        pollers.add(Pipeline.on(ring).poller("books"));
        Producer<long[]> plain = ring.producer();
        DroppingProducer<long[]> waits = DroppingProducer.dropOldest(plain, Rings.LONG);
        for (long i = 0; i < 4; i++) {
            assertThat(waits.publishEvent(FILL, i)).isEqualTo(i);
        }
        assertThat(shed).containsExactly("books 0=0", "books 1=1");
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.stalls()).isEqualTo(2);
        assertThat(monitor.refused()).as("refused").isZero();
        DroppingProducer<long[]> asks = DroppingProducer.dropOldest(plain, 0);
        assertThat(asks.publishEvent(FILL, 4)).isEqualTo(Producer.TIMED_OUT);
        assertThat(asks.publishEvent(FILL, 4)).isEqualTo(Producer.TIMED_OUT);
        assertThat(monitor.sample().refused()).as("refused").isEqualTo(2);
        Thread.currentThread().interrupt();
        assertThat(waits.publishEvent(FILL, 4)).isEqualTo(Producer.INTERRUPTED);
        assertThat(Thread.interrupted()).isTrue();
        ring.close();
        assertThat(waits.publishEvent(FILL, 4)).isEqualTo(Producer.CLOSED);
        assertThat(monitor.sample().refused()).as("refused").isEqualTo(2);
    }

    /** Does something with each step of a wait, on the thread that waits. */
    private record Within(Runnable step) implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            step.run();
        }

        @Override
        public void reset() {}
    }

    /** Does something with each step of a wait, on a thread that ends with it: who polls may not wait for room. */
    private record OnOwnThread(Runnable step) implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            try {
                Rings.onOwnThread(step);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void reset() {}
    }

    @Test
    void whoFollowsDropsWhatItsUpstreamHasDropped() {
        RingBuffer<long[]> ring = builder(false, 4).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder first = new Rings.Recorder();
        Rings.Recorder second = new Rings.Recorder();
        pipeline.handleEventsWith(pipeline.consumer("first", first)).then(pipeline.consumer("second", second));
        List<EventProcessor> processors = pipeline.startProcessors();
        DroppingProducer<long[]> producer = asking(ring);
        for (long i = 0; i < 4; i++) {
            producer.publishEvent(FILL, i);
        }
        assertThat(producer.publishEvent(FILL, 4)).isEqualTo(Producer.TIMED_OUT);
        Rings.exhaust(processors.get(0));
        Rings.exhaust(processors.get(1));
        assertThat(shed).containsExactly("first 0=0", "second 0=0");
        assertThat(first.calls).doesNotContain("0!").contains("1!", "2!", "3!");
        assertThat(second.calls).doesNotContain("0!").contains("1!", "2!", "3!");
        assertThat(producer.publishEvent(FILL, 4)).isEqualTo(4);
    }

    /** A request may reach beyond what its upstream has finished. Those events are still the upstream's. */
    @Test
    void aPollerDropsNothingThatItsUpstreamHasNotFinished() {
        RingBuffer<long[]> ring = builder(false, 4).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder first = new Rings.Recorder();
        EventPoller<long[]> second =
                pipeline.handleEventsWith(pipeline.consumer("first", first)).thenPoller("second");
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        producer.publishEvent(FILL, 0);
        Rings.exhaust(processor);
        for (long i = 1; i < 4; i++) {
            producer.publishEvent(FILL, i);
        }
        FollowedRing.of(ring).dropOldest().ask(2);
        List<Long> handled = new ArrayList<>();
        assertThat(second.poll((event, sequence, endOfBatch) -> handled.add(sequence), 10))
                .isEqualTo(1);
        assertThat(shed).containsExactly("second 0=0");
        assertThat(second.sequence().get()).as("not ahead of its upstream").isZero();
        Rings.exhaust(processor);
        assertThat(second.poll((event, sequence, endOfBatch) -> handled.add(sequence), 10))
                .isEqualTo(3);
        assertThat(shed).containsExactly("second 0=0", "first 1=1", "first 2=2", "second 1=1", "second 2=2");
        assertThat(handled).containsExactly(3L);
    }

    /** Nor what a producer is still to publish. */
    @Test
    void aPollerDropsNothingBehindAnOpenClaim() {
        RingBuffer<long[]> ring = builder(false, 4).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        producer.publishEvent(FILL, 0);
        long open = producer.next();
        FollowedRing.of(ring).dropOldest().ask(2);
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 10)).isEqualTo(1);
        assertThat(shed).containsExactly("books 0=0");
        producer.get(open)[0] = 7;
        producer.publish(open);
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 10)).isEqualTo(1);
        assertThat(shed).containsExactly("books 0=0", "books 1=7");
    }

    /** Each time there is room, another producer is there first. The limit counts from the begin of the call. */
    @Test
    void whoLosesTheRoomToOthersAgainAndAgainWaitsNoLongerThanItsTime() {
        AtomicBoolean making = new AtomicBoolean();
        long began = System.nanoTime();
        RingBuffer<long[]> ring = builder(false, 4)
                .producersIdle(() -> new OnOwnThread(() -> {
                    assertThat(System.nanoTime() - began)
                            .as("nanoseconds waited")
                            .isLessThan(TimeUnit.SECONDS.toNanos(20));
                    making.set(true);
                }))
                .build();
        Producer<long[]> rival = ring.producer();
        long[] consumed = {-1};
        ring.addGating(() -> {
            if (making.getAndSet(false)) {
                consumed[0]++;
                assertThat(rival.tryPublishEvent(FILL, 0)).isNotNegative();
            }
            return consumed[0];
        });
        DroppingProducer<long[]> producer =
                DroppingProducer.dropOldest(ring.producer(), TimeUnit.MILLISECONDS.toNanos(50));
        for (long i = 0; i < 4; i++) {
            assertThat(producer.publishEvent(FILL, i)).isEqualTo(i);
        }
        assertThat(producer.publishEvent(FILL, 4)).isEqualTo(Producer.TIMED_OUT);
    }

    @Test
    void aHandlerOfRangesDropsBetweenItsBatches() {
        RingBuffer<long[]> ring = builder(false, 4).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<String> ranges = new ArrayList<>();
        pipeline.handleBatchesWith((all, lo, hi) -> {
            ranges.add(lo + "-" + hi);
            return hi;
        });
        EventProcessor processor = pipeline.startProcessors().get(0);
        DroppingProducer<long[]> producer = asking(ring);
        for (long i = 0; i < 5; i++) {
            producer.publishEvent(FILL, i);
        }
        Rings.exhaust(processor);
        assertThat(shed).containsExactly("consumer-1 0=0");
        assertThat(ranges).containsExactly("1-1", "2-2", "3-3");
    }

    @Test
    void abortedSlotsAreNotShedTwiceAndNotCounted() {
        RingBuffer<long[]> ring = builder(true, 4).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder books = new Rings.Recorder();
        pipeline.handleEventsWith(books);
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> producer = ring.producer();
        producer.next(4);
        producer.abort(0, 1);
        producer.publish(2, 3);
        DroppingProducer<long[]> asking = DroppingProducer.dropOldest(producer, 0);
        asking.publishEvent(FILL, 4);
        processor.doWork();
        assertThat(shed).isEmpty();
        assertThat(asking.publishEvent(FILL, 4)).isEqualTo(4);
        assertThat(asking.publishEvent(FILL, 5)).isEqualTo(Producer.TIMED_OUT); // asks for 1: aborted too
        assertThat(asking.publishEvent(FILL, 5)).isEqualTo(Producer.TIMED_OUT);
        processor.doWork();
        assertThat(asking.publishEvent(FILL, 5)).isEqualTo(5);
        Rings.exhaust(processor);
        assertThat(shed).isEmpty();
        assertThat(books.calls).contains("2!", "3!", "4!", "5!");
    }

    @Test
    void aFailureOfTheHandlerGoesToTheFailurePolicy() {
        IllegalStateException planned = new IllegalStateException("planned");
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 2)
                .shedding((consumer, event, sequence) -> {
                    shed.add("tried " + sequence);
                    throw planned;
                })
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> books = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("books", books)
                .onFailure((cause, event, sequence, attempt) -> attempt == 1 && sequence == 0
                        ? FailurePolicy.Action.RETRY_EVENT
                        : FailurePolicies.<long[]>halt().onFailure(cause, event, sequence, attempt)));
        EventProcessor processor = pipeline.startProcessors().get(0);
        DroppingProducer<long[]> producer = asking(ring);
        for (long i = 0; i < 3; i++) {
            producer.publishEvent(FILL, i);
        }
        processor.doWork();
        assertThat(shed).containsExactly("tried 0", "tried 0");
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(ring.failure()).isSameAs(planned);
        assertThat(processor.sequence().get()).isEqualTo(-1);
        assertThat(producer.publishEvent(FILL, 3)).isEqualTo(Producer.FAILED);
    }

    @Test
    void aPausedConsumerIsNotOvertakenAndTheOwnThreadIsRefused() throws Exception {
        RingBuffer<long[]> ring = builder(true, 2).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(ring.producer(), 1_000_000);
        producer.publishEvent(FILL, 0);
        producer.publishEvent(FILL, 1);
        poller.consumer().pause();
        assertThat(producer.publishEvent(FILL, 2)).isEqualTo(Producer.TIMED_OUT);
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 10)).isZero();
        assertThatThrownBy(() -> producer.publishEvent(FILL, 2))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("runs its consumer books");
        poller.consumer().resume();
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 1)).isEqualTo(1);
        assertThat(shed).containsExactly("books 0=0");
    }

    /** As the plain producer's wait: nobody is left to drop anything. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aWaitForAConsumerThatHasEndedIsRefused(boolean single) throws Exception {
        RingBuffer<long[]> ring = builder(single, 2).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        EventProcessor processor = pipeline.startProcessors().get(0);
        Producer<long[]> plain = ring.producer();
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(plain, Long.MAX_VALUE);
        Rings.Caller feed = new Rings.Caller(() -> {
            producer.publishEvent(FILL, 0);
            producer.publishEvent(FILL, 1);
            producer.publishEvent(FILL, 2);
        });
        feed.awaitWaiting();
        processor.halt();
        processor.doWork(); // ends during the wait
        processor.onClose();
        assertThat(feed.result())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended, by halt() or its runner's end, while the ring is RUNNING");
        plain.close();
        DroppingProducer<long[]> next = DroppingProducer.dropOldest(ring.producer(), Long.MAX_VALUE);
        assertThat(new Rings.Caller(() -> next.publishEvent((event, sequence) -> {})).result()) // has ended before it
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nobody makes room");
        assertThat(ring.state()).isEqualTo(State.RUNNING);
    }

    /** Else it goes on waiting, and asks for room that it can not use. */
    @Test
    void aProducerThatItsIdleStrategyClosesDropsNothing() {
        AtomicReference<Producer<long[]>> waits = new AtomicReference<>();
        RingBuffer<long[]> ring = builder(true, 2)
                .producersIdle(() -> new Within(() -> waits.get().close()))
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> plain = ring.producer();
        waits.set(plain);
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(plain, Rings.LONG);
        producer.publishEvent(FILL, 0);
        producer.publishEvent(FILL, 1);
        assertThat(producer.publishEvent(FILL, 2)).isEqualTo(Producer.CLOSED);
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 2)).isEqualTo(2);
    }

    /** As the plain producer's wait: who lives drops what is in the way. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aLivingConsumerDropsTheOldestThoughAFurtherOneHasEnded(boolean single) throws Exception {
        RingBuffer<long[]> ring = builder(single, 8).build(); // a batch spans 2
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        EventHandler<long[]> one = (event, sequence, endOfBatch) -> {};
        EventHandler<long[]> other = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(pipeline.consumer("ended", one), pipeline.consumer("slow", other));
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<long[]> first = ring.producer();
        Rings.publish(first, 8);
        first.close();
        processors.get(0).doWork();
        processors.get(0).halt();
        processors.get(0).doWork();
        assertThat(processors.get(0).isDone()).isTrue();
        Rings.Caller feed = new Rings.Caller(() -> {
            DroppingProducer<long[]> producer = DroppingProducer.dropOldest(ring.producer(), Rings.LONG);
            assertThat(producer.publishEvent(FILL, 8)).isEqualTo(8);
        });
        Rings.await(
                "a wait for room, or its end",
                () -> feed.thread.getState() == Thread.State.TIMED_WAITING || !feed.thread.isAlive());
        processors.get(1).doWork();
        assertThat(feed.result()).isNull();
        assertThat(shed).containsExactly("slow 0=0");
        ring.close();
    }

    /** As the plain producer's wait; and nothing is dropped for room that can not come. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aWaitForAnOpenClaimOfItsOwnIsRefusedBeforeAnythingIsDropped(boolean tracked) throws Exception {
        RingBufferBuilder<long[]> builder = builder(false, 4);
        RingBuffer<long[]> ring = (tracked ? builder.trackClaims() : builder).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> plain = ring.producer();
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(plain, Long.MAX_VALUE);
        Throwable thrown = new Rings.Caller(() -> {
                    plain.next(1);
                    for (int i = 1; i < 4; i++) {
                        producer.publishEvent(FILL, i);
                    }
                    producer.publishEvent(FILL, 4);
                })
                .result();
        assertThat(thrown)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sequence 0 is claimed by this producer and still open");
        assertThat(FollowedRing.of(ring).dropOldest().asked()).isEqualTo(-1);
        plain.close(); // its thread has ended
        List<Long> handled = new ArrayList<>();
        while (poller.poll((event, sequence, endOfBatch) -> handled.add(sequence), 4) > 0) {}
        assertThat(handled).containsExactly(1L, 2L, 3L);
        assertThat(shed).isEmpty();
    }

    @Test
    void anInterruptAndTheEndOfTheRingEndTheWait() {
        RingBuffer<long[]> ring = builder(true, 2).build();
        Pipeline.on(ring).poller("books");
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(ring.producer(), Long.MAX_VALUE);
        producer.publishEvent(FILL, 0);
        producer.publishEvent(FILL, 1);
        Thread.currentThread().interrupt();
        assertThat(producer.publishEvent(FILL, 2)).isEqualTo(Producer.INTERRUPTED);
        assertThat(Thread.interrupted()).isTrue();
        ring.close();
        assertThat(producer.publishEvent(FILL, 2)).isEqualTo(Producer.CLOSED);
        assertThat(shed).isEmpty();
    }

    /** Two publishers of more than two consumers can handle: each event is handled or shed by each, once, in order. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void eachEventIsHandledOrShedOnceByEachConsumer(boolean single) throws Exception {
        int count = 4_000;
        Map<String, List<Long>> seen = new ConcurrentHashMap<>();
        Map<String, Long> dropped = new ConcurrentHashMap<>();
        RingBuffer<long[]> ring = Rings.ringBuilder(single, 8)
                .producersIdle(YieldingIdleStrategy::new)
                .consumersIdle(YieldingIdleStrategy::new)
                .shedding((consumer, event, sequence) -> {
                    seen.get(consumer).add(sequence);
                    dropped.merge(consumer, 1L, Long::sum);
                })
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        boolean[] inSlot = new boolean[1];
        List<NewConsumer<long[]>> consumers = new ArrayList<>();
        for (String name : List.of("fast", "slow", "last")) {
            seen.put(name, new ArrayList<>());
            dropped.put(name, 0L);
            SplittableRandom random = new SplittableRandom(name.hashCode());
            consumers.add(pipeline.consumer(name, (event, sequence, endOfBatch) -> {
                long before = event[0];
                for (int i = name.equals("slow") ? random.nextInt(64) : 0; i > 0; i--) {
                    Thread.onSpinWait();
                    inSlot[0] |= event[0] != before; // overwritten under the handler
                }
                seen.get(name).add(sequence);
            }));
        }
        pipeline.handleEventsWith(consumers.get(0), consumers.get(1)).then(consumers.get(2));
        pipeline.start();
        int publishers = single ? 1 : 2;
        CountDownLatch done = new CountDownLatch(publishers);
        for (int p = 0; p < publishers; p++) {
            DroppingProducer<long[]> producer =
                    DroppingProducer.dropOldest(ring.producer(), TimeUnit.SECONDS.toNanos(20));
            new Thread(() -> {
                        for (int i = 0; i < count; i++) {
                            if (producer.publishEvent(FILL, i) < 0) {
                                return; // and the latch says so
                            }
                        }
                        producer.close();
                        done.countDown();
                    })
                    .start();
        }
        assertThat(done.await(40, TimeUnit.SECONDS)).isTrue();
        assertThat(pipeline.drain(Rings.LONG).isNone()).isTrue();
        RingMonitor monitor = RingMonitor.of(ring);
        for (int i = 0; i < monitor.consumers(); i++) {
            assertThat(monitor.consumer(i).shed())
                    .isEqualTo(dropped.get(monitor.consumer(i).name()));
        }
        pipeline.close();
        List<Long> all = new ArrayList<>();
        for (long i = 0; i < (long) publishers * count; i++) {
            all.add(i);
        }
        seen.forEach((name, sequences) -> assertThat(sequences).as(name).isEqualTo(all));
        assertThat(inSlot[0]).isFalse();
    }

    /** One worker is inside event 0 while its colleague takes the others. */
    @Test
    void aWorkerDropsWhatItHasTakenAndItsColleagueHandlesTheEventThatItIsAt() {
        RingBuffer<long[]> ring = builder(true, 16).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        DropOldestRequest<long[]> shedding = FollowedRing.of(ring).dropOldest();
        List<EventProcessor> processors = new ArrayList<>();
        Rings.Recorder colleague = new Rings.Recorder();
        Rings.Recorder inside = new Rings.Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence == 0) {
                    shedding.ask(2);
                    Rings.exhaust(processors.get(1));
                    assertThat(shed).containsExactly("colleague 1=1", "colleague 2=2");
                    assertThat(processors.get(1).sequence().get()).isEqualTo(-1);
                }
            }
        };
        Rings.Recorder behind = new Rings.Recorder();
        pipeline.handleEventsWithWorkerPool(
                        pipeline.consumer("inside", inside), pipeline.consumer("colleague", colleague))
                .then(pipeline.consumer("behind", behind));
        processors.addAll(pipeline.startProcessors());
        Rings.publish(ring.producer(), 4);
        processors.forEach(Rings::exhaust);
        assertThat(inside.calls).containsExactly("onStart", "start 1/4", "0!", "end 0");
        assertThat(colleague.calls).containsExactly("onStart", "start 1/1", "3!", "end 3");
        assertThat(behind.calls).containsExactly("onStart", "start 1/1", "3!", "end 3");
        assertThat(shed).containsExactly("colleague 1=1", "colleague 2=2", "behind 0=0", "behind 1=1", "behind 2=2");
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(List.of(monitor.consumer(0).shed(), monitor.consumer(1).shed()))
                .containsExactly(0L, 2L);
    }

    @Test
    void aWorkerThatFailsToDropLeavesItsEventUndoneAndStopsItsColleagues() {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 16)
                .shedding((consumer, event, sequence) -> {
                    throw new IllegalStateException("planned");
                })
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(failure -> {});
        Rings.Recorder one = new Rings.Recorder();
        Rings.Recorder other = new Rings.Recorder();
        pipeline.handleEventsWithWorkerPool(one, other);
        List<EventProcessor> processors = pipeline.startProcessors();
        Rings.publish(ring.producer(), 4);
        FollowedRing.of(ring).dropOldest().ask(0);
        processors.forEach(Rings::exhaust);
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(processors).allMatch(EventProcessor::isDone);
        assertThat(processors.get(0).sequence().get()).isEqualTo(-1);
        assertThat(other.calls).containsExactly("onStart");
    }

    /** The even part asks, as a publisher on another thread would, while it is inside slot 0. */
    @Test
    void aPartOfAStageDividedByKeyDropsItsOwnEvents() {
        RingBuffer<long[]> ring = builder(true, 16).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        DropOldestRequest<long[]> shedding = FollowedRing.of(ring).dropOldest();
        Rings.Recorder even = new Rings.Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence == 0) {
                    shedding.ask(4);
                }
            }
        };
        Rings.Recorder odd = new Rings.Recorder();
        pipeline.handleEventsPartitionedBy(
                event -> event[0], pipeline.consumer("even", even), pipeline.consumer("odd", odd));
        List<EventProcessor> processors = pipeline.startProcessors();
        Rings.publish(ring.producer(), 8);
        assertThat(processors.get(0).doWork()).isEqualTo(2);
        processors.forEach(Rings::exhaust);
        assertThat(even.calls).containsExactly("onStart", "start 4/8", "0", "end 1", "start 3/3", "6!", "end 7");
        assertThat(odd.calls).containsExactly("onStart", "start 3/3", "5", "7!", "end 7");
        assertThat(shed).containsExactly("even 2=2", "even 4=4", "odd 1=1", "odd 3=3");
    }

    @Test
    void whatAConsumerHasFinishedIsNotDroppedByThoseBehindIt() {
        RingBuffer<long[]> ring = builder(true, 16).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder filter = new Rings.Recorder() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence % 2 == 0) {
                    pipeline.consumer(this).finish(sequence);
                }
            }
        };
        Rings.Recorder behind = new Rings.Recorder();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents())
                .then(pipeline.consumer("behind", behind));
        List<EventProcessor> processors = pipeline.startProcessors();
        Rings.publish(ring.producer(), 6);
        Rings.exhaust(processors.get(0));
        FollowedRing.of(ring).dropOldest().ask(2);
        Rings.exhaust(processors.get(1));
        assertThat(behind.calls).containsExactly("onStart", "start 3/3", "3", "5!", "end 5");
        assertThat(shed).containsExactly("behind 1=1");
    }

    /** What it asks for while it is inside slot 1 is what its batch has just grown by. */
    @Test
    void aBatchThatHasGrownEndsBeforeAnEventThatMayBeDropped() {
        RingBuffer<long[]> ring = builder(true, 16).build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        DropOldestRequest<long[]> shedding = FollowedRing.of(ring).dropOldest();
        Producer<long[]> producer = ring.producer();
        Rings.Recorder books = new Rings.Recorder() {
            @Override
            public boolean extendsBatch() {
                return true;
            }

            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                super.onEvent(event, sequence, endOfBatch);
                if (sequence == 0) {
                    Rings.publish(producer, 2);
                } else if (sequence == 1) {
                    shedding.ask(2);
                }
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("books", books));
        EventProcessor processor = pipeline.startProcessors().get(0);
        Rings.publish(producer, 2);
        assertThat(processor.doWork()).isEqualTo(2);
        Rings.exhaust(processor);
        assertThat(books.calls).containsExactly("onStart", "start 2/2", "0", "1", "end 1", "start 1/1", "3!", "end 3");
        assertThat(shed).hasSize(1).first().asString().startsWith("books 2=");
    }

    /** Threads: two workers, then two parts by key, of which each event is handled or shed by one of its stage. */
    @Tag("concurrency")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachEventIsHandledOrShedOnceByEachStage(boolean single) throws Exception {
        int count = 4_000;
        Map<String, List<Long>> seen = new ConcurrentHashMap<>();
        RingBuffer<long[]> ring = Rings.ringBuilder(single, 8)
                .producersIdle(YieldingIdleStrategy::new)
                .consumersIdle(YieldingIdleStrategy::new)
                .shedding((consumer, event, sequence) -> seen.get(consumer).add(sequence))
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<EventHandler<long[]>> handlers = new ArrayList<>();
        List<String> names = List.of("worker 1", "worker 2", "part 1", "part 2");
        for (String name : names) {
            seen.put(name, new ArrayList<>());
            SplittableRandom random = new SplittableRandom(name.hashCode());
            handlers.add((event, sequence, endOfBatch) -> {
                for (int i = random.nextInt(64); i > 0; i--) {
                    Thread.onSpinWait();
                }
                seen.get(name).add(sequence);
            });
        }
        List<NewConsumer<long[]>> named = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            named.add(pipeline.consumer(names.get(i), handlers.get(i)));
        }
        pipeline.handleEventsWithWorkerPool(named.get(0), named.get(1))
                .thenPartitionedBy(event -> event[0], named.get(2), named.get(3));
        pipeline.start();
        DroppingProducer<long[]> producer = DroppingProducer.dropOldest(ring.producer(), TimeUnit.SECONDS.toNanos(20));
        for (int i = 0; i < count; i++) {
            assertThat(producer.publishEvent(FILL, i)).isEqualTo(i);
        }
        assertThat(pipeline.drain(Rings.LONG).isNone()).isTrue();
        pipeline.close();
        for (int stage = 0; stage < names.size(); stage += 2) {
            List<Long> all = new ArrayList<>(seen.get(names.get(stage)));
            assertThat(all).isSorted();
            all.addAll(seen.get(names.get(stage + 1)));
            assertThat(all).as(names.get(stage)).hasSize(count).doesNotHaveDuplicates();
        }
        assertThat(seen.get("part 1")).allMatch(sequence -> sequence % 2 == 0);
    }

    @Test
    @Tag("once")
    void whatIsShedIsRecorded() throws Exception {
        RingBuffer<long[]> ring = builder(true, 2).name("orders").build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        DroppingProducer<long[]> producer = asking(ring);
        for (long i = 0; i < 3; i++) {
            producer.publishEvent(FILL, i);
        }
        Path file = folder.resolve("shed.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.sluice.Drop");
            recording.start();
            poller.poll((event, sequence, endOfBatch) -> {}, 1);
            recording.stop();
            recording.dump(file);
        }
        assertThat(RecordingFile.readAllEvents(file))
                .extracting(event ->
                        event.getString("ring") + " " + event.getString("slowest") + " " + event.getLong("events"))
                .containsExactly("orders books 1");
    }

    @Test
    void badInputIsRefused() {
        RingBuffer<long[]> plain = Rings.ring(true, 4);
        assertThatThrownBy(() -> DroppingProducer.dropOldest(plain.producer(), 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be of a ring built with shedding");
        RingBuffer<long[]> ring = builder(true, 4).build();
        assertThatThrownBy(() -> DroppingProducer.dropOldest(ring.producer(), -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeoutNanos must be 0 or more, but was -1");
        assertThatThrownBy(() -> DroppingProducer.dropOldest(null, 1)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> Rings.ringBuilder(true, 4).shedding(null)).isInstanceOf(NullPointerException.class);
    }
}
