package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.EventProcessorFactory;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.testing.ThreadState;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a shutdown waits for where a consumer has died or was halted, and where the start is still under way: each method is a line of
 * docs/drop-in.md. Both versions have this test.
 */
@Tag("concurrency")
class ShutdownTest {
    private final Threads threads = new Threads();
    private final Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 16, threads);

    // ---- a consumer that has ended

    @Test
    void nobodyWaitsForWhatOnlyADeadConsumerCouldPassOn() throws Exception {
        EventHandler<long[]> first = dyingAfter(3);
        ConcurrentLinkedQueue<Long> followed = new ConcurrentLinkedQueue<>();
        disruptor
                .handleEventsWith(first)
                .then((event, sequence, endOfBatch) -> {})
                .then((event, sequence, endOfBatch) -> followed.add(sequence));
        disruptor.start();
        publishUntilItDies(first);
        shutdownWithoutALimit();
        assertThat(followed).as("all that the dead one has passed on").containsExactly(0L, 1L, 2L, 3L);
        threads.awaitEnd(2);
    }

    @Test
    void nobodyWaitsForWhatOnlyAHaltedConsumerCouldPassOn() throws Exception {
        ConcurrentLinkedQueue<Long> followed = new ConcurrentLinkedQueue<>();
        EndingProcessor[] first = new EndingProcessor[1];
        EventProcessorFactory<long[]> makesFirst =
                (ring, follows) -> first[0] = new EndingProcessor(ring.newBarrier(follows), new Sequence(), 3);
        EventProcessorFactory<long[]> makesSecond =
                (ring, follows) -> new EndingProcessor(ring.newBarrier(follows), new Sequence());
        disruptor
                .handleEventsWith(makesFirst)
                .then(makesSecond)
                .then((event, sequence, endOfBatch) -> followed.add(sequence));
        disruptor.start();
        publish(10);
        threads.awaitEnd(0);
        shutdownWithoutALimit();
        assertThat(first[0].getSequence().get()).isEqualTo(3);
        assertThat(followed).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void whatADeadConsumerHasPassedOnIsWaitedForAlongTheWholeChain() throws Exception {
        EventHandler<long[]> first = dyingAfter(3);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        ConcurrentLinkedQueue<Long> followed = new ConcurrentLinkedQueue<>();
        disruptor
                .handleEventsWith(first)
                .then((event, sequence, endOfBatch) -> mayGoOn.await())
                .then((event, sequence, endOfBatch) -> followed.add(sequence));
        disruptor.start();
        publishUntilItDies(first);
        assertThatThrownBy(() -> disruptor.shutdown(5, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        mayGoOn.countDown();
        shutdownWithoutALimit();
        assertThat(followed).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void whoFollowsADeadAndALivingConsumerIsWaitedForUpToWhereTheDeadOneCame() throws Exception {
        EventHandler<long[]> first = dyingAfter(3);
        AtomicInteger living = new AtomicInteger();
        ConcurrentLinkedQueue<Long> followed = new ConcurrentLinkedQueue<>();
        disruptor
                .handleEventsWith(first, (event, sequence, endOfBatch) -> living.incrementAndGet())
                .then((event, sequence, endOfBatch) -> followed.add(sequence));
        disruptor.start();
        publishUntilItDies(first);
        shutdownWithoutALimit();
        assertThat(living).hasValue(10);
        assertThat(followed).containsExactly(0L, 1L, 2L, 3L);
    }

    @Test
    void aConsumerWhoseFollowerHasDiedIsStillWaitedFor() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        disruptor
                .handleEventsWith((event, sequence, endOfBatch) -> {
                    if (sequence > 0) {
                        mayGoOn.await();
                    }
                    handled.incrementAndGet();
                })
                .then(dyingAfter(-1));
        disruptor.start();
        publish(1);
        threads.awaitEnd(1);
        publish(9);
        assertThatThrownBy(() -> disruptor.shutdown(5, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        mayGoOn.countDown();
        shutdownWithoutALimit();
        assertThat(handled).hasValue(10);
    }

    @Test
    void anInterruptOutlastsAShutdownThatWaits() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> mayGoOn.await());
        disruptor.start();
        publish(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        FutureTask<?> shutdown = new FutureTask<>(
                () -> {
                    Thread.currentThread().interrupt();
                    disruptor.shutdown();
                    interrupted.set(Thread.interrupted());
                },
                null);
        Thread waits = DaemonThreadFactory.INSTANCE.newThread(shutdown);
        waits.start();
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (waits.getState() != Thread.State.TIMED_WAITING && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        mayGoOn.countDown();
        shutdown.get(30, SECONDS);
        assertThat(interrupted).isTrue();
    }

    // ---- a thread that outlives the run

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theThreadOfADeadConsumerMayShutTheGraphDown(boolean byTheThreadsOwnHandler) throws Exception {
        CountDownLatch isDown = new CountDownLatch(1);
        AtomicInteger healthy = new AtomicInteger();
        AtomicReference<Disruptor<long[]>> graph = new AtomicReference<>();
        Runnable shutsDown = () -> {
            graph.get().shutdown();
            isDown.countDown();
        };
        graph.set(new Disruptor<>(() -> new long[1], 16, task -> {
            Thread thread = byTheThreadsOwnHandler
                    ? DaemonThreadFactory.INSTANCE.newThread(task)
                    : DaemonThreadFactory.INSTANCE.newThread(() -> {
                        try {
                            task.run();
                        } catch (RuntimeException fatal) {
                            shutsDown.run();
                        }
                    });
            thread.setUncaughtExceptionHandler((dead, thrown) -> shutsDown.run());
            threads.made.add(thread);
            return thread;
        }));
        graph.get().handleEventsWith(dyingAfter(-1), (event, sequence, endOfBatch) -> healthy.incrementAndGet());
        for (int i = 0; i < 2; i++) {
            graph.get().publishEvent((event, sequence) -> event[0] = sequence);
        }
        graph.get().start();
        assertThat(isDown.await(30, SECONDS)).isTrue();
        assertThat(healthy).as("the one that lives is waited for").hasValue(2);
        threads.awaitEnd(0);
        threads.awaitEnd(1);
    }

    @Test
    void nobodyWaitsForAThreadThatGoesOnAfterItsConsumerHasDied() throws Exception {
        CountDownLatch goesOn = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger healthy = new AtomicInteger();
        threads.afterTheFirstRun = () -> {
            goesOn.countDown();
            awaitUninterrupted(mayEnd);
        };
        disruptor.handleEventsWith(dyingAfter(-1), (event, sequence, endOfBatch) -> healthy.incrementAndGet());
        publish(2);
        disruptor.start();
        assertThat(goesOn.await(30, SECONDS)).isTrue();
        shutdownWithoutALimit();
        assertThat(healthy).hasValue(2);
        threads.awaitEnd(1);
        mayEnd.countDown();
        threads.awaitEnd(0);
    }

    /** The thread is as fast as it can be: its consumer has died before whoever started it goes on. */
    @Test
    void nobodyWaitsForAThreadWhoseConsumerHasDiedBeforeItsStartReturns() throws Exception {
        CountDownLatch goesOn = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 16, task -> {
            Runnable run = () -> {
                try {
                    task.run();
                } catch (RuntimeException fatal) {
                    goesOn.countDown();
                    awaitUninterrupted(mayEnd);
                }
            };
            Thread thread = new Thread(run) {
                @Override
                public synchronized void start() {
                    super.start();
                    awaitUninterrupted(goesOn);
                }
            };
            thread.setDaemon(true);
            return thread;
        });
        graph.handleEventsWith(dyingAfter(-1));
        graph.publishEvent((event, sequence) -> event[0] = sequence);
        graph.start();
        onAThread(graph::shutdown).get(30, SECONDS);
        mayEnd.countDown();
    }

    /** Such a processor does not say that it has run, but its thread cannot wait for itself. */
    @Test
    void theThreadOfAProcessorOfTheProgramMayShutTheGraphDown() throws Exception {
        CountDownLatch isDown = new CountDownLatch(1);
        AtomicInteger healthy = new AtomicInteger();
        threads.afterTheFirstRun = () -> {
            disruptor.shutdown();
            isDown.countDown();
        };
        disruptor.handleEventsWith(new EndingProcessor(disruptor.getRingBuffer().newBarrier(), new Sequence(), 3));
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> healthy.incrementAndGet());
        publish(10);
        disruptor.start();
        assertThat(isDown.await(30, SECONDS)).isTrue();
        assertThat(healthy).hasValue(10);
        threads.awaitEnd(0);
        threads.awaitEnd(1);
    }

    @Test
    void aRunBeforeTheStartIsNotTheOneThatIsWaitedFor() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        CountDownLatch mayRun = new CountDownLatch(1);
        RingBuffer<long[]> ring = disruptor.getRingBuffer();
        BatchEventProcessor<long[]> processor =
                Processors.of(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> handled.incrementAndGet());
        processor.halt();
        processor.run();
        disruptor.handleEventsWith(processor);
        threads.beforeEachRun = () -> awaitUninterrupted(mayRun);
        publish(10);
        disruptor.start();
        assertThatThrownBy(() -> disruptor.shutdown(5, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        mayRun.countDown();
        shutdownWithoutALimit();
        assertThat(handled).hasValue(10);
        threads.awaitEnd(0);
    }

    /** A thread of the program's own runs the processor before the start, and is halted in the middle of an event. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRunThatTakesOverFromAHaltedOneIsWaitedFor(boolean comesLate) throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch mayRun = new CountDownLatch(comesLate ? 1 : 0);
        ConcurrentLinkedQueue<Long> handled = new ConcurrentLinkedQueue<>();
        RingBuffer<long[]> ring = disruptor.getRingBuffer();
        BatchEventProcessor<long[]> processor =
                Processors.of(ring, ring.newBarrier(), (event, sequence, endOfBatch) -> {
                    inHandler.countDown();
                    mayGoOn.await();
                    handled.add(sequence);
                });
        publish(1);
        Thread byHand = DaemonThreadFactory.INSTANCE.newThread(processor);
        byHand.start();
        assertThat(inHandler.await(30, SECONDS)).isTrue();
        publish(3);
        processor.halt();
        disruptor.handleEventsWith(processor);
        threads.beforeEachRun = () -> awaitUninterrupted(mayRun);
        disruptor.start();
        if (!comesLate) {
            threads.awaitSleep(0);
        }
        mayGoOn.countDown();
        byHand.join(30_000);
        if (comesLate) {
            assertThatThrownBy(() -> disruptor.shutdown(5, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
            mayRun.countDown();
        }
        shutdownWithoutALimit();
        assertThat(handled).containsExactly(0L, 1L, 2L, 3L);
        threads.awaitEnd(0);
    }

    // ---- a start under way

    @Test
    void aShutdownDuringTheStartWaitsForConsumersThatHaveNoThreadYet() throws Exception {
        CountDownLatch mayMake = threads.makesLater(1);
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        disruptor.handleEventsWith(
                (event, sequence, endOfBatch) -> first.incrementAndGet(),
                (event, sequence, endOfBatch) -> second.incrementAndGet());
        publish(10);
        FutureTask<?> start = onAThread(disruptor::start);
        threads.awaitMakers(2);
        assertThat(disruptor.hasStarted()).isTrue();
        assertThatThrownBy(disruptor::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> disruptor.shutdown(5, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        FutureTask<?> shutdown = onAThread(disruptor::shutdown);
        mayMake.countDown();
        shutdown.get(30, SECONDS);
        start.get(30, SECONDS);
        assertThat(first).hasValue(10);
        assertThat(second).hasValue(10);
        threads.awaitEnd(0);
        threads.awaitEnd(1);
    }

    /** It would wait for itself. */
    @Test
    void aShutdownBeforeTheStartIsDoneAtTheEndOfTheStart() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
        publish(10);
        shutdownWithoutALimit();
        onAThread(disruptor::start).get(30, SECONDS);
        assertThat(handled).hasValue(10);
        threads.awaitEnd(0);
    }

    @Test
    void aShutdownByTheThreadThatStartsIsDoneAtTheEndOfTheStart() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        threads.whenAsked = disruptor::shutdown;
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> handled.incrementAndGet());
        publish(10);
        onAThread(disruptor::start).get(30, SECONDS);
        assertThat(handled).hasValue(10);
        threads.awaitEnd(0);
    }

    @Test
    void aStartThatFailedHalfwayIsShutDown() throws Exception {
        AtomicInteger handled = new AtomicInteger();
        threads.refuses(1);
        disruptor.handleEventsWith(
                (event, sequence, endOfBatch) -> handled.incrementAndGet(), (event, sequence, endOfBatch) -> {});
        publish(10);
        assertThatThrownBy(disruptor::start).isInstanceOf(IllegalStateException.class);
        shutdownWithoutALimit();
        assertThat(handled).as("of the one that has a thread").hasValue(10);
        threads.awaitEnd(0);
    }

    // ----

    private void publish(int events) {
        for (int i = 0; i < events; i++) {
            disruptor.publishEvent((event, sequence) -> event[0] = sequence);
        }
    }

    private void shutdownWithoutALimit() throws Exception {
        onAThread(disruptor::shutdown).get(30, SECONDS);
    }

    private static FutureTask<?> onAThread(Runnable task) {
        FutureTask<?> future = new FutureTask<>(task, null);
        DaemonThreadFactory.INSTANCE.newThread(future).start();
        return future;
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        boolean interrupted = Thread.interrupted();
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Its exception is fatal by the default handler. */
    private static EventHandler<long[]> dyingAfter(long last) {
        return (event, sequence, endOfBatch) -> {
            if (sequence > last) {
                throw new Exception("fatal by the default handler; this is part of the test");
            }
        };
    }

    /** Four events that the consumer passes on, then six of which the first is fatal to it. */
    private void publishUntilItDies(EventHandler<long[]> first) throws Exception {
        publish(4);
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (disruptor.getSequenceValueFor(first) < 3 && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        publish(6);
        threads.awaitEnd(0);
    }

    /** Makes threads that end without a stack trace, late or not at all if that was asked for. */
    private static final class Threads implements ThreadFactory {
        private final ConcurrentLinkedQueue<Thread> made = new ConcurrentLinkedQueue<>();
        private final AtomicInteger asked = new AtomicInteger();
        private final CountDownLatch mayMake = new CountDownLatch(1);
        private int late = Integer.MAX_VALUE;
        private int refused = Integer.MAX_VALUE;
        private Runnable whenAsked = () -> {};
        private Runnable beforeEachRun = () -> {};
        private Runnable afterTheFirstRun = () -> {};

        CountDownLatch makesLater(int number) {
            late = number;
            return mayMake;
        }

        void refuses(int number) {
            refused = number;
        }

        @Override
        public @Nullable Thread newThread(Runnable task) {
            int number = asked.getAndIncrement();
            whenAsked.run();
            if (number == refused) {
                return null;
            }
            if (number == late) {
                try {
                    mayMake.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            Thread thread = DaemonThreadFactory.INSTANCE.newThread(() -> {
                try {
                    beforeEachRun.run();
                    task.run();
                } catch (RuntimeException fatal) {
                    Thread.currentThread().interrupt(); // nobody looks: the thread ends
                }
                if (number == 0) {
                    afterTheFirstRun.run();
                }
            });
            made.add(thread);
            return thread;
        }

        void awaitEnd(int number) throws InterruptedException {
            Thread thread = List.copyOf(made).get(number);
            thread.join(30_000);
            assertThat(thread.isAlive()).as("thread %d", number).isFalse();
        }

        void awaitSleep(int number) {
            ThreadState.await(List.copyOf(made).get(number), Thread.State.TIMED_WAITING);
        }

        void awaitMakers(int number) {
            long limit = System.nanoTime() + SECONDS.toNanos(30);
            while (asked.get() < number && System.nanoTime() < limit) {
                Thread.onSpinWait();
            }
            assertThat(asked.get()).isEqualTo(number);
        }
    }
}
