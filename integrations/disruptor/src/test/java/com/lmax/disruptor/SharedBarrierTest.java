package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Processors that were made by hand on one barrier: a halt reaches the one that is meant, and no other one takes it back. */
@Tag("concurrency")
class SharedBarrierTest {
    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreadFactory.INSTANCE);
    private final List<EventProcessor> made = new ArrayList<>();

    @AfterEach
    void stop() {
        made.forEach(EventProcessor::halt);
        threads.shutdownNow();
    }

    static Stream<Arguments> strategies() {
        return Stream.concat(
                WaitStrategiesTest.strategies(),
                Stream.of(Arguments.of(new AsksTheBarrier()), Arguments.of(new AlertsByItself())));
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void aHaltOfOneLeavesTheOtherAtWork(WaitStrategy strategy) throws Exception {
        RingBuffer<long[]> ring = ring(strategy);
        SequenceBarrier barrier = ring.newBarrier();
        BatchEventProcessor<long[]> halted = processor(ring, barrier);
        BatchEventProcessor<long[]> other = processor(ring, barrier);
        Future<?> run = threads.submit(halted);
        threads.execute(other);
        publish(ring);
        awaitProgress(halted, 0);
        awaitProgress(other, 0);
        halted.halt();
        run.get(30, SECONDS);
        publish(ring);
        awaitProgress(other, 1);
        assertThat(halted.getSequence().get()).isZero();
        assertThat(barrier.isAlerted()).as("as on the Disruptor").isTrue();
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void aHaltedOneRunsAgainBesideTheOther(WaitStrategy strategy) throws Exception {
        RingBuffer<long[]> ring = ring(strategy);
        SequenceBarrier barrier = ring.newBarrier();
        BatchEventProcessor<long[]> again = processor(ring, barrier);
        BatchEventProcessor<long[]> other = processor(ring, barrier);
        threads.execute(other);
        for (int round = 0; round < 20; round++) {
            Future<?> run = threads.submit(again);
            publish(ring);
            awaitProgress(again, round);
            awaitProgress(other, round);
            again.halt();
            run.get(30, SECONDS);
        }
    }

    @Test
    void aHaltIsHeardByOne() {
        SequenceBarrier barrier = ring(new BlockingWaitStrategy()).newBarrier();
        RunState one = new RunState(barrier);
        RunState two = new RunState(barrier);
        one.begin();
        two.begin();
        one.halt();
        assertThat(one.barrier().isAlerted()).isTrue();
        assertThat(two.barrier().isAlerted()).isFalse();
        assertThat(barrier.isAlerted())
                .as("a processor of the program's own hears it, as on the Disruptor")
                .isTrue();
        barrier.clearAlert();
        assertThat(one.barrier().isAlerted()).as("nobody else clears it").isTrue();
    }

    @Test
    void aHaltWakesOneThatSleeps() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        BatchEventProcessor<long[]> processor = processor(ring, ring.newBarrier());
        Thread thread = DaemonThreadFactory.INSTANCE.newThread(processor);
        thread.start();
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (thread.getState() != Thread.State.WAITING && System.nanoTime() < limit) {
            LockSupport.parkNanos(10_000);
        }
        processor.halt();
        thread.join(SECONDS.toMillis(10));
        assertThat(thread.isAlive()).isFalse();
    }

    /** The halted one is held in its wait strategy until another one has begun, which clears the alert. */
    @Test
    void oneThatBeginsDoesNotTakeTheHaltOfAnotherBack() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        RingBuffer<long[]> ring = ring(new AsksTheBarrier() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                    throws AlertException, InterruptedException {
                waits.countDown();
                goOn.await();
                return super.waitFor(sequence, cursor, dependent, barrier);
            }
        });
        SequenceBarrier barrier = ring.newBarrier();
        BatchEventProcessor<long[]> halted = processor(ring, barrier);
        BatchEventProcessor<long[]> begins = processor(ring, barrier);
        Future<?> run = threads.submit(halted);
        assertThat(waits.await(30, SECONDS)).isTrue();
        halted.halt();
        threads.execute(begins);
        awaitCleared(barrier);
        goOn.countDown();
        run.get(30, SECONDS);
    }

    /** As above, when the program itself takes the alert back. */
    @ParameterizedTest
    @MethodSource("strategies")
    void anAlertThatIsClearedAtOnceLosesNoHalt(WaitStrategy strategy) throws Exception {
        RingBuffer<long[]> ring = ring(strategy);
        SequenceBarrier barrier = ring.newBarrier();
        BatchEventProcessor<long[]> processor = processor(ring, barrier);
        for (int round = 0; round < 20; round++) {
            Future<?> run = threads.submit(processor);
            publish(ring);
            awaitProgress(processor, round);
            processor.halt();
            barrier.clearAlert();
            run.get(30, SECONDS);
        }
    }

    @Test
    void aHaltBeforeTheStartEndsThatRunOnly() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        SequenceBarrier barrier = ring.newBarrier();
        BatchEventProcessor<long[]> early = processor(ring, barrier);
        BatchEventProcessor<long[]> other = processor(ring, barrier);
        threads.execute(other);
        publish(ring);
        awaitProgress(other, 0);
        early.halt();
        publish(ring);
        awaitProgress(other, 1);
        threads.submit(early).get(30, SECONDS);
        assertThat(early.getSequence().get()).isEqualTo(-1);
        publish(ring);
        awaitProgress(other, 2);
        threads.execute(early);
        awaitProgress(early, 2);
    }

    /** Both begin and are halted at the same time, again and again: each run ends. */
    @Test
    void haltsThatMeetTheBeginOfAnotherAreHeard() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        SequenceBarrier barrier = ring.newBarrier();
        BatchEventProcessor<long[]> one = processor(ring, barrier);
        BatchEventProcessor<long[]> two = processor(ring, barrier);
        Future<?> other = threads.submit(() -> startAndHalt(two));
        startAndHalt(one);
        other.get(60, SECONDS);
    }

    private Void startAndHalt(EventProcessor processor) throws Exception {
        for (int round = 0; round < 1_000; round++) {
            Future<?> run = threads.submit(processor);
            processor.halt();
            run.get(30, SECONDS);
        }
        return null;
    }

    @Test
    void anAlertOfTheProgramEndsTheWaitsOfAll() throws Exception {
        RingBuffer<long[]> ring = ring(new BlockingWaitStrategy());
        ProcessingSequenceBarrier barrier = (ProcessingSequenceBarrier) ring.newBarrier();
        RunState one = new RunState(barrier);
        RunState two = new RunState(barrier);
        one.begin();
        two.begin();
        publish(ring);
        barrier.alert();
        for (SequenceBarrier each : List.of(barrier, one.barrier(), two.barrier())) {
            assertThatThrownBy(() -> each.waitFor(0)).isSameAs(AlertException.INSTANCE);
        }
        one.halt();
        assertThatThrownBy(() -> two.barrier().waitFor(0))
                .as("a halt leaves an alert of the program")
                .isSameAs(AlertException.INSTANCE);
        barrier.clearAlert();
        assertThat(two.barrier().waitFor(0)).isZero();
        assertThat(barrier.waitFor(0)).isZero();
        assertThatThrownBy(() -> one.barrier().waitFor(0)).isSameAs(AlertException.INSTANCE);
        one.end();
        one.begin();
        assertThat(one.barrier().waitFor(0)).isZero();
    }

    /** What a wait strategy of the program does with the barrier that it is given, it does with the program's. */
    @Test
    void anAlertByAWaitStrategyIsOneOfTheProgram() {
        ProcessingSequenceBarrier barrier =
                (ProcessingSequenceBarrier) ring(new BlockingWaitStrategy()).newBarrier();
        RunState one = new RunState(barrier);
        RunState two = new RunState(barrier);
        one.begin();
        two.begin();
        one.barrier().alert();
        assertThat(barrier.isAlerted()).isTrue();
        assertThat(two.barrier().isAlerted()).isTrue();
        two.barrier().clearAlert();
        assertThat(barrier.isAlerted()).isFalse();
        assertThat(one.barrier().isAlerted()).isFalse();
    }

    @Test
    void aStrategyThatReturnsTooEarlyHearsTheHalt() throws Exception {
        RingBuffer<long[]> ring = ring(new AsksTheBarrier() {
            @Override
            public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier) {
                return dependent.get();
            }
        });
        SequenceBarrier barrier = ring.newBarrier();
        BatchEventProcessor<long[]> halted = processor(ring, barrier);
        BatchEventProcessor<long[]> other = processor(ring, barrier);
        Future<?> run = threads.submit(halted);
        threads.execute(other);
        publish(ring);
        awaitProgress(other, 0);
        awaitProgress(halted, 0);
        halted.halt();
        run.get(30, SECONDS);
        publish(ring);
        awaitProgress(other, 1);
    }

    private BatchEventProcessor<long[]> processor(RingBuffer<long[]> ring, SequenceBarrier barrier) {
        BatchEventProcessor<long[]> processor =
                Processors.of(ring, barrier, (event, sequence, endOfBatch) -> event[0]++);
        made.add(processor);
        return processor;
    }

    private static RingBuffer<long[]> ring(WaitStrategy strategy) {
        return RingBuffer.createMultiProducer(() -> new long[1], 64, strategy);
    }

    private static void publish(RingBuffer<long[]> ring) {
        ring.publish(ring.next());
    }

    private static void awaitProgress(EventProcessor processor, long wanted) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (processor.getSequence().get() < wanted && System.nanoTime() < limit) {
            LockSupport.parkNanos(10_000);
        }
        assertThat(processor.getSequence().get()).isEqualTo(wanted);
    }

    private static void awaitCleared(SequenceBarrier barrier) {
        long limit = System.nanoTime() + SECONDS.toNanos(30);
        while (barrier.isAlerted() && System.nanoTime() < limit) {
            LockSupport.parkNanos(10_000);
        }
        assertThat(barrier.isAlerted()).isFalse();
    }

    /** As programs write them: it looks at the alert of the barrier that it is given. */
    private static class AsksTheBarrier implements WaitStrategy {
        @Override
        public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                throws AlertException, InterruptedException {
            long available = dependent.get();
            while (available < sequence) {
                barrier.checkAlert();
                LockSupport.parkNanos(10_000);
                available = dependent.get();
            }
            return available;
        }

        @Override
        public void signalAllWhenBlocking() {}

        @Override
        public String toString() {
            return getClass().getSimpleName();
        }
    }

    /** Throws alerts that nobody has made, and returns too early. */
    private static final class AlertsByItself extends AsksTheBarrier {
        private final AtomicInteger looks = new AtomicInteger();

        @Override
        public long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier)
                throws AlertException, InterruptedException {
            int look = looks.incrementAndGet() % 4;
            if (look == 0) {
                throw AlertException.INSTANCE;
            }
            return look == 1 ? sequence - 1 : super.waitFor(sequence, cursor, dependent, barrier);
        }
    }
}
