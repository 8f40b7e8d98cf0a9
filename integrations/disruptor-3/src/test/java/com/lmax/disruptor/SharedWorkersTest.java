package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.testing.ThreadState;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Workers that were made by hand, pools and processors on one barrier: a halt reaches those only that are meant. */
@Tag("concurrency")
class SharedWorkersTest {
    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreadFactory.INSTANCE);
    private final List<EventProcessor> made = new ArrayList<>();

    @AfterEach
    void stop() {
        made.forEach(EventProcessor::halt);
        threads.shutdownNow();
    }

    /** Each worker has a work sequence of its own here, so that each handles all events. */
    @ParameterizedTest
    @MethodSource("com.lmax.disruptor.SharedBarrierTest#strategies")
    void aHaltOfOneWorkerLeavesTheOtherAtWork(WaitStrategy strategy) throws Exception {
        RingBuffer<long[]> ring = ring(strategy);
        SequenceBarrier barrier = ring.newBarrier();
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        WorkProcessor<long[]> halted = worker(ring, barrier, first);
        WorkProcessor<long[]> other = worker(ring, barrier, second);
        threads.execute(other);
        for (int round = 1; round <= 10; round++) {
            Future<?> run = threads.submit(halted);
            publish(ring);
            await(first, 2 * round - 1);
            await(second, 2 * round - 1);
            halted.halt();
            run.get(30, SECONDS);
            publish(ring); // the halted one keeps its claim, and handles it in the next run
            await(second, 2 * round);
            assertThat(first).hasValue(2 * round - 1);
        }
    }

    /** It would claim an event, and end with it. */
    @Test
    void aWorkerThatIsHaltedBeforeItRunsLeavesTheEventsToTheOthers() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        SequenceBarrier barrier = ring.newBarrier();
        Sequence claims = new Sequence();
        AtomicInteger handled = new AtomicInteger();
        WorkProcessor<long[]> halted =
                new WorkProcessor<>(ring, barrier, event -> handled.incrementAndGet(), null, claims);
        WorkProcessor<long[]> other =
                new WorkProcessor<>(ring, barrier, event -> handled.incrementAndGet(), null, claims);
        made.add(other);
        halted.halt();
        halted.run();
        threads.execute(other);
        publish(ring);
        await(handled, 1);
    }

    /** Somebody else starts the pool as soon as it counts as halted, while the halt still wakes its workers. */
    @Test
    void aPoolThatIsStartedWhileAHaltReturnsHasAllItsWorkers() throws Exception {
        BlockingWaitStrategy waits = new BlockingWaitStrategy();
        AtomicReference<Runnable> atTheFirstSignal = new AtomicReference<>(() -> {});
        RingBuffer<long[]> ring = ring(new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                    throws AlertException, InterruptedException, TimeoutException {
                return waits.waitFor(sequence, cursor, dependent, barrier);
            }

            @Override
            public void signalAllWhenBlocking() {
                waits.signalAllWhenBlocking();
                atTheFirstSignal.getAndSet(() -> {}).run();
            }
        });
        StartedWorker first = new StartedWorker(new CountDownLatch(2), new CountDownLatch(2));
        StartedWorker second = new StartedWorker(first.begun, first.atWork);
        WorkerPool<long[]> pool = new WorkerPool<>(ring, ring.newBarrier(), new FatalExceptionHandler(), first, second);
        ring.addGatingSequences(pool.getWorkerSequences());
        pool.start(task -> {}); // no worker runs that this halt could end
        atTheFirstSignal.set(() -> {
            pool.start(threads);
            first.awaitBegun();
        });
        pool.halt();
        assertThat(pool.isRunning()).isTrue();
        publish(ring);
        publish(ring);
        assertThat(first.atWork.await(30, SECONDS)).as("both are at work").isTrue();
        pool.halt();
    }

    /** Stays in its handler until the other one is there too. */
    private record StartedWorker(CountDownLatch begun, CountDownLatch atWork)
            implements WorkHandler<long[]>, LifecycleAware {
        @Override
        public void onStart() {
            begun.countDown();
        }

        @Override
        public void onEvent(long[] event) throws InterruptedException {
            atWork.countDown();
            atWork.await();
        }

        @Override
        public void onShutdown() {}

        void awaitBegun() {
            try {
                assertThat(begun.await(30, SECONDS)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** As an executor does for which the system has no thread left. */
    @Test
    void nobodyWaitsForAWorkerThatTheExecutorCouldNotTake() throws Exception {
        WorkerPool<long[]> pool =
                new WorkerPool<>(() -> new long[1], new FatalExceptionHandler(), event -> {}, event -> {});
        assertThatThrownBy(() -> pool.start(task -> {
                    throw new OutOfMemoryError("this is part of the test");
                }))
                .isInstanceOf(OutOfMemoryError.class);
        threads.submit(pool::drainAndHalt).get(30, SECONDS);
        assertThat(pool.isRunning()).isFalse();
    }

    /** That run has ended when the executor throws what it has thrown. */
    @Test
    void aRunThatAnExecutorMakesAtOnceIsCountedOnceThoughItThrows() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        AtomicInteger handled = new AtomicInteger();
        AtomicBoolean fails = new AtomicBoolean(true);
        CountDownLatch mayHandle = new CountDownLatch(1);
        WorkerPool<long[]> pool =
                new WorkerPool<>(ring, ring.newBarrier(), new FatalExceptionHandler(), (WorkHandler<long[]>) event -> {
                    if (fails.get()) {
                        throw new Exception("fatal by the exception handler; this is part of the test");
                    }
                    mayHandle.await();
                    handled.incrementAndGet();
                });
        ring.addGatingSequences(pool.getWorkerSequences());
        publish(ring);
        assertThatThrownBy(() -> pool.start(Runnable::run)).isInstanceOf(RuntimeException.class);
        pool.halt();
        fails.set(false);
        pool.start(threads);
        publish(ring);
        Thread drain = DaemonThreadFactory.INSTANCE.newThread(pool::drainAndHalt);
        drain.start();
        awaitSleep(drain);
        mayHandle.countDown();
        drain.join(30_000);
        assertThat(drain.isAlive()).isFalse();
        assertThat(handled).hasValue(2);
    }

    /** A poller is such a gate. It lets the producer in only after the pool has looked. */
    @Test
    void aPoolHandlesWhatAGateOfSomebodyElseLetsIn() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4);
        AtomicInteger handled = new AtomicInteger();
        WorkHandler<long[]> counts = event -> handled.incrementAndGet();
        WorkerPool<long[]> pool = new WorkerPool<>(ring, ring.newBarrier(), null, counts, counts);
        ring.addGatingSequences(pool.getWorkerSequences());
        Sequence gate = new Sequence();
        ring.addGatingSequences(gate);
        pool.start(threads);
        for (int i = 0; i < 4; i++) {
            publish(ring);
        }
        await(handled, 4);
        List<Thread> producers = new ArrayList<>();
        for (int i = 0; i < 16; i++) { // each waits for one event
            Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> publish(ring));
            producers.add(producer);
            producer.start();
            awaitSleep(producer);
        }
        Future<?> drain = threads.submit(pool::drainAndHalt);
        for (Thread producer : producers) {
            while (producer.isAlive()) {
                gate.set(Math.min(gate.get() + 1, ring.getCursor()));
                producer.join(1);
            }
        }
        gate.set(ring.getCursor());
        drain.get(30, SECONDS);
        assertThat(handled).hasValue(20);
    }

    /** A second is enough for it. */
    @Test
    void aPoolDoesNotWaitForAGateThatStands() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4);
        AtomicInteger handled = new AtomicInteger();
        WorkerPool<long[]> pool = new WorkerPool<>(
                ring, ring.newBarrier(), null, (WorkHandler<long[]>) event -> handled.incrementAndGet());
        ring.addGatingSequences(pool.getWorkerSequences());
        ring.addGatingSequences(new Sequence());
        pool.start(threads);
        threads.execute(() -> {
            for (int i = 0; i < 5; i++) {
                publish(ring);
            }
        });
        await(handled, 4);
        threads.submit(pool::drainAndHalt).get(30, SECONDS);
        assertThat(handled).hasValue(4);
    }

    @ParameterizedTest
    @MethodSource("com.lmax.disruptor.SharedBarrierTest#strategies")
    void aHaltOfAPoolLeavesAProcessorAtWork(WaitStrategy strategy) throws Exception {
        RingBuffer<long[]> ring = ring(strategy);
        SequenceBarrier barrier = ring.newBarrier();
        AtomicInteger pooled = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        WorkHandler<long[]> counts = event -> pooled.incrementAndGet();
        WorkerPool<long[]> pool = new WorkerPool<>(ring, barrier, new FatalExceptionHandler(), counts, counts);
        ring.addGatingSequences(pool.getWorkerSequences());
        BatchEventProcessor<long[]> processor =
                Processors.of(ring, barrier, (event, sequence, endOfBatch) -> seen.incrementAndGet());
        made.add(processor);
        Future<?> run = threads.submit(processor);
        for (int round = 1; round <= 10; round++) {
            pool.start(threads);
            publish(ring);
            await(pooled, 2 * round - 1);
            await(seen, 2 * round - 1);
            pool.halt();
            publish(ring);
            await(seen, 2 * round);
            pool.start(threads);
            await(pooled, 2 * round);
            pool.drainAndHalt();
        }
        pool.start(threads);
        processor.halt();
        run.get(30, SECONDS);
        publish(ring);
        await(pooled, 21);
        pool.drainAndHalt();
    }

    /** A processor of the program's own ends by a flag and an alert, as on the Disruptor. The pool goes on once the program takes that back. */
    @Test
    void aPoolLeavesTheAlertByWhichTheProgramHaltsAProcessorOfItsOwn() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        SequenceBarrier barrier = ring.newBarrier();
        AtomicInteger pooled = new AtomicInteger();
        List<Thread> ofThePool = new CopyOnWriteArrayList<>();
        WorkHandler<long[]> counts = event -> {
            ofThePool.add(Thread.currentThread());
            pooled.incrementAndGet();
        };
        WorkerPool<long[]> pool = new WorkerPool<>(ring, barrier, new FatalExceptionHandler(), counts);
        ring.addGatingSequences(pool.getWorkerSequences());
        pool.start(threads);
        publish(ring);
        await(pooled, 1); // a run that begins takes alerts back, as on the Disruptor
        for (int round = 1; round <= 100; round++) {
            AtomicBoolean running = new AtomicBoolean(true);
            Thread own = DaemonThreadFactory.INSTANCE.newThread(() -> {
                for (long next = ring.getCursor() + 1; running.get(); ) {
                    try {
                        next = barrier.waitFor(next) + 1;
                    } catch (AlertException alerted) {
                        Thread.onSpinWait(); // the loop looks at the flag
                    } catch (InterruptedException | TimeoutException e) {
                        throw new AssertionError(e);
                    }
                }
            });
            own.start();
            ThreadState.await(own, Thread.State.WAITING);
            running.set(false);
            barrier.alert();
            own.join(10_000);
            assertThat(own.isAlive()).as("in round %d", round).isFalse();
            assertThat(barrier.isAlerted()).isTrue();
            barrier.clearAlert();
            publish(ring);
            await(pooled, 1 + round);
        }
        barrier.alert();
        ThreadState.await(ofThePool.get(0), Thread.State.TIMED_WAITING);
        barrier.clearAlert();
        pool.drainAndHalt();
    }

    /** Its strategy says how far the ring has come instead of waiting. */
    @Test
    void aWorkerWhoseStrategyComesBackEarlyDoesNotPark() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        RingBuffer<long[]> ring = ring(new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier) {
                looks.incrementAndGet();
                return dependent.get();
            }

            @Override
            public void signalAllWhenBlocking() {}
        });
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(worker(ring, ring.newBarrier(), new AtomicInteger()));
        thread.start();
        while (looks.get() < 1_000_000) {
            assertThat(thread.getState()).isNotEqualTo(Thread.State.TIMED_WAITING);
        }
    }

    /** The claim is kept. As on the Disruptor the event is the one before: an exception handler may count on one. */
    @Test
    void aWaitThatFailsIsToldWithTheEventBefore() {
        List<String> log = new ArrayList<>();
        AtomicInteger waits = new AtomicInteger();
        List<WorkProcessor<long[]>> self = new ArrayList<>();
        RingBuffer<long[]> ring = ring(new WaitStrategy() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier) {
                int wait = waits.incrementAndGet();
                if (wait % 2 == 1) {
                    throw new IllegalStateException();
                }
                if (wait == 6) {
                    self.get(0).halt();
                }
                return Math.min(sequence, dependent.get());
            }

            @Override
            public void signalAllWhenBlocking() {}
        });
        WorkHandler<long[]> handler = event -> log.add("handled " + event[0]);
        ExceptionHandler<long[]> tells = new ExceptionHandler<>() {
            @Override
            public void handleEventException(Throwable ex, long sequence, long[] event) {
                log.add("failed at " + sequence + " with " + (event == null ? "none" : event[0]));
            }

            @Override
            public void handleOnStartException(Throwable ex) {}

            @Override
            public void handleOnShutdownException(Throwable ex) {}
        };
        self.add(new WorkProcessor<>(ring, ring.newBarrier(), handler, tells, new Sequence()));
        for (int i = 0; i < 2; i++) {
            ring.publishEvent((event, sequence) -> event[0] = 10 + sequence);
        }
        self.get(0).run();
        assertThat(log)
                .containsExactly(
                        "failed at 0 with none",
                        "handled 10",
                        "failed at 1 with 10",
                        "handled 11",
                        "failed at 2 with 11");
    }

    /** A barrier of the program's own is not asked for its cursor. */
    @Test
    void aWorkerAsksABarrierForNothingButWaits() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        SequenceBarrier rings = ring.newBarrier();
        AtomicInteger early = new AtomicInteger();
        AtomicInteger handled = new AtomicInteger();
        SequenceBarrier own = (SequenceBarrier) Proxy.newProxyInstance(
                SequenceBarrier.class.getClassLoader(),
                new Class<?>[] {SequenceBarrier.class},
                (proxy, method, args) -> {
                    if (method.getName().equals("getCursor")) {
                        throw new UnsupportedOperationException();
                    }
                    if (method.getName().equals("waitFor") && early.incrementAndGet() < 8) {
                        return (long) args[0] - 1;
                    }
                    try {
                        return method.invoke(rings, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        threads.execute(worker(ring, own, handled));
        publish(ring);
        await(handled, 1);
    }

    private WorkProcessor<long[]> worker(RingBuffer<long[]> ring, SequenceBarrier barrier, AtomicInteger handled) {
        WorkHandler<long[]> handler = event -> handled.incrementAndGet();
        WorkProcessor<long[]> worker =
                new WorkProcessor<>(ring, barrier, handler, new FatalExceptionHandler(), new Sequence());
        made.add(worker);
        return worker;
    }

    private static RingBuffer<long[]> ring(WaitStrategy strategy) {
        return RingBuffer.createMultiProducer(() -> new long[1], 64, strategy);
    }

    private static void publish(RingBuffer<long[]> ring) {
        ring.publish(ring.next());
    }

    private static void awaitSleep(Thread thread) {
        ThreadState.await(thread, Thread.State.TIMED_WAITING);
    }

    private static void await(AtomicInteger counted, int wanted) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (counted.get() < wanted && System.nanoTime() < limit) {
            LockSupport.parkNanos(10_000);
        }
        assertThat(counted).hasValue(wanted);
    }
}
