package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.testing.ThreadState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each wait strategy with real threads: nothing is missed, an alert and an interrupt end a wait, a time limit is told. */
@Tag("concurrency")
class WaitStrategiesTest {
    static Stream<Arguments> strategies() {
        return Stream.of(
                        new BusySpinWaitStrategy(),
                        new YieldingWaitStrategy(),
                        new SleepingWaitStrategy(),
                        new SleepingWaitStrategy(0, 1_000),
                        new BlockingWaitStrategy(),
                        new LiteBlockingWaitStrategy(),
                        new TimeoutBlockingWaitStrategy(10, SECONDS),
                        new LiteTimeoutBlockingWaitStrategy(10, SECONDS),
                        PhasedBackoffWaitStrategy.withLock(1, 1, MICROSECONDS),
                        PhasedBackoffWaitStrategy.withLiteLock(1, 1, MICROSECONDS),
                        PhasedBackoffWaitStrategy.withSleep(1, 1, MICROSECONDS))
                .map(Arguments::of);
    }

    /** One event goes to and fro between two rings, so each consumer sleeps before each event. */
    @ParameterizedTest
    @MethodSource("strategies")
    void anEventThatGoesToAndFroIsNeverMissed(WaitStrategy strategy) throws Exception {
        int rounds = strategy instanceof BusySpinWaitStrategy ? 100 : 5_000;
        CountDownLatch done = new CountDownLatch(1);
        Disruptor<long[]> here = disruptor(strategy, ProducerType.MULTI);
        Disruptor<long[]> there = disruptor(strategy, ProducerType.SINGLE);
        here.handleEventsWith((event, sequence, endOfBatch) -> publish(there, event[0]));
        there.handleEventsWith((event, sequence, endOfBatch) -> {
            if (event[0] == rounds) {
                done.countDown();
            } else {
                publish(here, event[0] + 1);
            }
        });
        here.start();
        there.start();
        publish(here, 1);
        assertThat(done.await(60, SECONDS)).as("all rounds").isTrue();
        here.shutdown(30, SECONDS);
        there.shutdown(30, SECONDS);
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void consumersThatFollowOneAnotherSeeAllEventsOfSeveralProducersInOrder(WaitStrategy strategy) throws Exception {
        int each = strategy instanceof BusySpinWaitStrategy ? 500 : 20_000;
        Disruptor<long[]> disruptor = disruptor(strategy, ProducerType.MULTI);
        AtomicLong first = new AtomicLong();
        AtomicLong second = new AtomicLong();
        AtomicLong wrong = new AtomicLong();
        disruptor
                .handleEventsWith((event, sequence, endOfBatch) -> {
                    check(sequence == first.getAndIncrement(), wrong);
                    event[0]++;
                })
                .then((event, sequence, endOfBatch) -> {
                    check(sequence == second.getAndIncrement() && event[0] == 2, wrong);
                    event[0] = 0;
                });
        disruptor.start();
        Thread[] producers = new Thread[3];
        for (int i = 0; i < producers.length; i++) {
            producers[i] = new Thread(() -> {
                for (int k = 0; k < each; k++) {
                    disruptor.publishEvent((event, sequence) -> event[0] = 1);
                }
            });
            producers[i].start();
        }
        for (Thread producer : producers) {
            producer.join();
        }
        disruptor.shutdown(60, SECONDS);
        assertThat(second.get()).isEqualTo(3L * each);
        assertThat(wrong.get()).isZero();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void anAlertEndsAWait(WaitStrategy strategy) throws Exception {
        SequenceBarrier barrier =
                RingBuffer.createMultiProducer(() -> new long[1], 8, strategy).newBarrier();
        CompletableFuture<Long> waits = new CompletableFuture<>();
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(() -> {
            try {
                waits.complete(barrier.waitFor(0));
            } catch (AlertException | InterruptedException | TimeoutException e) {
                waits.completeExceptionally(e);
            }
        });
        thread.start();
        boolean sleeps = strategy.toString().contains("Blocking"); // else it looks at the alert by itself
        long limit = System.nanoTime() + SECONDS.toNanos(5);
        while (sleeps && thread.getState().compareTo(Thread.State.WAITING) < 0 && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        barrier.alert();
        assertThatThrownBy(() -> waits.get(30, SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCause(AlertException.INSTANCE);
        assertThat(barrier.isAlerted()).isTrue();
    }

    @Test
    void anInterruptEndsAWaitThatSleeps() throws Exception {
        SequenceBarrier barrier =
                RingBuffer.createMultiProducer(() -> new long[1], 8).newBarrier();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> barrier.waitFor(0)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted())
                .as("the flag is cleared, as that exception says")
                .isFalse();
    }

    @Test
    void aTimeLimitIsTold() {
        for (WaitStrategy strategy : new WaitStrategy[] {
            new TimeoutBlockingWaitStrategy(1, MILLISECONDS), new LiteTimeoutBlockingWaitStrategy(1, MILLISECONDS)
        }) {
            SequenceBarrier barrier = RingBuffer.createSingleProducer(() -> new long[1], 8, strategy)
                    .newBarrier();
            assertThatThrownBy(() -> barrier.waitFor(0)).isSameAs(TimeoutException.INSTANCE);
        }
    }

    @Test
    void aTimeLimitOfNothingIsNone() throws Exception {
        for (WaitStrategy strategy : new WaitStrategy[] {
            new TimeoutBlockingWaitStrategy(0, MILLISECONDS),
            new TimeoutBlockingWaitStrategy(-1, MILLISECONDS),
            new LiteTimeoutBlockingWaitStrategy(0, MILLISECONDS)
        }) {
            RingBuffer<long[]> ring = RingBuffer.createSingleProducer(() -> new long[1], 8, strategy);
            SequenceBarrier barrier = ring.newBarrier();
            FutureTask<Long> wait = new FutureTask<>(() -> barrier.waitFor(0));
            Thread thread = DaemonThreadFactory.INSTANCE.newThread(wait);
            thread.start();
            ThreadState.await(thread, Thread.State.WAITING);
            ring.publish(ring.next());
            assertThat(wait.get(30, SECONDS)).isZero();
        }
    }

    private static void check(boolean right, AtomicLong wrong) {
        if (!right) {
            wrong.incrementAndGet();
        }
    }

    private static Disruptor<long[]> disruptor(WaitStrategy strategy, ProducerType type) {
        return new Disruptor<>(() -> new long[1], 16, DaemonThreadFactory.INSTANCE, type, strategy);
    }

    private static void publish(Disruptor<long[]> disruptor, long value) {
        disruptor.publishEvent((event, sequence, given) -> event[0] = given, value);
    }
}
