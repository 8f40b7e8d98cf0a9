package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.testing.ThreadState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A shutdown beside what does not belong to the graph: gates of the program's own, runs of the program's own, handlers that publish. Both
 * versions have this test.
 */
@Tag("concurrency")
@Timeout(120)
class ShutdownBesideOthersTest {

    /** A poller is such a gate. It lets producers in only after the shutdown has looked. */
    @ParameterizedTest
    @EnumSource(ProducerType.class)
    void whatAGateOutsideTheGraphLetsInIsHandled(ProducerType type) throws Exception {
        Disruptor<long[]> graph = graph(4, type);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
        Thread shutdown = DaemonThreadFactory.INSTANCE.newThread(graph::shutdown);
        CountDownLatch looks = new CountDownLatch(3);
        Sequence gate = new Sequence() {
            @Override
            public long get() {
                if (Thread.currentThread() == shutdown) {
                    looks.countDown();
                }
                return super.get();
            }
        };
        RingBuffer<long[]> ring = graph.getRingBuffer();
        ring.addGatingSequences(gate);
        graph.start();
        int threads = type == ProducerType.SINGLE ? 1 : 16; // each has waited before its last event
        int each = type == ProducerType.SINGLE ? 5 : 1;
        if (type == ProducerType.MULTI) {
            publish(graph, 4);
        }
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            producers.add(DaemonThreadFactory.INSTANCE.newThread(() -> publish(graph, each)));
        }
        producers.forEach(Thread::start);
        producers.forEach(ShutdownBesideOthersTest::awaitSleep);
        shutdown.start();
        assertThat(looks.await(30, SECONDS))
                .as("it looks again while producers wait")
                .isTrue();
        for (Thread producer : producers) {
            while (producer.isAlive()) {
                gate.set(Math.min(gate.get() + 1, ring.getCursor()));
                producer.join(1);
            }
        }
        gate.set(ring.getCursor());
        awaitEnd(shutdown);
        assertThat(handled).hasValue(type == ProducerType.SINGLE ? 5 : 20);
    }

    /** The run that waits is not in the processor's state yet when the halted one ends. */
    @Test
    void aRunThatWaitsForTheEndOfAHaltedOneIsWaitedForAtEachMoment() throws Exception {
        for (int round = 0; round < 60; round++) {
            Disruptor<long[]> graph = graph(16, ProducerType.SINGLE);
            CountDownLatch inHandler = new CountDownLatch(1);
            CountDownLatch mayGoOn = new CountDownLatch(1);
            ConcurrentLinkedQueue<Long> handled = new ConcurrentLinkedQueue<>();
            RingBuffer<long[]> ring = graph.getRingBuffer();
            BatchEventProcessor<long[]> processor =
                    Processors.of(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> {
                        inHandler.countDown();
                        mayGoOn.await();
                        handled.add(sequence);
                    });
            graph.handleEventsWith(processor);
            graph.start();
            publish(graph, 1);
            assertThat(inHandler.await(30, SECONDS)).isTrue();
            publish(graph, 3);
            processor.halt();
            Thread second = DaemonThreadFactory.INSTANCE.newThread(processor);
            second.start();
            awaitSleep(second);
            FutureTask<?> shutdown = onAThread(graph::shutdown);
            mayGoOn.countDown();
            shutdown.get(30, SECONDS);
            awaitEnd(second);
            assertThat(handled).as("round %d", round).containsExactly(0L, 1L, 2L, 3L);
        }
    }

    /** The event comes between the look at the cursor and the one at the progress. */
    @Test
    void whatAHandlerPublishesIntoItsOwnRingIsHandled() throws Exception {
        Disruptor<long[]> graph = graph(4, ProducerType.MULTI);
        AtomicBoolean published = new AtomicBoolean();
        Thread shutdown = DaemonThreadFactory.INSTANCE.newThread(graph::shutdown);
        Sequence progress = new Sequence() {
            @Override
            public long get() {
                long now = super.get();
                if (Thread.currentThread() == shutdown && now == 0 && published.compareAndSet(false, true)) {
                    publish(graph, 1);
                }
                return now;
            }
        };
        graph.handleEventsWith(new EndingProcessor(graph.getRingBuffer().newBarrier(), progress));
        graph.start();
        publish(graph, 1);
        awaitProgress(progress, 0);
        shutdown.start();
        awaitEnd(shutdown);
        assertThat(progress.get()).isEqualTo(1);
    }

    /** Its events come one at a time, each as soon as the one before is handled: so the cursor hardly ever rests. */
    @Test
    void aPublisherThatNeverEndsDoesNotHoldAShutdown() throws Exception {
        Disruptor<long[]> graph = graph(16, ProducerType.MULTI);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
        graph.start();
        AtomicBoolean over = new AtomicBoolean();
        FutureTask<?> publisher = onAThread(() -> {
            for (int sent = 0; !over.get(); ) {
                if (handled.get() == sent) {
                    publish(graph, 1);
                    sent++;
                } else {
                    Thread.onSpinWait();
                }
            }
        });
        try {
            onAThread(graph::shutdown).get(60, SECONDS);
        } finally {
            over.set(true);
        }
        publisher.get(30, SECONDS);
    }

    /** Nobody else can publish that claim while it is in here. */
    @Test
    void aThreadThatHoldsAClaimForWhichItHasWaitedMayShutDown() throws Exception {
        Disruptor<long[]> graph = graph(4, ProducerType.SINGLE);
        CountDownLatch mayHandle = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        graph.handleEventsWith((event, sequence, endOfBatch) -> {
            mayHandle.await();
            handled.incrementAndGet();
        });
        graph.start();
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            publish(graph, 4);
            graph.getRingBuffer().next();
            graph.shutdown();
        });
        producer.start();
        awaitSleep(producer);
        mayHandle.countDown();
        awaitEnd(producer);
        assertThat(handled).hasValue(4);
    }

    @Test
    void nobodyWaitsForADeadConsumerThatWasAddedAfterItsFollower() throws Exception {
        Disruptor<long[]> graph = graph(16, ProducerType.SINGLE);
        RingBuffer<long[]> ring = graph.getRingBuffer();
        ConcurrentLinkedQueue<Long> followed = new ConcurrentLinkedQueue<>();
        AtomicInteger first = new AtomicInteger();
        BatchEventProcessor<long[]> dies =
                Processors.of(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> first.incrementAndGet());
        graph.after(dies).handleEventsWith((event, sequence, endOfBatch) -> followed.add(sequence));
        graph.handleEventsWith(dies);
        graph.start();
        publish(graph, 4);
        awaitProgress(dies.getSequence(), 3);
        dies.halt();
        while (dies.isRunning()) {
            Thread.onSpinWait();
        }
        publish(graph, 4);
        onAThread(graph::shutdown).get(30, SECONDS);
        assertThat(followed).startsWith(0L, 1L, 2L, 3L).hasSize(first.get());
    }

    // ----

    private static Disruptor<long[]> graph(int size, ProducerType type) {
        return new Disruptor<>(() -> new long[1], size, DaemonThreadFactory.INSTANCE, type, new BlockingWaitStrategy());
    }

    private static void publish(Disruptor<long[]> graph, int events) {
        for (int i = 0; i < events; i++) {
            graph.publishEvent((event, sequence) -> event[0] = sequence);
        }
    }

    private static FutureTask<?> onAThread(Runnable task) {
        FutureTask<?> future = new FutureTask<>(task, null);
        DaemonThreadFactory.INSTANCE.newThread(future).start();
        return future;
    }

    private static void awaitEnd(Thread thread) throws InterruptedException {
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
    }

    private static void awaitProgress(Sequence sequence, long wanted) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (sequence.get() < wanted && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(sequence.get()).isEqualTo(wanted);
    }

    private static void awaitSleep(Thread thread) {
        ThreadState.await(thread, Thread.State.TIMED_WAITING);
    }
}
