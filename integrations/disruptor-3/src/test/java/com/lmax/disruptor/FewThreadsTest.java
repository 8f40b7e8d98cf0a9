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
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Graphs whose executor has fewer threads than they have consumers: each method is a line of docs/drop-in.md. */
@Tag("concurrency")
class FewThreadsTest {
    private static final int EVENTS = 10;

    private final List<ExecutorService> pools = new ArrayList<>();

    @AfterEach
    void stop() {
        pools.forEach(ExecutorService::shutdownNow);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shutdownHasAllConsumersHandleAllEventsOneAfterAnother(int threads) throws Exception {
        ExecutorService pool = pool(threads);
        Disruptor<long[]> graph = graph(pool);
        AtomicInteger[] handled = counters(3);
        graph.handleEventsWith(counting(handled[0]), counting(handled[1])).then(counting(handled[2]));
        graph.start();
        publish(graph);
        shutdownWithoutALimit(graph);
        assertThat(handled).extracting(AtomicInteger::get).containsOnly(EVENTS);
        awaitEnd(pool);
    }

    @Test
    void shutdownHasTheWorkersOfAPoolComeToTheirEndOnOneThread() throws Exception {
        ExecutorService pool = pool(1);
        Disruptor<long[]> graph = graph(pool);
        AtomicInteger worked = new AtomicInteger();
        AtomicInteger followed = new AtomicInteger();
        WorkHandler<long[]> worker = event -> worked.incrementAndGet();
        graph.handleEventsWithWorkerPool(worker, worker, worker).then(counting(followed));
        graph.start();
        publish(graph);
        shutdownWithoutALimit(graph);
        assertThat(worked).hasValue(EVENTS);
        assertThat(followed).hasValue(EVENTS);
        awaitEnd(pool);
    }

    /** Handlers and pools that follow one another, and any number of threads. */
    @Test
    void shutdownLosesNothingWithAnyNumberOfThreads() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println("FewThreadsTest: -Dsluice.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 15; round++) {
            ExecutorService pool = pool(random.nextInt(1, 5));
            Disruptor<long[]> graph = graph(pool);
            AtomicInteger[] handled = counters(4);
            boolean chain = random.nextBoolean();
            var first = random.nextBoolean()
                    ? graph.handleEventsWith(counting(handled[0]))
                    : graph.handleEventsWithWorkerPool(
                            event -> handled[0].incrementAndGet(), event -> handled[0].incrementAndGet());
            var second = chain
                    ? first.then(counting(handled[1]), counting(handled[2]))
                    : graph.handleEventsWith(counting(handled[1]), counting(handled[2]));
            second.then(counting(handled[3]));
            if (random.nextBoolean()) {
                publish(graph);
                graph.start();
            } else {
                graph.start();
                publish(graph);
            }
            shutdownWithoutALimit(graph);
            assertThat(handled)
                    .as("round %d of seed %d", round, seed)
                    .extracting(AtomicInteger::get)
                    .containsOnly(EVENTS);
            awaitEnd(pool);
        }
    }

    /** The producers get room only once both have handled what is there, each on the one thread. */
    @Test
    void whoHasLentItsThreadHandlesWhatProducersPublishThatHaveWaited() throws Exception {
        ExecutorService pool = pool(1);
        @SuppressWarnings("deprecation")
        Disruptor<long[]> graph = new Disruptor<>(() -> new long[1], 4, pool);
        AtomicInteger[] handled = counters(4);
        graph.handleEventsWith(counting(handled[0]), counting(handled[1])).then(counting(handled[2]));
        graph.handleEventsWithWorkerPool(event -> handled[3].incrementAndGet(), event -> handled[3].incrementAndGet());
        graph.start();
        List<Thread> producers = Stream.generate(() -> DaemonThreadFactory.INSTANCE.newThread(
                        () -> graph.publishEvent((event, sequence) -> event[0] = sequence)))
                .limit(20)
                .toList();
        producers.forEach(Thread::start);
        producers.forEach(FewThreadsTest::awaitSleepOrEnd);
        shutdownWithoutALimit(graph);
        for (Thread producer : producers) {
            producer.join(30_000);
            assertThat(producer.isAlive()).isFalse();
        }
        assertThat(handled).extracting(AtomicInteger::get).containsOnly(20);
        awaitEnd(pool);
    }

    /** The start runs the first consumer, and comes to the second one after that. */
    @Test
    void anExecutorThatRunsATaskAtOnceComesToTheNextConsumer() throws Exception {
        Disruptor<long[]> graph = graph(Runnable::run);
        CountDownLatch begun = new CountDownLatch(1);
        AtomicInteger[] handled = counters(2);
        graph.handleEventsWith(
                (event, sequence, endOfBatch) -> {
                    handled[0].incrementAndGet();
                    begun.countDown();
                },
                counting(handled[1]));
        publish(graph);
        FutureTask<?> start = onAThread(graph::start);
        assertThat(begun.await(30, SECONDS)).isTrue();
        shutdownWithoutALimit(graph);
        start.get(30, SECONDS);
        assertThat(handled).extracting(AtomicInteger::get).containsOnly(EVENTS);
    }

    @Test
    void aShutdownWithALimitHaltsNobodyWhereAConsumerHasNoThread() throws Exception {
        ExecutorService pool = pool(1);
        Disruptor<long[]> graph = graph(pool);
        AtomicInteger[] handled = counters(2);
        graph.handleEventsWith(counting(handled[0]), counting(handled[1]));
        graph.start();
        publish(graph);
        assertThatThrownBy(() -> graph.shutdown(300, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        assertThat(handled[1]).as("of the one without a thread").hasValue(0);
        graph.publishEvent((event, sequence) -> event[0] = sequence);
        shutdownWithoutALimit(graph);
        assertThat(handled).extracting(AtomicInteger::get).containsOnly(EVENTS + 1);
        awaitEnd(pool);
    }

    /** It cannot wait for itself. */
    @Test
    void aProcessorOfTheProgramMayShutTheGraphDownAtTheEndOfItsRun() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool(DaemonThreadFactory.INSTANCE);
        pools.add(pool);
        Disruptor<long[]> graph = graph(pool);
        CountDownLatch isDown = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        Sequence progress = new Sequence();
        graph.handleEventsWith(new EventProcessor() {
            @Override
            public Sequence getSequence() {
                return progress;
            }

            @Override
            public void halt() {}

            @Override
            public boolean isRunning() {
                return false;
            }

            @Override
            public void run() {
                graph.shutdown();
                isDown.countDown();
            }
        });
        graph.handleEventsWith(counting(handled));
        publish(graph);
        graph.start();
        assertThat(isDown.await(30, SECONDS)).isTrue();
        assertThat(handled).as("the other one is waited for").hasValue(EVENTS);
    }

    private ExecutorService pool(int threads) {
        ExecutorService pool = Executors.newFixedThreadPool(threads, DaemonThreadFactory.INSTANCE);
        pools.add(pool);
        return pool;
    }

    @SuppressWarnings("deprecation")
    private static Disruptor<long[]> graph(Executor executor) {
        return new Disruptor<>(() -> new long[1], 16, executor, ProducerType.SINGLE, new BlockingWaitStrategy());
    }

    private static AtomicInteger[] counters(int number) {
        return Stream.generate(AtomicInteger::new).limit(number).toArray(AtomicInteger[]::new);
    }

    private static EventHandler<long[]> counting(AtomicInteger count) {
        return (event, sequence, endOfBatch) -> count.incrementAndGet();
    }

    private static void publish(Disruptor<long[]> graph) {
        for (int i = 0; i < EVENTS; i++) {
            graph.publishEvent((event, sequence) -> event[0] = sequence);
        }
    }

    private static void shutdownWithoutALimit(Disruptor<long[]> graph) throws Exception {
        onAThread(graph::shutdown).get(30, SECONDS);
    }

    private static FutureTask<?> onAThread(Runnable task) {
        FutureTask<?> future = new FutureTask<>(task, null);
        DaemonThreadFactory.INSTANCE.newThread(future).start();
        return future;
    }

    private static void awaitSleepOrEnd(Thread thread) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        Thread.State seen = thread.getState();
        while (seen != Thread.State.TIMED_WAITING && seen != Thread.State.TERMINATED && System.nanoTime() < limit) {
            Thread.onSpinWait();
            seen = thread.getState();
        }
        assertThat(seen).isIn(Thread.State.TIMED_WAITING, Thread.State.TERMINATED);
    }

    private static void awaitEnd(ExecutorService pool) throws InterruptedException {
        pool.shutdown();
        assertThat(pool.awaitTermination(30, SECONDS)).as("each run ends").isTrue();
    }
}
