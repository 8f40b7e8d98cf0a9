package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where users of the Disruptor have lost events, or hung, or burnt a core: each method is a line of docs/drop-in.md. */
@Tag("concurrency")
class NothingIsLostTest {
    /** 300 in the build; ./sluice prove sets 10,000. */
    private static final int ROUNDS = Integer.getInteger("io.sluice.dropin.rounds", 300);

    /** Start, publications and shutdown in random order, with threads that begin late. */
    @Test
    void shutdownRightAfterTheStartLosesNothing() throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        System.out.println("NothingIsLostTest: -Dsluice.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < ROUNDS; round++) {
            int late = random.nextInt(3) * 50_000;
            List<Thread> threads = new ArrayList<>();
            ThreadFactory begins = task -> {
                threads.add(DaemonThreadFactory.INSTANCE.newThread(() -> {
                    LockSupport.parkNanos(late);
                    task.run();
                }));
                return threads.get(threads.size() - 1);
            };
            Disruptor<long[]> disruptor = new Disruptor<>(
                    () -> new long[1],
                    64,
                    begins,
                    random.nextBoolean() ? ProducerType.MULTI : ProducerType.SINGLE,
                    switch (random.nextInt(4)) {
                        case 0 -> new BlockingWaitStrategy();
                        case 1 -> new TimeoutBlockingWaitStrategy(1, MILLISECONDS);
                        case 2 -> new YieldingWaitStrategy();
                        default -> new SleepingWaitStrategy();
                    });
            AtomicLong[] handled = {new AtomicLong(), new AtomicLong(), new AtomicLong()};
            disruptor.handleEventsWith(counts(handled[0]), counts(handled[1])).then(counts(handled[2]));
            List<Runnable> steps = new ArrayList<>();
            AtomicInteger published = new AtomicInteger();
            Runnable start = disruptor::start;
            steps.add(start);
            for (int i = random.nextInt(4); i > 0; i--) {
                int n = random.nextInt(1, 16);
                steps.add(() -> {
                    for (int k = 0; k < n; k++) {
                        disruptor.publishEvent((event, sequence) -> event[0] = 1);
                        published.incrementAndGet();
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
            for (AtomicLong count : handled) {
                assertThat(count.get()).as("round %d of seed %d", round, seed).isEqualTo(published.get());
            }
            for (Thread thread : threads) {
                thread.join(30_000);
                assertThat(thread.isAlive())
                        .as("thread in round %d of seed %d", round, seed)
                        .isFalse();
            }
        }
    }

    private static EventHandler<long[]> counts(AtomicLong count) {
        return (event, sequence, endOfBatch) -> count.incrementAndGet();
    }

    @Test
    void whatWasPublishedBeforeAShutdownThatCameBeforeTheStartIsHandledByTheStart() {
        AtomicLong handled = new AtomicLong();
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
        disruptor.handleEventsWith(counts(handled));
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        disruptor.shutdown();
        disruptor.start();
        assertThat(handled.get()).isEqualTo(1);
    }

    @Test
    void aSecondShutdownBeforeTheStartChangesNothing() throws Exception {
        AtomicLong handled = new AtomicLong();
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
        disruptor.handleEventsWith(counts(handled));
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        disruptor.shutdown();
        disruptor.shutdown();
        disruptor.shutdown(1, SECONDS);
        disruptor.start();
        assertThat(handled.get()).isEqualTo(1);
    }

    @Test
    void shutdownWithALimitSaysThatEventsAreLeftAndLetsTheConsumerGoOn() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicLong handled = new AtomicLong();
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> {
            mayGoOn.await();
            handled.incrementAndGet();
        });
        disruptor.start();
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        assertThatThrownBy(() -> disruptor.shutdown(5, MILLISECONDS)).isSameAs(TimeoutException.INSTANCE);
        mayGoOn.countDown();
        disruptor.shutdown(30, SECONDS);
        assertThat(handled.get()).isEqualTo(1);
    }

    @Test
    void shutdownDoesNotWaitForAConsumerThatHasDied() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Disruptor<long[]> disruptor = new Disruptor<>(
                () -> new long[1],
                8,
                task -> DaemonThreadFactory.INSTANCE.newThread(() -> {
                    try {
                        task.run();
                    } catch (RuntimeException fatal) {
                        ended.countDown();
                    }
                }));
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> {
            throw new Exception("fatal by the default handler; this is part of the test");
        });
        disruptor.start();
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        disruptor.publishEvent((event, sequence) -> event[0] = 2);
        assertThat(ended.await(30, SECONDS)).isTrue();
        disruptor.shutdown(30, SECONDS);
    }

    @Test
    void anInterruptOfAConsumerPassesOverNoEvent() throws Exception {
        List<Long> handled = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch told = new CountDownLatch(1);
        Thread[] thread = new Thread[1];
        Disruptor<long[]> disruptor =
                new Disruptor<>(() -> new long[1], 8, task -> thread[0] = DaemonThreadFactory.INSTANCE.newThread(task));
        disruptor.setDefaultExceptionHandler(new ExceptionHandler<>() {
            @Override
            public void handleEventException(Throwable ex, long sequence, long[] event) {
                told.countDown();
            }

            @Override
            public void handleOnStartException(Throwable ex) {}

            @Override
            public void handleOnShutdownException(Throwable ex) {}
        });
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> handled.add(sequence));
        disruptor.start();
        thread[0].interrupt();
        assertThat(told.await(30, SECONDS)).isTrue();
        for (int i = 0; i < 3; i++) {
            disruptor.publishEvent((event, sequence) -> event[0] = 1);
        }
        disruptor.shutdown(30, SECONDS);
        assertThat(handled).containsExactly(0L, 1L, 2L);
    }

    @Test
    void aRunAfterAHaltWaitsForTheRunThatWasHalted() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicLong handled = new AtomicLong();
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8);
        BatchEventProcessor<long[]> processor = new BatchEventProcessorBuilder()
                .setMaxBatchSize(1)
                .build(ring, ring.newBarrier(), (event, sequence, end) -> {
                    inHandler.countDown();
                    mayGoOn.await();
                    handled.incrementAndGet();
                });
        ring.addGatingSequences(processor.getSequence());
        for (int i = 0; i < 4; i++) {
            ring.publish(ring.next());
        }
        Thread first = DaemonThreadFactory.INSTANCE.newThread(processor);
        first.start();
        assertThat(inHandler.await(30, SECONDS)).isTrue();
        processor.halt();
        Thread second = DaemonThreadFactory.INSTANCE.newThread(processor);
        second.start();
        awaitState(second, Thread.State.TIMED_WAITING);
        mayGoOn.countDown();
        first.join(30_000);
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (handled.get() < 4 && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(handled.get()).as("the second run has handled the rest").isEqualTo(4);
        processor.halt();
        second.join(30_000);
        assertThat(processor.isRunning()).isFalse();
    }

    @Test
    void aHaltWhileARunWaitsForTheRunThatWasHaltedEndsBoth() throws Exception {
        CountDownLatch inHandler = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicLong starts = new AtomicLong();
        AtomicLong ends = new AtomicLong();
        AtomicLong handled = new AtomicLong();
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8);
        BatchEventProcessor<long[]> processor = new BatchEventProcessorBuilder()
                .setMaxBatchSize(1)
                .build(ring, ring.newBarrier(), new EventHandler<>() {
                    @Override
                    public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                        inHandler.countDown();
                        mayGoOn.await();
                        handled.incrementAndGet();
                    }

                    @Override
                    public void onStart() {
                        starts.incrementAndGet();
                    }

                    @Override
                    public void onShutdown() {
                        ends.incrementAndGet();
                    }
                });
        for (int i = 0; i < 2; i++) {
            ring.publish(ring.next());
        }
        Thread first = DaemonThreadFactory.INSTANCE.newThread(processor);
        first.start();
        assertThat(inHandler.await(30, SECONDS)).isTrue();
        processor.halt();
        Thread second = DaemonThreadFactory.INSTANCE.newThread(processor);
        second.start();
        awaitState(second, Thread.State.TIMED_WAITING);
        processor.halt();
        mayGoOn.countDown();
        first.join(30_000);
        second.join(10_000);
        assertThat(second.isAlive()).isFalse();
        assertThat(processor.isRunning()).isFalse();
        assertThat(handled.get()).isEqualTo(1);
        assertThat(starts.get()).as("the second run is told of its start").isEqualTo(2);
        assertThat(ends.get()).as("and of its end").isEqualTo(2);
        Thread third = DaemonThreadFactory.INSTANCE.newThread(processor);
        third.start();
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (handled.get() < 2 && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(handled.get()).as("the run after both").isEqualTo(2);
        processor.halt();
        third.join(30_000);
    }

    @Test
    void aProcessorThatWasHaltedBeforeItRanRunsTheNextTime() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8);
        AtomicLong handled = new AtomicLong();
        AtomicReference<BatchEventProcessor<long[]>> self = new AtomicReference<>();
        BatchEventProcessor<long[]> processor = new BatchEventProcessorBuilder()
                .build(ring, ring.newBarrier(), (event, sequence, end) -> {
                    handled.incrementAndGet();
                    self.get().halt();
                });
        self.set(processor);
        ring.publish(ring.next());
        processor.halt();
        assertThat(processor.isRunning()).isFalse();
        processor.run();
        assertThat(handled.get()).as("the halt holds for the next run").isZero();
        processor.run();
        assertThat(handled.get()).isEqualTo(1);
    }

    /** A slot that the handler has given back in the middle of a batch may hold a later event. */
    @Test
    void aRewindDoesNotGoBackBehindWhatWasGivenBack() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 4);
        List<String> handled = new ArrayList<>();
        AtomicReference<BatchEventProcessor<long[]>> self = new AtomicReference<>();
        RewindableEventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            handled.add(sequence + ":" + event[0]);
            if (handled.size() == 3) {
                self.get().getSequence().set(1);
                publishItsNumber(ring);
                publishItsNumber(ring);
                throw new RewindableException(null);
            }
            if (sequence == 5 || handled.size() > 20) {
                self.get().halt();
            }
        };
        self.set(new BatchEventProcessorBuilder()
                .build(ring, ring.newBarrier(), handler, new SimpleBatchRewindStrategy()));
        ring.addGatingSequences(self.get().getSequence());
        for (int i = 0; i < 4; i++) {
            publishItsNumber(ring);
        }
        self.get().run();
        assertThat(handled).containsExactly("0:0", "1:1", "2:2", "2:2", "3:3", "4:4", "5:5");
    }

    private static void publishItsNumber(RingBuffer<long[]> ring) {
        ring.publishEvent((event, sequence) -> event[0] = sequence);
    }

    @Test
    void whatOneProducerHasClaimedAndNotPublishedIsNotSeenAtAFullRing() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 4);
        ring.addGatingSequences(new Sequence());
        ring.next(4);
        assertThat(ring.hasAvailableCapacity(1)).isFalse();
        assertThat(ring.getCursor()).isEqualTo(-1);
        assertThatThrownBy(ring::tryNext).isSameAs(InsufficientCapacityException.INSTANCE);
        assertThat(ring.isAvailable(0)).isFalse();
    }

    /** The program adds them again, once it has all. */
    @Test
    void handlersThatWereAddedAgainAfterOneOfThemWasRefusedGetEachEventOnce() {
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
        AtomicInteger handled = new AtomicInteger();
        EventHandler<long[]> counts = (event, sequence, endOfBatch) -> handled.incrementAndGet();
        assertThatThrownBy(() -> disruptor.handleEventsWith(counts, null)).isInstanceOf(NullPointerException.class);
        disruptor.handleEventsWith(counts, (event, sequence, endOfBatch) -> {});
        disruptor.start();
        for (int i = 0; i < 5; i++) {
            publishItsNumber(disruptor.getRingBuffer());
        }
        disruptor.shutdown();
        assertThat(handled).hasValue(5);
    }

    @Test
    void anExceptionHandlerThatIsSetWhileItsConsumerRunsDoesNotStopIt() throws Exception {
        AtomicLong handled = new AtomicLong();
        CountDownLatch first = new CountDownLatch(1);
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 8, DaemonThreadFactory.INSTANCE);
        EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {
            handled.incrementAndGet();
            first.countDown();
        };
        disruptor.handleEventsWith(handler);
        disruptor.start();
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        assertThat(first.await(30, SECONDS)).isTrue();
        disruptor.handleExceptionsFor(handler).with(new IgnoreExceptionHandler());
        assertThat(disruptor.getBarrierFor(handler).isAlerted()).isFalse();
        disruptor.publishEvent((event, sequence) -> event[0] = 1);
        disruptor.shutdown(30, SECONDS);
        assertThat(handled.get()).isEqualTo(2);
    }

    @Test
    void anInterruptedProducerAtAFullRingWaitsAndKeepsItsFlag() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 2);
        Sequence gate = new Sequence();
        ring.addGatingSequences(gate);
        ring.publish(ring.next());
        ring.publish(ring.next());
        boolean[] kept = new boolean[1];
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> {
            Thread.currentThread().interrupt();
            ring.publish(ring.next());
            kept[0] = Thread.currentThread().isInterrupted();
        });
        producer.start();
        awaitState(producer, Thread.State.TIMED_WAITING);
        gate.set(0);
        producer.join(30_000);
        assertThat(kept[0]).isTrue();
        assertThat(ring.getCursor()).isEqualTo(2);
    }

    /** A halt lets no producer go, as on the Disruptor. Whoever gives the events up takes out what gates the claims. */
    @Test
    void aProducerThatWaitsForRoomGoesOnWhenNothingGatesItAnyMore() throws Exception {
        CountDownLatch mayGoOn = new CountDownLatch(1);
        AtomicReference<Sequence> progress = new AtomicReference<>();
        Disruptor<long[]> disruptor = new Disruptor<>(() -> new long[1], 2, DaemonThreadFactory.INSTANCE);
        disruptor.handleEventsWith(new EventHandler<long[]>() {
            @Override
            public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
                mayGoOn.await();
            }

            @Override
            public void setSequenceCallback(Sequence sequenceCallback) {
                progress.set(sequenceCallback);
            }
        });
        RingBuffer<long[]> ring = disruptor.start();
        ring.publish(ring.next());
        ring.publish(ring.next());
        Thread producer = DaemonThreadFactory.INSTANCE.newThread(() -> ring.publish(ring.next()));
        producer.start();
        awaitState(producer, Thread.State.TIMED_WAITING);
        disruptor.halt();
        producer.join(20);
        assertThat(producer.isAlive()).as("it waits after the halt").isTrue();
        assertThat(ring.removeGatingSequence(progress.get())).isTrue();
        producer.join(30_000);
        assertThat(ring.getCursor()).isEqualTo(2);
        mayGoOn.countDown();
    }

    private static void awaitState(Thread thread, Thread.State wanted) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        Thread.State seen = thread.getState();
        while (seen != wanted && System.nanoTime() < limit) {
            Thread.onSpinWait();
            seen = thread.getState();
        }
        assertThat(seen).isEqualTo(wanted);
    }
}
