package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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
