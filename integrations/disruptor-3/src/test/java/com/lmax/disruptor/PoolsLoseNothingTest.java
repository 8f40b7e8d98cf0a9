package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.BasicExecutor;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where worker pools of the Disruptor have lost events, or hung: each method is a line of docs/drop-in.md. */
@Tag("concurrency")
class PoolsLoseNothingTest {
    private static final Executor THREADS = new BasicExecutor(DaemonThreadFactory.INSTANCE);

    @Test
    void shutdownRightAfterTheStartOfAPoolLosesNothing() throws Exception {
        rounds(300);
    }

    @Test
    @Tag("slow")
    void shutdownOfPoolsLosesNothingInTenThousandRounds() throws Exception {
        rounds(10_000);
    }

    /** Start, publications and shutdown in random order, with threads that begin late: a pool, and a handler that follows it. */
    @SuppressWarnings("deprecation")
    private static void rounds(int rounds) throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println("PoolsLoseNothingTest: -Dsluice.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < rounds; round++) {
            int late = random.nextInt(3) * 50_000;
            ThreadFactory begins = task -> DaemonThreadFactory.INSTANCE.newThread(() -> {
                LockSupport.parkNanos(late);
                task.run();
            });
            ProducerType type = random.nextBoolean() ? ProducerType.MULTI : ProducerType.SINGLE;
            WaitStrategy waits = random.nextBoolean() ? new BlockingWaitStrategy() : new SleepingWaitStrategy();
            Disruptor<long[]> disruptor = random.nextBoolean()
                    ? new Disruptor<>(() -> new long[1], 64, begins, type, waits)
                    : new Disruptor<>(() -> new long[1], 64, (Executor) new BasicExecutor(begins), type, waits);
            AtomicIntegerArray worked = new AtomicIntegerArray(64);
            AtomicLong followed = new AtomicLong();
            disruptor
                    .handleEventsWithWorkerPool(counting(worked, random.nextInt(1, 4)))
                    .then((event, sequence, endOfBatch) ->
                            followed.addAndGet(worked.get((int) event[0]) == 1 ? 1 : 1_000));
            List<Runnable> steps = new ArrayList<>();
            AtomicInteger published = new AtomicInteger();
            Runnable start = disruptor::start;
            steps.add(start);
            for (int i = random.nextInt(4); i > 0; i--) {
                int n = random.nextInt(1, 16);
                steps.add(() -> {
                    for (int k = 0; k < n; k++) {
                        disruptor.publishEvent((event, sequence) -> event[0] = published.getAndIncrement());
                    }
                });
            }
            Collections.shuffle(steps, new Random(random.nextLong()));
            boolean startsAfterTheShutdown = random.nextInt(3) == 0;
            if (startsAfterTheShutdown) {
                steps.remove(start);
            }
            steps.forEach(Runnable::run);
            disruptor.shutdown(30, SECONDS);
            if (startsAfterTheShutdown) {
                if (random.nextBoolean()) {
                    disruptor.shutdown(); // once more
                }
                start.run();
            }
            for (int i = 0; i < published.get(); i++) {
                assertThat(worked.get(i))
                        .as("event %d of round %d of seed %d", i, round, seed)
                        .isEqualTo(1);
            }
            assertThat(followed.get())
                    .as("followed in round %d of seed %d", round, seed)
                    .isEqualTo(published.get());
        }
    }

    @SuppressWarnings("unchecked")
    private static WorkHandler<long[]>[] counting(AtomicIntegerArray counts, int workers) {
        return Stream.generate(() -> (WorkHandler<long[]>) event -> counts.incrementAndGet((int) event[0]))
                .limit(workers)
                .toArray(WorkHandler[]::new);
    }

    @Test
    void whatWasPublishedBeforeTheStartOfAPoolIsHandled() {
        AtomicIntegerArray worked = new AtomicIntegerArray(1);
        WorkerPool<long[]> pool =
                new WorkerPool<>(() -> new long[1], new IgnoreExceptionHandler(), counting(worked, 2));
        RingBuffer<long[]> ring = ringOf(pool);
        ring.publish(ring.next());
        pool.halt();
        pool.start(THREADS);
        pool.drainAndHalt();
        assertThat(worked.get(0)).isEqualTo(1);
    }

    /** The ring of a pool that has made one: only the start returns it. */
    private static RingBuffer<long[]> ringOf(WorkerPool<long[]> pool) {
        RingBuffer<long[]> ring = pool.start(task -> {});
        pool.halt();
        return ring;
    }

    @Test
    void aPoolThatGatesNobodyBeginsAfterTheCursor() {
        AtomicIntegerArray worked = new AtomicIntegerArray(2);
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 8);
        WorkerPool<long[]> pool =
                new WorkerPool<>(ring, ring.newBarrier(), new IgnoreExceptionHandler(), counting(worked, 2));
        ring.publish(ring.next());
        pool.start(THREADS);
        publish(ring, 1);
        pool.drainAndHalt();
        assertThat(worked.get(0))
                .as("published before the start, and held back by nobody")
                .isZero();
        assertThat(worked.get(1)).isEqualTo(1);
    }

    @Test
    void aPoolThatGatesNobodyHandlesAnEventOnceAfterItsSecondStart() throws Exception {
        AtomicIntegerArray worked = new AtomicIntegerArray(6);
        Ungated pool = new Ungated(counting(worked, 1));
        pool.start();
        for (int i = 0; i < 5; i++) {
            publish(pool.ring, i);
        }
        awaitSum(worked, 5);
        pool.halt();
        pool.start();
        publish(pool.ring, 5);
        awaitSum(worked, 6);
        pool.halt();
        for (int i = 0; i < 6; i++) {
            assertThat(worked.get(i)).as("event %d", i).isEqualTo(1);
        }
    }

    /** What is published while it is halted is passed over, and all else is handled once, whichever claims its workers keep. */
    @Test
    void aPoolThatGatesNobodyHandlesOnceWhatIsPublishedBetweenEachStartAndHalt() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println("PoolsLoseNothingTest: -Dsluice.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 50; round++) {
            int starts = 8;
            AtomicIntegerArray worked = new AtomicIntegerArray(16 * starts);
            boolean[] passedOver = new boolean[worked.length()];
            Ungated pool = new Ungated(counting(worked, random.nextInt(1, 5)));
            int published = 0;
            int expected = 0;
            for (int start = 0; start < starts; start++) {
                pool.start();
                for (int i = random.nextInt(8); i > 0; i--) {
                    publish(pool.ring, published++);
                    expected++;
                }
                awaitSum(worked, expected);
                pool.halt();
                for (int i = random.nextInt(8); i > 0; i--) {
                    passedOver[published] = true;
                    publish(pool.ring, published++);
                }
            }
            for (int i = 0; i < published; i++) {
                assertThat(worked.get(i))
                        .as("event %d of round %d of seed %d", i, round, seed)
                        .isEqualTo(passedOver[i] ? 0 : 1);
            }
        }
    }

    /** A pool that claims do not wait for. Its halt waits for the end of its threads. */
    private static final class Ungated {
        private final RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 128);
        private final WorkerPool<long[]> pool;
        private final List<Thread> threads = new ArrayList<>();

        Ungated(WorkHandler<long[]>[] handlers) {
            pool = new WorkerPool<>(ring, ring.newBarrier(), new FatalExceptionHandler(), handlers);
        }

        void start() {
            pool.start(task -> {
                Thread thread = DaemonThreadFactory.INSTANCE.newThread(task);
                threads.add(thread);
                thread.start();
            });
        }

        void halt() throws InterruptedException {
            pool.halt();
            for (Thread thread : threads) {
                thread.join(30_000);
                assertThat(thread.isAlive()).isFalse();
            }
            threads.clear();
        }
    }

    private static void awaitSum(AtomicIntegerArray counts, int wanted) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (sum(counts) < wanted && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(sum(counts)).isEqualTo(wanted);
    }

    private static int sum(AtomicIntegerArray counts) {
        int sum = 0;
        for (int i = 0; i < counts.length(); i++) {
            sum += counts.get(i);
        }
        return sum;
    }

    /** A halted worker has claimed an event that was not published yet: it handles it after the next start. */
    @Test
    void eachEventIsHandledOnceWhileAPoolIsHaltedAndStartedAgainAndAgain() throws Exception {
        int events = 60_000;
        AtomicIntegerArray worked = new AtomicIntegerArray(events);
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 64);
        WorkerPool<long[]> pool =
                new WorkerPool<>(ring, ring.newBarrier(), new FatalExceptionHandler(), counting(worked, 3));
        ring.addGatingSequences(pool.getWorkerSequences());
        pool.start(THREADS);
        Thread publisher = DaemonThreadFactory.INSTANCE.newThread(() -> {
            for (int i = 0; i < events; i++) {
                publish(ring, i);
            }
        });
        publisher.start();
        SplittableRandom random = new SplittableRandom(1);
        while (publisher.isAlive()) {
            pool.halt();
            LockSupport.parkNanos(random.nextInt(50_000));
            pool.start(THREADS);
            LockSupport.parkNanos(random.nextInt(50_000));
        }
        pool.drainAndHalt();
        for (int i = 0; i < events; i++) {
            assertThat(worked.get(i)).as("event %d", i).isEqualTo(1);
        }
    }

    private static void publish(RingBuffer<long[]> ring, long value) {
        ring.publishEvent((event, sequence, given) -> event[0] = given, value);
    }

    @Test
    void aWorkerThatIsHaltedWhileItWaitsHandlesItsClaimInTheNextRun() throws Exception {
        AtomicIntegerArray worked = new AtomicIntegerArray(2);
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 8);
        WorkProcessor<long[]> worker = new WorkProcessor<>(
                ring, ring.newBarrier(), counting(worked, 1)[0], new FatalExceptionHandler(), new Sequence());
        ring.addGatingSequences(worker.getSequence());
        for (int i = 0; i < 2; i++) {
            Thread thread = DaemonThreadFactory.INSTANCE.newThread(worker);
            thread.start();
            awaitSleep(thread);
            worker.halt();
            thread.join(30_000);
            publish(ring, i);
        }
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(worker);
        thread.start();
        awaitSequence(worker.getSequence(), 1);
        worker.halt();
        thread.join(30_000);
        assertThat(worked.get(0)).isEqualTo(1);
        assertThat(worked.get(1)).isEqualTo(1);
        assertThat(worker.isRunning()).isFalse();
    }

    @Test
    void anInterruptOfAWorkerPassesOverNoEvent() throws Exception {
        AtomicIntegerArray worked = new AtomicIntegerArray(3);
        CountDownLatch told = new CountDownLatch(1);
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 8);
        WorkProcessor<long[]> worker =
                new WorkProcessor<>(ring, ring.newBarrier(), counting(worked, 1)[0], telling(told), new Sequence());
        ring.addGatingSequences(worker.getSequence());
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(worker);
        thread.start();
        thread.interrupt();
        assertThat(told.await(30, SECONDS)).isTrue();
        for (int i = 0; i < 3; i++) {
            publish(ring, i);
        }
        awaitSequence(worker.getSequence(), 2);
        worker.halt();
        thread.join(30_000);
        assertThat(thread.isAlive()).isFalse();
        for (int i = 0; i < 3; i++) {
            assertThat(worked.get(i)).isEqualTo(1);
        }
    }

    private static ExceptionHandler<Object> telling(CountDownLatch told) {
        return new ExceptionHandler<>() {
            @Override
            public void handleEventException(Throwable ex, long sequence, Object event) {
                told.countDown();
            }

            @Override
            public void handleOnStartException(Throwable ex) {}

            @Override
            public void handleOnShutdownException(Throwable ex) {}
        };
    }

    private static final class Fatal implements WorkHandler<long[]>, LifecycleAware {
        private final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public void onEvent(long[] event) throws Exception {
            throw new Exception("fatal by the handler; this is part of the test");
        }

        @Override
        public void onStart() {}

        @Override
        public void onShutdown() {
            ended.countDown();
        }
    }

    /** The thread ends without a stack trace on standard error. */
    private static final ThreadFactory QUIET = task -> DaemonThreadFactory.INSTANCE.newThread(() -> {
        try {
            task.run();
        } catch (RuntimeException fatal) {
            Thread.currentThread().interrupt(); // nobody looks: the thread ends
        }
    });

    @Test
    void aWorkerThatDiesIsToldOfItsEndAndNobodyWaitsForIt() throws Exception {
        Fatal fatal = new Fatal();
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, QUIET);
        disruptor.handleEventsWithWorkerPool(fatal);
        disruptor.start();
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        disruptor.publishEvent((event, sequence) -> event[0] = 2);
        assertThat(fatal.ended.await(30, SECONDS)).as("onShutdown").isTrue();
        disruptor.shutdown(30, SECONDS);
    }

    @Test
    void theThreadOfADeadWorkerMayShutTheGraphDown() throws Exception {
        CountDownLatch isDown = new CountDownLatch(1);
        AtomicReference<Disruptor<long[]>> graph = new AtomicReference<>();
        graph.set(new Disruptor<>(() -> new long[1], 8, task -> {
            Thread thread = DaemonThreadFactory.INSTANCE.newThread(task);
            thread.setUncaughtExceptionHandler((dead, thrown) -> {
                graph.get().shutdown();
                isDown.countDown();
            });
            return thread;
        }));
        graph.get().handleEventsWithWorkerPool(new Fatal());
        for (int i = 0; i < 2; i++) {
            publish(graph.get().getRingBuffer(), i);
        }
        graph.get().start();
        assertThat(isDown.await(30, SECONDS)).isTrue();
    }

    @Test
    void nobodyWaitsForWhatADeadWorkerWouldHavePassedOn() throws Exception {
        Fatal fatal = new Fatal();
        AtomicLong followed = new AtomicLong();
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, QUIET);
        disruptor.handleEventsWithWorkerPool(fatal).then((event, sequence, endOfBatch) -> followed.incrementAndGet());
        disruptor.start();
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        assertThat(fatal.ended.await(30, SECONDS)).as("onShutdown").isTrue();
        Thread shutdown = DaemonThreadFactory.INSTANCE.newThread(disruptor::shutdown);
        shutdown.start();
        shutdown.join(30_000);
        assertThat(shutdown.isAlive()).isFalse();
        assertThat(followed.get()).as("behind an event that nobody has handled").isZero();
    }

    @Test
    void aPoolDrainsWithoutAWorkerThatHasDied() throws Exception {
        Fatal fatal = new Fatal();
        WorkerPool<long[]> pool = new WorkerPool<>(() -> new long[1], new FatalExceptionHandler(), fatal);
        RingBuffer<long[]> ring = pool.start(new BasicExecutor(QUIET));
        publish(ring, 0);
        publish(ring, 1);
        assertThat(fatal.ended.await(30, SECONDS)).isTrue();
        pool.drainAndHalt();
        assertThat(pool.isRunning()).isFalse();
    }

    @Test
    void aPoolWhoseExecutorRefusesDrainsAtOnce() {
        WorkerPool<long[]> pool = new WorkerPool<>(
                () -> new long[1], new FatalExceptionHandler(), counting(new AtomicIntegerArray(1), 2));
        assertThatThrownBy(() -> pool.start(task -> {
                    throw new RejectedExecutionException("part of the test");
                }))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> pool.start(THREADS)).isInstanceOf(IllegalStateException.class);
        pool.drainAndHalt();
        pool.start(THREADS);
        pool.drainAndHalt();
    }

    @Test
    void aHaltBeforeTheThreadsHaveBegunEndsThem() throws Exception {
        List<Thread> threads = new ArrayList<>();
        CountDownLatch mayBegin = new CountDownLatch(1);
        WorkerPool<long[]> pool = new WorkerPool<>(
                () -> new long[1], new FatalExceptionHandler(), counting(new AtomicIntegerArray(1), 3));
        pool.start(task -> {
            Thread thread = DaemonThreadFactory.INSTANCE.newThread(() -> {
                awaitUninterrupted(mayBegin);
                task.run();
            });
            threads.add(thread);
            thread.start();
        });
        pool.halt();
        mayBegin.countDown();
        for (Thread thread : threads) {
            thread.join(30_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aPoolNeedsAWorker() {
        assertThatThrownBy(() -> new WorkerPool<>(() -> new long[1], new FatalExceptionHandler()))
                .isInstanceOf(IllegalArgumentException.class);
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
        assertThatThrownBy(disruptor::handleEventsWithWorkerPool).isInstanceOf(IllegalArgumentException.class);
        disruptor.start();
        assertThatThrownBy(() -> disruptor.handleEventsWithWorkerPool(event -> {}))
                .isInstanceOf(IllegalStateException.class);
    }

    /** The program adds them again, once it has all. */
    @Test
    @SuppressWarnings("unchecked")
    void workersThatWereAddedAgainAfterOneOfThemWasRefusedGetEachEventOnce() {
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
        AtomicInteger handled = new AtomicInteger();
        WorkHandler<long[]> counts = event -> handled.incrementAndGet();
        assertThatThrownBy(() -> disruptor.handleEventsWithWorkerPool(counts, null))
                .isInstanceOf(NullPointerException.class);
        disruptor.handleEventsWithWorkerPool(counts, counts);
        disruptor.start();
        for (int i = 0; i < 5; i++) {
            disruptor.publishEvent((event, sequence) -> event[0] = sequence);
        }
        disruptor.shutdown();
        assertThat(handled).hasValue(5);
    }

    /** A worker gives its slot back while it goes on with what it has read, and the producer uses the slot. */
    @Test
    void aReleasedSlotIsUsedAgainWhileItsWorkerGoesOn() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicLong sum = new AtomicLong();
        class Releasing implements WorkHandler<long[]>, EventReleaseAware {
            private EventReleaser releaser;

            @Override
            public void setEventReleaser(EventReleaser eventReleaser) {
                releaser = eventReleaser;
            }

            @Override
            public void onEvent(long[] event) throws Exception {
                long read = event[0];
                releaser.release();
                released.countDown();
                mayGoOn.await();
                sum.addAndGet(read);
            }
        }
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 1);
        WorkerPool<long[]> pool =
                new WorkerPool<>(ring, ring.newBarrier(), new FatalExceptionHandler(), new Releasing());
        ring.addGatingSequences(pool.getWorkerSequences());
        pool.start(THREADS);
        publish(ring, 1);
        assertThat(released.await(30, SECONDS)).isTrue();
        publish(ring, 10);
        mayGoOn.countDown();
        awaitSequence(pool.getWorkerSequences()[1], 2);
        pool.drainAndHalt();
        assertThat(sum.get()).isEqualTo(11);
        assertThat(Arrays.stream(pool.getWorkerSequences()).mapToLong(Sequence::get))
                .containsExactly(1L, 2L);
    }

    /** Such a worker shows no progress of its own, and claims the events behind its own once it has ended with that. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theEndOfAPoolWaitsForEventsBehindOneThatAWorkerHasReleased(boolean byGraph) throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicLong sum = new AtomicLong();
        class Releasing implements WorkHandler<long[]>, EventReleaseAware {
            private EventReleaser releaser;

            @Override
            public void setEventReleaser(EventReleaser eventReleaser) {
                releaser = eventReleaser;
            }

            @Override
            public void onEvent(long[] event) throws Exception {
                sum.addAndGet(event[0]);
                if (event[0] == 1) {
                    releaser.release();
                    released.countDown();
                    mayGoOn.await();
                }
            }
        }
        RingBuffer<long[]> ring;
        Thread end;
        if (byGraph) {
            Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
            graph.handleEventsWithWorkerPool(new Releasing());
            ring = graph.start();
            end = DaemonThreadFactory.INSTANCE.newThread(graph::shutdown);
        } else {
            ring = RingBuffer.createMultiProducer(() -> new long[1], 8);
            WorkerPool<long[]> pool =
                    new WorkerPool<>(ring, ring.newBarrier(), new FatalExceptionHandler(), new Releasing());
            ring.addGatingSequences(pool.getWorkerSequences());
            pool.start(THREADS);
            end = DaemonThreadFactory.INSTANCE.newThread(pool::drainAndHalt);
        }
        publish(ring, 1);
        assertThat(released.await(30, SECONDS)).isTrue();
        publish(ring, 10);
        publish(ring, 100);
        end.start();
        awaitSleepOrEnd(end);
        assertThat(end.isAlive()).as("it waits").isTrue();
        mayGoOn.countDown();
        end.join(30_000);
        assertThat(end.isAlive()).isFalse();
        assertThat(sum).hasValue(111);
    }

    private static void awaitSleepOrEnd(Thread thread) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (thread.getState() != Thread.State.TIMED_WAITING
                && thread.getState() != Thread.State.TERMINATED
                && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
    }

    /** The worker has released its event, and claims the next one while a producer reads who gates. */
    @Test
    void aProducerDoesNotWriteOverTheEventThatAWorkerClaimsAfterARelease() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch mayClaim = new CountDownLatch(1);
        CountDownLatch inSecond = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicLong second = new AtomicLong();
        class Releasing implements WorkHandler<long[]>, EventReleaseAware {
            private EventReleaser releaser;

            @Override
            public void setEventReleaser(EventReleaser eventReleaser) {
                releaser = eventReleaser;
            }

            @Override
            public void onEvent(long[] event) throws Exception {
                if (event[0] == 1) {
                    releaser.release();
                    released.countDown();
                    mayClaim.await();
                } else {
                    inSecond.countDown();
                    mayEnd.await();
                    second.compareAndSet(0, event[0]);
                }
            }
        }
        Thread producer = Thread.currentThread();
        Sequence work = new Sequence() {
            @Override
            public long get() {
                if (Thread.currentThread() == producer && released.getCount() == 0 && mayClaim.getCount() > 0) {
                    mayClaim.countDown();
                    awaitUninterrupted(inSecond);
                }
                return super.get();
            }
        };
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 2);
        WorkProcessor<long[]> worker =
                new WorkProcessor<>(ring, ring.newBarrier(), new Releasing(), new FatalExceptionHandler(), work);
        ring.addGatingSequences(worker.getSequence(), work); // in the order of WorkerPool.getWorkerSequences
        publish(ring, 1);
        publish(ring, 2);
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(worker);
        thread.start();
        assertThat(released.await(30, SECONDS)).isTrue();
        while (ring.tryPublishEvent((event, sequence) -> event[0] = 3)) {}
        mayEnd.countDown();
        awaitSequence(worker.getSequence(), ring.getCursor());
        assertThat(second).as("what the worker has in its hand").hasValue(2);
        worker.halt();
        thread.join(30_000);
    }

    private static void awaitSleep(Thread thread) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        Thread.State state = thread.getState();
        while (state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING && System.nanoTime() < limit) {
            Thread.onSpinWait();
            state = thread.getState();
        }
    }

    private static void awaitSequence(Sequence sequence, long value) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (sequence.get() < value && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(sequence.get()).isEqualTo(value);
    }
}
