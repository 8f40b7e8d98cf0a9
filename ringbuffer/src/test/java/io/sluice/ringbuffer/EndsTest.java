package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.Sequence;
import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventsLeftException;
import io.sluice.ringbuffer.pipeline.NewConsumer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How drain and close end, where that takes more than one step or more than one thread. */
@Tag("concurrency")
class EndsTest {
    static Stream<Named<Consumer<ObjectRing<long[]>>>> firstSteps() {
        return Stream.of(
                Named.of("close", ring -> ring.life.close()),
                Named.of("fail", ring -> ring.life.fail(new IllegalStateException("planned"))),
                Named.of("drain", ring -> ring.life.drain()));
    }

    /**
     * With many producers the end is two steps, the life-cycle word and the claim word, and whoever makes it may stand between
     * them for any time. Once drain has returned no claim is granted all the same.
     */
    @ParameterizedTest
    @MethodSource("firstSteps")
    void noClaimIsGrantedOnceDrainHasReturned(Consumer<ObjectRing<long[]>> firstStepOfAnother) {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(4)
                .multiProducer()
                .build();
        Producer<long[]> used = ring.producer();
        long first = used.next(1);
        used.publish(first, first);
        Producer<long[]> unused = ring.producer();

        firstStepOfAnother.accept((ObjectRing<long[]>) ring);
        Ring.Leftover left;
        try {
            left = ring.drain(0);
        } catch (RingFailedException e) {
            left = ring.leftover();
        }

        assertThat(left.openProducers()).isZero();
        assertThat(used.tryNext(1)).isNegative();
        assertThat(unused.tryNext(1)).isNegative();
        assertThat(ring.leftover()).isEqualTo(left);
    }

    @Test
    void anInterruptEndsDrainAndIsKept() {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(4)
                .singleProducer()
                .build();
        Pipeline.on(ring).poller("poller");
        Producer<long[]> producer = ring.producer();
        long first = producer.next(1);
        producer.publish(first, first);
        Thread.currentThread().interrupt();
        Ring.Leftover left = ring.drain(Long.MAX_VALUE);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(left.unhandled()).isEqualTo(1);
    }

    @Test
    void closeWaitsForTheConsumersThreads() {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(4)
                .singleProducer()
                .build();
        Thread closer = Thread.currentThread();
        AtomicBoolean closed = new AtomicBoolean();
        AtomicReference<Thread> consumer = new AtomicReference<>();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(new EventHandler<long[]>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) {
                throw new IllegalStateException("nothing was published");
            }

            @Override
            public void onShutdown() {
                consumer.set(Thread.currentThread());
                while (closer.getState() == Thread.State.RUNNABLE && !closed.get()) { // until it waits, or does not
                    Thread.onSpinWait();
                }
            }
        });
        pipeline.start();
        try {
            ring.close();
            assertThat(consumer.get()).isNotNull();
            assertThat(consumer.get().isAlive()).isFalse();
        } finally {
            closed.set(true);
        }
    }

    /** A factory may take long, as one that waits for a place in a pool. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoClosesOrAwaitsKeepsTheLimitThoughAThreadFactoryIsAtWork(boolean joins) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder handler = new Rings.Recorder();
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean blocks = new AtomicBoolean(!joins);
        pipeline.threads(task -> {
            if (blocks.get()) {
                atWork.countDown();
                awaitNow(goOn);
            }
            return new Thread(task);
        });
        if (joins) {
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
            pipeline.start();
            blocks.set(true);
        } else {
            pipeline.handleEventsWith(handler);
        }
        Rings.Caller starts = new Rings.Caller(() -> {
            if (joins) {
                joinNow(pipeline, pipeline.consumer("late", handler));
            } else {
                pipeline.start();
            }
        });
        AtomicReference<Ring.Leftover> left = new AtomicReference<>();
        Throwable refused = null;
        try {
            awaitNow(atWork);
            Rings.Caller ends = new Rings.Caller(() -> {
                assertThat(pipeline.awaitHandled(0, 1)).isFalse();
                ring.drain(1);
                left.set(ring.close(Duration.ofSeconds(5)));
            });
            assertThat(ends.result()).isNull();
        } finally {
            goOn.countDown();
            refused = starts.result();
        }
        assertThat(left.get().isNone()).as("%s", left).isTrue();
        assertThat(refused)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the ring must be RUNNING or DRAINING for " + (joins ? "a join" : "start()")
                        + ", but is CLOSED");
        assertThat(handler.calls).isEmpty();
        assertThat(pipeline.consumers()).allMatch(one -> one.state() == State.CLOSED);
    }

    /** It has joined already, and so was to handle them; nothing is left of it once its start is refused. */
    @Test
    void whatCloseLeavesCountsTheEventsOfAJoinWhoseThreadFactoryIsAtWork() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 4);
        List<Throwable> told = new CopyOnWriteArrayList<>();
        Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(told::add);
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean blocks = new AtomicBoolean();
        pipeline.threads(task -> {
            if (blocks.get()) {
                atWork.countDown();
                awaitNow(goOn);
            }
            return new Thread(task);
        });
        Rings.Recorder declared = new Rings.Recorder();
        Rings.Recorder late = new Rings.Recorder();
        pipeline.handleEventsWith(declared);
        pipeline.start();
        blocks.set(true);
        Rings.Caller joins = new Rings.Caller(() -> joinNow(pipeline, pipeline.consumer("late", late)));
        Ring.Leftover left;
        Throwable refused;
        try {
            awaitNow(atWork);
            Rings.publish(ring.producer(), 3);
            Rings.await(
                    "the consumer that was declared",
                    () -> pipeline.consumers().get(0).lag() == 0);
            left = ring.close(Duration.ofSeconds(5));
        } finally {
            goOn.countDown();
            refused = joins.result();
        }
        assertThat(left.unhandled()).isEqualTo(3);
        assertThat(left.slowest()).isEqualTo("late");
        assertThat(told).singleElement().isInstanceOf(EventsLeftException.class);
        assertThat(refused).isInstanceOf(IllegalStateException.class).hasMessageContaining("but is CLOSED");
        assertThat(late.calls).isEmpty();
        assertThat(pipeline.consumers()).extracting(ConsumerHandle::name).doesNotContain("late");
        assertThat(ring.leftover().unhandled()).isZero();
    }

    /** An idle strategy may take long to make, as one that reads its settings. */
    @ParameterizedTest
    @MethodSource("rings")
    void whoClosesOrLooksKeepsTheLimitThoughAProducersIdleStrategyIsBeingMade(
            RingBufferBuilder<?> builder, boolean single) throws Exception {
        CountDownLatch atWork = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RingBuffer<?> ring = (single ? builder.singleProducer() : builder.multiProducer())
                .producersIdle(() -> {
                    atWork.countDown();
                    awaitNow(goOn);
                    return new BusySpinIdleStrategy();
                })
                .build();
        Rings.Caller makes = new Rings.Caller(() -> newProducer(ring));
        AtomicReference<Ring.Leftover> left = new AtomicReference<>();
        Throwable refused;
        try {
            awaitNow(atWork);
            Rings.Caller ends = new Rings.Caller(() -> {
                if (single) {
                    assertThatThrownBy(() -> newProducer(ring))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessage("a ring with a single producer must have one producer at a time,"
                                    + " but its producer is being made");
                }
                ring.addGating(new Sequence());
                ring.leftover();
                ring.drain(1);
                left.set(ring.close(Duration.ofSeconds(5)));
            });
            assertThat(ends.result()).isNull();
        } finally {
            goOn.countDown();
            refused = makes.result();
        }
        assertThat(left.get().isNone()).as("%s", left).isTrue();
        assertThat(refused).isInstanceOf(RingClosedException.class);
        assertThat(ring.leftover().isNone()).isTrue();
    }

    static Stream<Arguments> rings() {
        return Stream.of(true, false)
                .flatMap(single -> Stream.of(
                                Named.of("objects", RingBufferBuilder.of(() -> new long[1])),
                                Named.of(
                                        "tracked",
                                        RingBufferBuilder.of(() -> new long[1]).trackClaims()),
                                Named.of("bytes", RingBufferBuilder.bytes(8)),
                                Named.of("messages", RingBufferBuilder.messages(1024)))
                        .map(builder -> Arguments.of(builder, single)));
    }

    @SuppressWarnings("unchecked") // a ring of messages
    private static void newProducer(RingBuffer<?> ring) {
        if (ring instanceof MessageRing) {
            MessageProducer.of((RingBuffer<Messages>) ring);
        } else {
            ring.producer();
        }
    }

    /** As a strategy that reads its settings, and closes the ring where it finds none. */
    @ParameterizedTest
    @MethodSource("rings")
    void aProducersIdleStrategyMayCloseItsRing(RingBufferBuilder<?> builder, boolean single) throws Exception {
        AtomicReference<RingBuffer<?>> made = new AtomicReference<>();
        RingBuffer<?> ring = (single ? builder.singleProducer() : builder.multiProducer())
                .producersIdle(() -> {
                    Rings.Caller closes = new Rings.Caller(() -> made.get().close(Duration.ofSeconds(5)));
                    try {
                        assertThat(closes.result()).isNull();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    return new BusySpinIdleStrategy();
                })
                .build();
        made.set(ring);
        assertThatThrownBy(() -> newProducer(ring)).isInstanceOf(RingClosedException.class);
        assertThat(ring.leftover().isNone()).isTrue();
    }

    @Test
    void aProducersIdleStrategyThatCannotBeMadeLeavesRoomForTheNextProducer() {
        AtomicInteger calls = new AtomicInteger();
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 4)
                .producersIdle(() -> {
                    if (calls.incrementAndGet() == 1) {
                        throw new IllegalArgumentException("planned");
                    }
                    return new BusySpinIdleStrategy();
                })
                .build();
        assertThatThrownBy(ring::producer).hasMessage("planned");
        try (Producer<long[]> producer = ring.producer()) {
            Rings.publish(producer, 1);
        }
        Rings.publish(ring.producer(), 1);
        assertThat(ring.cursor().get()).isEqualTo(1);
    }

    private static void awaitNow(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void joinNow(Pipeline<long[]> pipeline, NewConsumer<long[]> consumer) {
        try {
            pipeline.join(consumer).start(Rings.LONG);
        } catch (TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** As a pool's that gives up, where it has no thread for the pipeline. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aThreadFactoryMayCloseItsPipelineAndThenNothingStarts(boolean joins) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder handler = new Rings.Recorder();
        AtomicBoolean closes = new AtomicBoolean(!joins);
        List<Thread> made = new ArrayList<>();
        pipeline.threads(task -> {
            if (closes.get()) {
                pipeline.close(Duration.ofSeconds(5));
            }
            made.add(new Thread(task));
            return made.get(made.size() - 1);
        });
        pipeline.handleEventsWith(joins ? new Rings.Recorder() : handler);
        if (joins) {
            pipeline.start();
            closes.set(true);
        }
        Rings.Caller starts = new Rings.Caller(() -> {
            if (joins) {
                joinNow(pipeline, pipeline.consumer("late", handler));
            } else {
                pipeline.start();
            }
        });
        assertThat(starts.result())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the ring must be RUNNING or DRAINING for " + (joins ? "a join" : "start()")
                        + ", but is CLOSED");
        assertThat(made.get(made.size() - 1).getState()).isEqualTo(Thread.State.NEW);
        assertThat(handler.calls).isEmpty();
        assertThat(pipeline.consumers()).allMatch(one -> one.state() == State.CLOSED);
        assertThat(ring.leftover().isNone()).isTrue();
    }

    /** Whoever looks at all consumers sees it before its thread is made. */
    @Test
    void aConsumerThatIsRemovedWhileItsThreadFactoryIsAtWorkHandlesNothing() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder late = new Rings.Recorder();
        List<Thread> made = new CopyOnWriteArrayList<>();
        pipeline.threads(task -> {
            if (pipeline.consumers().size() == 2) {
                assertThat(pipeline.consumers().get(1).remove(Rings.LONG)).isEqualTo(Removal.LEFT);
            }
            made.add(new Thread(task));
            return made.get(made.size() - 1);
        });
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        pipeline.start();
        Rings.Caller joins = new Rings.Caller(() -> joinNow(pipeline, pipeline.consumer("late", late)));
        assertThat(joins.result()).isNull();
        Rings.publish(ring.producer(), 9);
        made.get(1).join(TimeUnit.NANOSECONDS.toMillis(Rings.LONG));
        assertThat(made.get(1).isAlive()).isFalse();
        assertThat(ring.close(Duration.ofSeconds(5)).running()).isEmpty();
        assertThat(late.calls).isEmpty();
    }

    /** The threads that the first call makes are the pipeline's only ones. */
    @Test
    void aStartFromWithinAThreadFactoryIsRefused() {
        RingBuffer<long[]> ring = Rings.ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        List<String> refused = new ArrayList<>();
        pipeline.threads(task -> {
            try {
                pipeline.start();
            } catch (IllegalStateException e) {
                refused.add(e.getMessage());
            }
            try {
                pipeline.joinPoller("early").poller(0);
            } catch (IllegalStateException | TimeoutException e) {
                refused.add(e.getMessage());
            }
            return new Thread(task);
        });
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {});
        pipeline.start();
        ring.close();
        assertThat(refused)
                .containsExactly(
                        "start() must be called once, but the pipeline is being started",
                        "join must be called after the start, but the pipeline is being started");
    }

    /**
     * Whoever declares while the start is under way would have a consumer that gates and that nobody runs. A setting would hold for some
     * threads, or for none.
     */
    @Test
    void whatIsDeclaredOrSetWhileTheStartIsUnderWayIsRefused() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(true, 4);
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        Rings.Recorder handler = new Rings.Recorder();
        List<String> refused = new ArrayList<>();
        List<Runnable> declarations = List.of(
                () -> pipeline.handleEventsWith(new Rings.Recorder()),
                () -> pipeline.handleEventsWithWorkerPool(new Rings.Recorder(), new Rings.Recorder()),
                () -> pipeline.handleEventsPartitionedBy(event -> 0, new Rings.Recorder(), new Rings.Recorder()),
                () -> pipeline.poller("poller"),
                () -> pipeline.clearEventsWith(event -> {}),
                () -> pipeline.onFailure(FailurePolicies.halt()),
                () -> pipeline.errorHandler(t -> {}),
                () -> pipeline.threads(Thread::new),
                () -> pipeline.onThreadStart(name -> {}),
                () -> pipeline.oneThread("one"),
                () -> pipeline.idle("books", YieldingIdleStrategy::new),
                () -> pipeline.pollBackOff(false));
        Runnable declaresAll = () -> {
            for (Runnable declaration : declarations) {
                try {
                    declaration.run();
                } catch (IllegalStateException e) {
                    refused.add(e.getMessage());
                }
            }
        };
        pipeline.threads(task -> {
            declaresAll.run();
            Rings.Caller another = new Rings.Caller(declaresAll);
            try {
                assertThat(another.result()).isNull();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return new Thread(task);
        });
        pipeline.handleEventsWith(handler);
        pipeline.start();
        Rings.publish(ring.producer(), 3);
        assertThat(pipeline.awaitHandled(2, Rings.LONG)).isTrue();
        assertThat(pipeline.consumers()).hasSize(1);
        assertThat(ring.close(Duration.ofSeconds(5)).unhandled()).isZero();
        assertThat(refused)
                .hasSize(24)
                .allSatisfy(
                        message -> assertThat(message).endsWith("before the start, but the pipeline is being started"));
    }

    @Test
    void aGatingSequenceThatIsRemovedIsNotWaitedForAnyMore() {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(4)
                .singleProducer()
                .build();
        Sequence moves = new Sequence();
        Sequence stands = new Sequence();
        ring.addGating(moves, stands);
        Producer<long[]> producer = ring.producer();
        long last = producer.next(4);
        producer.publish(0, last);
        moves.setRelease(last);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.FULL);
        assertThat(ring.removeGating(new Sequence())).isFalse();
        assertThat(ring.removeGating(stands)).isTrue();
        assertThat(producer.tryNext(1)).isEqualTo(4);
        producer.publish(4, 4);
        assertThat(producer.tryNext(4)).isEqualTo(Producer.FULL);
    }

    @Test
    void drainTellsOfASingleProducerThatMayStillClaim() throws InterruptedException {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(4)
                .singleProducer()
                .build();
        CountDownLatch published = new CountDownLatch(1);
        CountDownLatch drained = new CountDownLatch(1);
        Thread owner = new Thread(() -> {
            Producer<long[]> producer = ring.producer();
            long sequence = producer.next(1);
            producer.publish(sequence, sequence);
            published.countDown();
            try {
                drained.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        owner.start();
        published.await();
        try {
            assertThat(ring.drain(0).openProducers()).isEqualTo(1);
        } finally {
            drained.countDown();
        }
        owner.join();
        assertThat(ring.drain(0).openProducers()).isZero();
    }
}
