package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of producers that wait for room: by a shutdown, and beside each other. Both versions have this test. */
@Tag("concurrency")
@Timeout(120)
class WaitingProducersTest {
    private final ConcurrentLinkedQueue<Thread> consumers = new ConcurrentLinkedQueue<>();

    // ---- a shutdown

    /** The producer finds room only after the shutdown has looked: so the shutdown comes first, whoever is faster. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownHandlesTheEventOfAProducerThatWaitsForRoom(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> publish(graph, 5));
        CountDownLatch looks = new CountDownLatch(6);
        Thread shutdown = DaemonThreadFactory.INSTANCE.newThread(graph::shutdown);
        Sequence progress = new Sequence() {
            @Override
            public long get() {
                if (Thread.currentThread() == shutdown && super.get() == 3) {
                    looks.countDown();
                }
                return Thread.currentThread() == producer && looks.getCount() > 0 ? -1 : super.get();
            }
        };
        graph.handleEventsWith(new EndingProcessor(graph.getRingBuffer().newBarrier(), progress));
        graph.start();
        producer.start();
        awaitSleep(producer);
        awaitProgress(progress, 3);
        shutdown.start();
        awaitEnd(shutdown);
        assertThat(progress.get()).isEqualTo(4);
        awaitEnd(producer);
    }

    /** Its thread lives on, and publishes nothing more. */
    @Test
    void aShutdownDoesNotWaitForAProducerWhoseWaitWasEndedByAnException() throws Exception {
        AtomicBoolean broken = new AtomicBoolean();
        WaitStrategy ownStrategy = new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
                    throws AlertException, InterruptedException, TimeoutException {
                return new YieldingWaitStrategy().waitFor(sequence, cursor, dependentSequence, barrier);
            }

            @Override
            public void signalAllWhenBlocking() {
                if (broken.get()) {
                    throw new IllegalStateException("planned");
                }
            }
        };
        Disruptor<long[]> graph =
                new Disruptor<>(() -> new long[1], 1, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, ownStrategy);
        CountDownLatch mayHandle = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith(handlesAfter(mayHandle, handled));
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            publish(graph, 1);
            broken.set(true);
            try {
                graph.getRingBuffer().next();
            } catch (IllegalStateException planned) {
                broken.set(false);
                refused.countDown();
            }
            await(mayEnd);
        });
        producer.start();
        await(refused);
        mayHandle.countDown();
        graph.shutdown(20, SECONDS);
        assertThat(handled.get()).isEqualTo(1);
        mayEnd.countDown();
        awaitEnd(producer);
    }

    /** It counts as one that waits until its event is in the cursor. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownHandlesWhatAProducerFillsAfterItHasWaitedForRoom(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        CountDownLatch mayHandle = new CountDownLatch(1);
        CountDownLatch fills = new CountDownLatch(1);
        CountDownLatch mayFill = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith(handlesAfter(mayHandle, handled));
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            for (int i = 0; i < 5; i++) {
                graph.publishEvent((event, sequence) -> {
                    if (sequence == 4) {
                        fills.countDown();
                        await(mayFill);
                    }
                });
            }
        });
        producer.start();
        awaitSleep(producer);
        mayHandle.countDown();
        assertThat(fills.await(30, SECONDS)).isTrue();
        assertThatThrownBy(() -> graph.shutdown(20, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        mayFill.countDown();
        shutdown(graph);
        assertThat(handled).hasValue(5);
    }

    @Test
    void aShutdownLosesNothingOfSixtyFourThreadsThatWaitAtAFullRing() throws Exception {
        Disruptor<long[]> graph = graph(16, ProducerType.MULTI);
        CountDownLatch mayHandle = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith(handlesAfter(mayHandle, handled));
        graph.start();
        List<Thread> producers = Stream.generate(() -> DaemonThreadFactory.INSTANCE.newThread(() -> publish(graph, 1)))
                .limit(64)
                .toList();
        producers.forEach(Thread::start);
        producers.forEach(WaitingProducersTest::awaitSleepOrEnd);
        FutureTask<?> shutdown = onAThread(graph::shutdown);
        mayHandle.countDown();
        shutdown.get(30, SECONDS);
        for (Thread producer : producers) {
            awaitEnd(producer);
        }
        assertThat(handled).hasValue(64);
    }

    /** A consumer beside it lives. No room will come for the producer. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownDoesNotWaitForAProducerToWhomOnlyADeadConsumerCouldGiveRoom(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        AtomicInteger healthy = new AtomicInteger();
        graph.handleEventsWith(
                (event, sequence, endOfBatch) -> {
                    throw new Exception("fatal by the default handler; this is part of the test");
                },
                (event, sequence, endOfBatch) -> healthy.incrementAndGet());
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> publish(graph, 9));
        producer.start();
        awaitEnd(List.copyOf(consumers).get(0));
        awaitSleep(producer);
        shutdown(graph);
        assertThat(healthy.get()).as("what found room").isEqualTo((int) graph.getCursor() + 1);
        assertThat(producer.isAlive()).as("it waits on, as on the Disruptor").isTrue();
    }

    /** A dead consumer stands further on than the slow one that the producer has waited for. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownHandlesTheEventOfAProducerThatHasRoomThoughAnotherConsumerHasDied(ProducerType type)
            throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        CountDownLatch mayHandle = new CountDownLatch(1);
        CountDownLatch fills = new CountDownLatch(1);
        CountDownLatch mayFill = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith(handlesAfter(mayHandle, handled));
        Sequence progress = new Sequence();
        graph.handleEventsWith(new EndingProcessor(graph.getRingBuffer().newBarrier(), progress, 1));
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            publish(graph, 4);
            graph.publishEvent((event, sequence) -> {
                fills.countDown();
                await(mayFill);
            });
        });
        producer.start();
        awaitProgress(progress, 1);
        awaitEnd(List.copyOf(consumers).get(1));
        awaitSleep(producer);
        mayHandle.countDown();
        assertThat(fills.await(30, SECONDS)).isTrue();
        assertThatThrownBy(() -> graph.shutdown(20, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        mayFill.countDown();
        shutdown(graph);
        assertThat(handled).hasValue(5);
    }

    /** The same, where the producer sleeps while there is room already. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownWaitsForAProducerThatIsToFindRoomThoughAConsumerHasDied(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> publish(graph, 5));
        CountDownLatch looks = new CountDownLatch(6);
        Thread shutdown = DaemonThreadFactory.INSTANCE.newThread(graph::shutdown);
        Sequence progress = new Sequence() {
            @Override
            public long get() {
                if (Thread.currentThread() == shutdown && super.get() == 3) {
                    looks.countDown();
                }
                return Thread.currentThread() == producer && looks.getCount() > 0 ? -1 : super.get();
            }
        };
        assertThatItWaits(graph, progress, producer, shutdown);
    }

    /** The same, where a gate outside the graph is the slow one. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownWaitsForAGateOutsideTheGraphThoughAConsumerFurtherOnHasDied(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> publish(graph, 5));
        CountDownLatch looks = new CountDownLatch(6);
        Thread shutdown = DaemonThreadFactory.INSTANCE.newThread(graph::shutdown);
        Sequence gate = new Sequence() {
            @Override
            public long get() {
                if (Thread.currentThread() == shutdown) {
                    looks.countDown();
                }
                return looks.getCount() > 0 ? -1 : super.get();
            }
        };
        graph.getRingBuffer().addGatingSequences(gate);
        gate.set(3);
        Sequence progress = new Sequence();
        assertThatItWaits(graph, progress, producer, shutdown);
    }

    /** One consumer lives, and another one dies further on. The producer sleeps when the shutdown begins, and its event is handled. */
    private void assertThatItWaits(Disruptor<long[]> graph, Sequence progress, Thread producer, Thread shutdown)
            throws Exception {
        graph.handleEventsWith(new EndingProcessor(graph.getRingBuffer().newBarrier(), progress));
        graph.handleEventsWith(new EndingProcessor(graph.getRingBuffer().newBarrier(), new Sequence(), 1));
        graph.start();
        producer.start();
        awaitSleep(producer);
        awaitProgress(progress, 3);
        awaitEnd(List.copyOf(consumers).get(1));
        shutdown.start();
        awaitEnd(shutdown);
        assertThat(progress.get()).isEqualTo(4);
        awaitEnd(producer);
    }

    /** It is claimed and not published when all who could handle it have ended. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownDoesNotWaitForAClaimWhereNobodyIsAtWork(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        CountDownLatch mayHandle = new CountDownLatch(1);
        CountDownLatch handles = new CountDownLatch(1);
        graph.handleEventsWith((event, sequence, endOfBatch) -> {
            handles.countDown();
            mayHandle.await();
        });
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            publish(graph, 4);
            graph.getRingBuffer().next();
        });
        producer.start();
        awaitSleep(producer);
        assertThat(handles.await(30, SECONDS)).isTrue();
        graph.halt();
        mayHandle.countDown();
        awaitEnd(List.copyOf(consumers).get(0));
        awaitEnd(producer);
        shutdown(graph);
    }

    /** It has waited for room, and fails before it publishes. */
    @Test
    void aShutdownDoesNotWaitForAClaimWhoseOneProducerHasEnded() throws Exception {
        Disruptor<long[]> graph = graph(4, ProducerType.SINGLE);
        CountDownLatch mayHandle = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith(handlesAfter(mayHandle, handled));
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            publish(graph, 4);
            graph.getRingBuffer().next();
        });
        producer.start();
        awaitSleep(producer);
        mayHandle.countDown();
        awaitEnd(producer);
        shutdown(graph);
        assertThat(handled).hasValue(4);
    }

    @Test
    void aShutdownDoesNotWaitForAClaimThatTheOneProducerHasTakenBack() throws Exception {
        Disruptor<long[]> graph = graph(4, ProducerType.SINGLE);
        CountDownLatch mayHandle = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith(handlesAfter(mayHandle, handled));
        RingBuffer<long[]> ring = graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            publish(graph, 4);
            ring.next();
            ring.claimAndGetPreallocated(3);
        });
        producer.start();
        awaitSleep(producer);
        mayHandle.countDown();
        awaitEnd(producer);
        shutdown(graph);
        assertThat(handled).hasValue(4);
    }

    /** It may live on for other work: all that it has waited for is published and handled. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void aShutdownDoesNotWaitForAProducerThatHasPublishedWhatItWaitedFor(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        CountDownLatch mayHandle = new CountDownLatch(1);
        CountDownLatch published = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith(handlesAfter(mayHandle, handled));
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            publish(graph, 5);
            published.countDown();
            await(mayEnd);
        });
        producer.start();
        awaitSleep(producer);
        mayHandle.countDown();
        assertThat(published.await(30, SECONDS)).isTrue();
        onAThread(graph::shutdown).get(10, SECONDS);
        assertThat(handled).hasValue(5);
        mayEnd.countDown();
        awaitEnd(producer);
    }

    /** A handler may publish then: behind the look at the cursor, and before the look at the progress. */
    @Test
    void aShutdownHandlesWhatIsPublishedWhileItLooks() throws Exception {
        Disruptor<long[]> graph = graph(4, ProducerType.MULTI);
        AtomicInteger looks = new AtomicInteger();
        CountDownLatch mayHandle = new CountDownLatch(1);
        Thread shutdown = DaemonThreadFactory.INSTANCE.newThread(graph::shutdown);
        Sequence progress = new Sequence() {
            @Override
            public long get() {
                if (Thread.currentThread() == shutdown) {
                    if (looks.incrementAndGet() == 1) {
                        publish(graph, 1);
                    } else {
                        mayHandle.countDown(); // it has looked again
                    }
                }
                return super.get();
            }

            @Override
            public void set(long value) {
                if (value == 1) {
                    await(mayHandle);
                }
                super.set(value);
            }
        };
        graph.handleEventsWith(new EndingProcessor(graph.getRingBuffer().newBarrier(), progress));
        graph.start();
        publish(graph, 1);
        awaitProgress(progress, 0);
        shutdown.start();
        awaitEnd(shutdown);
        assertThat(progress.get()).as("by the end of the shutdown").isEqualTo(1);
    }

    // ---- beside each other

    /** The consumer gives a slot back when the ring is full, or after a while in which nobody has taken one. */
    @ParameterizedTest
    @ValueSource(ints = {5, 8})
    void aClaimOfSeveralSlotsGetsThemThoughEightThreadsKeepTheRingFull(int n) throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 8);
        Sequence gate = new Sequence();
        ring.addGatingSequences(gate);
        AtomicBoolean over = new AtomicBoolean();
        List<FutureTask<?>> others = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            others.add(onAThread(() -> {
                while (!over.get()) {
                    ring.publish(ring.next());
                }
            }));
        }
        others.add(onAThread(() -> {
            while (!over.get() || ring.remainingCapacity() < 8) {
                long limit = System.nanoTime() + MILLISECONDS.toNanos(over.get() ? 0 : 2);
                while (ring.remainingCapacity() > 0 && System.nanoTime() < limit) {
                    Thread.onSpinWait();
                }
                gate.set(Math.min(gate.get() + 1, ring.getCursor()));
            }
        }));
        FutureTask<?> several = onAThread(() -> {
            for (int i = 0; i < 10; i++) {
                long last = ring.next(n);
                ring.publish(last - n + 1, last);
            }
        });
        try {
            several.get(60, SECONDS);
        } finally {
            over.set(true);
            for (FutureTask<?> other : others) {
                other.get(30, SECONDS);
            }
        }
    }

    /** The test stands first in line itself. */
    @Test
    void nobodyElseGetsTheRoomThatAWaitingClaimOfSeveralNeeds() throws Exception {
        MultiProducerSequencer sequencer = new MultiProducerSequencer(4, new BlockingWaitStrategy());
        Sequence gate = new Sequence();
        sequencer.addGatingSequences(gate);
        sequencer.next(4);
        sequencer.line.set(1);
        gate.set(1);
        assertThatThrownBy(sequencer::tryNext).isSameAs(InsufficientCapacityException.INSTANCE);
        Thread other = DaemonThreadFactory.INSTANCE.newThread(() -> sequencer.next());
        other.start();
        awaitSleep(other);
        assertThat(sequencer.hasAvailableCapacity(2)).as("the truth").isTrue();
        assertThat(sequencer.hasAvailableCapacity(3)).isFalse();
        assertThat(sequencer.remainingCapacity()).isEqualTo(2);
        assertThatThrownBy(sequencer::tryNext)
                .as("who asks lets nobody pass")
                .isSameAs(InsufficientCapacityException.INSTANCE);
        sequencer.line.set(0);
        awaitEnd(other);
        assertThat(sequencer.tryNext()).isEqualTo(5);
    }

    @Test
    void ofSeveralClaimsOfSeveralOneGoesFirstAndThenTheNext() throws Exception {
        MultiProducerSequencer sequencer = new MultiProducerSequencer(4, new BlockingWaitStrategy());
        Sequence gate = new Sequence();
        sequencer.addGatingSequences(gate);
        sequencer.next(4);
        FutureTask<?> one = onAThread(() -> sequencer.next(3));
        FutureTask<?> other = onAThread(() -> sequencer.next(3));
        awaitProgress(sequencer.line, 1);
        gate.set(2);
        awaitProgress(sequencer.cursor, 6);
        gate.set(5);
        one.get(30, SECONDS);
        other.get(30, SECONDS);
        assertThat(sequencer.cursor.get()).isEqualTo(9);
        assertThat(sequencer.line.get()).isZero();
    }

    /** Nobody moves for so long that it lends its place; then it gets its slots while that is lent. */
    @Test
    void aClaimOfSeveralThatHasLentItsPlaceLeavesItFreeForTheNext() throws Exception {
        MultiProducerSequencer sequencer = new MultiProducerSequencer(4, new BlockingWaitStrategy());
        Sequence gate = new Sequence();
        sequencer.addGatingSequences(gate);
        sequencer.next(4);
        for (int i = 0; i < 3; i++) {
            FutureTask<?> several = onAThread(() -> sequencer.next(3));
            awaitProgress(sequencer.line, 2);
            gate.set(sequencer.cursor.get());
            several.get(30, SECONDS);
            assertThat(sequencer.line.get()).isZero();
        }
    }

    /** It gives no slot back before, and the one that it has given back is too little for the claim of several. */
    @ParameterizedTest
    @CsvSource({"false, 1", "true, 1", "false, 4"})
    void aHandlerGetsRoomThoughAClaimOfSeveralWaitsForThatHandler(boolean tries, int claims) throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4);
        Sequence handled = new Sequence();
        ring.addGatingSequences(handled);
        ring.publish(ring.next(4));
        List<FutureTask<Long>> several = new ArrayList<>();
        for (int i = 0; i < claims; i++) {
            FutureTask<Long> claim = new FutureTask<>(() -> {
                long last = ring.next(3);
                ring.publish(last - 2, last);
                return last;
            });
            several.add(claim);
            Thread producer = DaemonThreadFactory.INSTANCE.newThread(claim);
            producer.start();
            awaitSleep(producer);
        }
        FutureTask<?> consumer = onAThread(() -> {
            handled.set(0);
            if (tries) {
                while (!ring.tryPublishEvent((slot, number) -> slot[0] = number)) {
                    Thread.onSpinWait();
                }
            } else {
                ring.publish(ring.next());
            }
            handled.set(3);
        });
        consumer.get(30, SECONDS);
        for (FutureTask<Long> claim : several) {
            FutureTask<?> reader = onAThread(() -> {
                while (!claim.isDone()) {
                    handled.set(ring.getMinimumGatingSequence() < ring.getCursor() ? handled.get() + 1 : handled.get());
                    Thread.onSpinWait();
                }
            });
            claim.get(30, SECONDS);
            reader.get(30, SECONDS);
        }
    }

    // ----

    private Disruptor<long[]> graph(int size, ProducerType type) {
        return new Disruptor<>(
                () -> new long[1],
                size,
                task -> {
                    Thread thread = DaemonThreadFactory.INSTANCE.newThread(() -> {
                        try {
                            task.run();
                        } catch (RuntimeException fatal) {
                            Thread.currentThread().interrupt(); // nobody looks: the thread ends
                        }
                    });
                    consumers.add(thread);
                    return thread;
                },
                type,
                new BlockingWaitStrategy());
    }

    private static EventHandler<long[]> handlesAfter(CountDownLatch mayHandle, AtomicInteger handled) {
        return (event, sequence, endOfBatch) -> {
            mayHandle.await();
            handled.incrementAndGet();
        };
    }

    private static void publish(Disruptor<long[]> graph, int events) {
        for (int i = 0; i < events; i++) {
            graph.publishEvent((event, sequence) -> event[0] = sequence);
        }
    }

    private static void shutdown(Disruptor<long[]> graph) throws Exception {
        onAThread(graph::shutdown).get(30, SECONDS);
    }

    private static FutureTask<?> onAThread(Runnable task) {
        FutureTask<?> future = new FutureTask<>(task, null);
        DaemonThreadFactory.INSTANCE.newThread(future).start();
        return future;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitEnd(Thread thread) throws InterruptedException {
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
    }

    private static void awaitProgress(Sequence sequence, long wanted) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        long seen = sequence.get();
        while (seen < wanted && System.nanoTime() < limit) {
            Thread.onSpinWait();
            seen = sequence.get();
        }
        assertThat(seen).isEqualTo(wanted);
    }

    private static void awaitSleep(Thread thread) {
        assertThat(awaitSleepOrEnd(thread)).isEqualTo(Thread.State.TIMED_WAITING);
    }

    private static Thread.State awaitSleepOrEnd(Thread thread) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        Thread.State seen = thread.getState();
        while (seen != Thread.State.TIMED_WAITING && seen != Thread.State.TERMINATED && System.nanoTime() < limit) {
            Thread.onSpinWait();
            seen = thread.getState();
        }
        assertThat(seen).isIn(Thread.State.TIMED_WAITING, Thread.State.TERMINATED);
        return seen;
    }
}
