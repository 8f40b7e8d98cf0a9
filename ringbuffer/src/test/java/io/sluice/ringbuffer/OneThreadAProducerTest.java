package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.Rings.Caller;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A producer belongs to the thread that used it first. */
@Timeout(60)
class OneThreadAProducerTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void twoThreadsOnOneProducerAreFoundAtOnceWhereAssertionsAreEnabled(boolean single) throws Exception {
        Producer<long[]> producer = ring(single, 4).producer();
        publish(producer, 1);
        assertThat(new Caller(() -> producer.next(1)).result())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("used by one thread only");
        producer.next(1);
        assertThat(new Caller(() -> producer.publish(1, 1)).result()).isInstanceOf(IllegalStateException.class);
        producer.publish(1, 1);
    }

    /** A compare-and-set decides: a producer that two threads hold for their own has no owner to go by. */
    @Test
    @Tag("concurrency")
    void ofTwoThreadsThatClaimFirstAtOnceOneOwnsTheProducer() throws Exception {
        RingBuffer<long[]> ring = ring(false, 4);
        AtomicInteger made = new AtomicInteger();
        AtomicInteger arrived = new AtomicInteger();
        AtomicInteger bound = new AtomicInteger();
        AtomicReference<AbstractProducer<long[]>> producer = new AtomicReference<>();
        AtomicBoolean over = new AtomicBoolean();
        List<Caller> both = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            boolean leads = i == 0;
            both.add(new Caller(() -> {
                for (int round = 0; round < 1_000 && !over.get(); round++) {
                    int all = 2 * round;
                    meet(() -> arrived.get() >= all || over.get());
                    if (leads) {
                        assertThat(bound.get())
                                .as("owners of %d producers", round)
                                .isEqualTo(round);
                        producer.set((AbstractProducer<long[]>) ring.producer());
                        made.incrementAndGet();
                    } else {
                        int before = round;
                        meet(() -> made.get() > before || over.get());
                    }
                    try {
                        producer.get().bindOwner();
                        bound.incrementAndGet();
                    } catch (IllegalStateException e) {
                        assertThat(producer.get().owner()).isNotSameAs(Thread.currentThread());
                    }
                    arrived.incrementAndGet();
                }
            }));
        }
        try {
            for (Caller one : both) {
                assertThat(one.result()).isNull();
            }
            assertThat(bound.get()).isEqualTo(1_000);
        } finally {
            over.set(true);
        }
    }

    /** Spins for a moment, so that both go on at once, and then lets others run. */
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    private static void meet(BooleanSupplier condition) {
        for (int spins = 0; !condition.getAsBoolean(); spins++) {
            if (spins < 2_000) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** A thread that goes on with an ended one's producer is refused, and takes one of its own. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("concurrency")
    void aWorkerThatFollowsADeadOneTakesAProducerOfItsOwn(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        Rings.onOwnThread(() -> publish(producer, 4));
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 4)).isEqualTo(4);
        assertThatThrownBy(() -> producer.next(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("each thread takes its own from the ring");
        producer.close();
        try (Producer<long[]> own = ring.producer()) {
            publish(own, 4);
        }
        assertThat(poller.poll((event, sequence, endOfBatch) -> {}, 4)).isEqualTo(4);
        assertThat(ring.drain(0).isNone()).isTrue();
    }
}
