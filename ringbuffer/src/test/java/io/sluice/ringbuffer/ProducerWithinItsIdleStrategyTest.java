package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An idle strategy that closes or uses the producer that waits with it: nothing is lost, doubled or left open without a word. */
@Timeout(60)
class ProducerWithinItsIdleStrategyTest {
    private static final int CAPACITY = 4;

    record Kind(String name, UnaryOperator<RingBufferBuilder<long[]>> settings) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind("single", RingBufferBuilder::singleProducer),
                new Kind("multi", RingBufferBuilder::multiProducer),
                new Kind("tracked single", b -> b.singleProducer().trackClaims()),
                new Kind("tracked multi", b -> b.multiProducer().trackClaims()));
    }

    /** A ring with a consumer, which is run by the producer's idle strategy, on a thread of its own. */
    private static final class Followed implements IdleStrategy {
        final RingBuffer<long[]> ring;
        final List<Long> handled = new ArrayList<>();
        final EventProcessor consumer;
        Runnable eachIdle = () -> {};
        Runnable inIdle = () -> {};
        Runnable inReset = () -> {};

        Followed(Kind kind) {
            ring = kind.settings()
                    .apply(RingBufferBuilder.of(() -> new long[1]).capacity(CAPACITY))
                    .producersIdle(() -> this)
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.add(event[0]));
            consumer = pipeline.startProcessors().get(0);
        }

        void publish(Producer<long[]> producer, long value) {
            producer.publishEvent((event, sequence, given) -> event[0] = given, value);
        }

        /** A producer whose next claim waits. */
        Producer<long[]> waiting() {
            Producer<long[]> producer = ring.producer();
            for (int i = 0; i < CAPACITY; i++) {
                publish(producer, i);
            }
            return producer;
        }

        void consume() {
            exhaustElsewhere(consumer);
        }

        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            eachIdle.run();
            consume();
            inIdle.run();
            inIdle = () -> {};
        }

        @Override
        public void reset() {
            Runnable now = inReset;
            inReset = () -> {};
            now.run();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aProducerThatIsClosedAtTheEndOfItsWaitClaimsNothing(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        followed.inReset = producer::close;
        assertThatThrownBy(() -> followed.publish(producer, 99)).isInstanceOf(RingClosedException.class);
        checkGoesOn(followed);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aProducerThatIsClosedWithinItsWaitDoesNotCountAsWaitingAnyMore(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        followed.inIdle = producer::close;
        assertThatThrownBy(() -> followed.publish(producer, 99)).isInstanceOf(RingClosedException.class);
        List<Boolean> waiting = new ArrayList<>();
        ((ObjectRing<long[]>) followed.ring).forEachProducer(counters -> waiting.add(counters.isWaiting()));
        assertThat(waiting).containsExactly(false);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aProducerThatIsClosedWithinItsWaitClaimsNothing(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        followed.inIdle = producer::close;
        assertThatThrownBy(() -> followed.publish(producer, 99)).isInstanceOf(RingClosedException.class);
        checkGoesOn(followed);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoClaimsByAProducerThatIsClosedAtTheEndOfItsWaitIsToldSo(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        followed.inReset = producer::close;
        assertThat(producer.next(2, Rings.LONG)).isEqualTo(Producer.CLOSED);
        checkGoesOn(followed);
    }

    /** The next producer publishes at the end of the wait of the one that is closed. */
    @ParameterizedTest
    @MethodSource("kinds")
    void itsSuccessorLosesNothing(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        followed.inReset = () -> {
            producer.close();
            Producer<long[]> next = followed.ring.producer();
            followed.publish(next, 4);
            next.close();
        };
        assertThat(producer.next(1, Rings.LONG)).isEqualTo(Producer.CLOSED);
        followed.consume();
        assertThat(followed.handled).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(followed.ring.drain(0).isNone()).isTrue();
    }

    private static void checkGoesOn(Followed followed) {
        Producer<long[]> next = followed.ring.producer();
        followed.publish(next, 4);
        next.close();
        followed.consume();
        assertThat(followed.handled).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(followed.ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsPublishedByTheSameProducerWithinItsWaitIsNotPublishedOver(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        followed.inIdle = () -> followed.publish(producer, 4);
        followed.publish(producer, 5);
        followed.consume();
        assertThat(followed.handled).containsExactly(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(followed.ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsPublishedByTheSameProducerAtTheEndOfItsWaitIsNotPublishedOver(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        followed.inReset = () -> followed.publish(producer, 4);
        followed.publish(producer, 5);
        followed.consume();
        assertThat(followed.handled).containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 5L);
        assertThat(followed.ring.drain(0).isNone()).isTrue();
    }

    /** What is published at the end of the wait takes all the room again. */
    @ParameterizedTest
    @MethodSource("kinds")
    void aProducerThatWaitsOnBehindTheEndOfItsWaitIsSaidToWait(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<long[]> producer = followed.waiting();
        List<Integer> waiting = new ArrayList<>();
        int[] steps = {0};
        int[] resets = {0};
        followed.eachIdle = () -> {
            waiting.add(RingMonitor.of(followed.ring).producersWaiting());
            steps[0]++;
        };
        followed.inReset = () -> {
            resets[0]++;
            while (producer.tryPublishEvent((event, sequence) -> event[0] = 9) >= 0) {}
            followed.inReset = () -> resets[0]++;
        };
        long began = System.nanoTime();
        followed.publish(producer, 5);
        long took = System.nanoTime() - began;
        assertThat(waiting).as("at each step").isNotEmpty().containsOnly(1);
        assertThat(resets[0]).as("ends of a wait").isEqualTo(steps[0]);
        assertThat(RingMonitor.of(followed.ring).producersWaiting())
                .as("behind it")
                .isZero();
        ((ObjectRing<long[]>) followed.ring).forEachProducer(counters -> {
            assertThat(counters.stalls()).isEqualTo(steps[0]);
            assertThat(counters.stalledNanos()).isPositive().isLessThan(took);
        });
    }

    /** It begins elsewhere then, and needs another padding. */
    @Test
    void aMessageThatBeginsElsewhereBehindItsWaitKeepsToItsTimeLimit() {
        long limit = TimeUnit.MILLISECONDS.toNanos(300);
        List<Runnable> steps = new ArrayList<>();
        IdleStrategy idle = new IdleStrategy() {
            @Override
            public void idle(int workCount) {
                idle();
            }

            @Override
            public void idle() {
                steps.remove(0).run();
            }

            @Override
            public void reset() {}
        };
        RingBuffer<Messages> ring = RingBufferBuilder.messages(64)
                .singleProducer()
                .producersIdle(() -> idle)
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((MessageHandler) (type, buffer, offset, length, sequence, last) -> {});
        EventProcessor consumer = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer nothing = SafeBuffer.allocate(0);
        for (int i = 0; i < 10; i++) { // the last 8 are not consumed
            if (i == 2) {
                exhaustElsewhere(consumer);
            }
            assertThat(producer.offer(1, nothing, 0, 0)).isEqualTo(i);
        }
        List<Long> stepsAt = new ArrayList<>();
        Runnable slow = () -> {
            long at = System.nanoTime();
            stepsAt.add(at);
            while (System.nanoTime() - at < limit * 5 / 6) {
                LockSupport.parkNanos(limit / 6);
            }
        };
        steps.add(() -> {
            slow.run();
            exhaustElsewhere(consumer);
            for (int i = 10; i < 15; i++) { // up to the last place but one before the end of the buffer
                assertThat(producer.offer(1, nothing, 0, 0)).isEqualTo(i);
            }
        });
        steps.addAll(List.of(slow, slow, slow));
        long began = System.nanoTime();
        assertThat(producer.claim(1, 8, limit)).isEqualTo(Producer.TIMED_OUT);
        assertThat(stepsAt).allMatch(at -> at - began < limit + limit / 3);
    }

    /** Messages of all lengths, so that the one within the wait leaves the other one more or less room up to the end of the buffer. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageThatIsPublishedByTheSameProducerWithinAWaitIsNotPublishedOver(boolean single) {
        List<Integer> published = new ArrayList<>();
        List<Integer> handled = new ArrayList<>();
        SafeBuffer bytes = SafeBuffer.allocate(32);
        Runnable[] inWait = {null};
        IdleStrategy idle = new IdleStrategy() {
            @Override
            public void idle(int workCount) {
                idle();
            }

            @Override
            public void idle() {
                Runnable now = inWait[0];
                inWait[0] = null;
                now.run();
            }

            @Override
            public void reset() {}
        };
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).producersIdle(() -> idle);
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder.multiProducer()).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((MessageHandler) (type, buffer, offset, length, sequence, last) -> {
            assertThat(length).isEqualTo(type % 33);
            handled.add(type);
        });
        EventProcessor consumer = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        int type = 0;
        for (int round = 0; round < 2_000; round++) {
            int nested = ++type;
            while (producer.offer(type + 1, bytes, 0, (type + 1) % 33) >= 0) {
                published.add(++type);
            }
            int own = 100_000 * 33 + type + 1 + round % 33;
            int within = 200_000 * 33 + nested;
            inWait[0] = () -> {
                exhaustElsewhere(consumer);
                assertThat(producer.offer(within, bytes, 0, within % 33)).isNotNegative();
                published.add(within);
            };
            long sequence = producer.claim(own, own % 33, Rings.LONG);
            producer.commit(sequence);
            published.add(own);
        }
        exhaustElsewhere(consumer);
        assertThat(handled).isEqualTo(published);
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    private static void exhaustElsewhere(EventProcessor consumer) {
        try {
            Rings.onOwnThread(() -> Rings.exhaust(consumer));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
