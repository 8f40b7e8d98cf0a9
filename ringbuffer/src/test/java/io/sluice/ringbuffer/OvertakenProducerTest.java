package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Sequence;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where nobody gates, others may overtake a slow producer by a lap and more. What it publishes then takes nothing back. */
@Timeout(60)
class OvertakenProducerTest {
    private static final int CAPACITY = 8;

    private interface Form {
        void publish(Producer<Object> producer, Runnable within);
    }

    private static final class Planned extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final List<Form> FORMS = List.of(
            (producer, within) -> producer.publishEvent((event, sequence) -> within.run()),
            (producer, within) -> producer.publishEvents((event, sequence, index) -> runFirst(index, within), 3),
            (producer, within) -> {
                try {
                    producer.publishEvent((event, sequence) -> {
                        within.run();
                        throw new Planned();
                    });
                } catch (Planned expected) {
                    // the claim is aborted
                }
            },
            (producer, within) -> {
                producer.next(3);
                within.run();
                producer.close();
            });

    private static void runFirst(int index, Runnable within) {
        if (index == 0) {
            within.run();
        }
    }

    private static void publish(Producer<Object> producer, int n) {
        for (int i = 0; i < n; i++) {
            producer.publishEvent((event, sequence) -> Words.set(event, sequence, 0, sequence));
        }
    }

    private static RingBuffer<Object> ring(boolean bytes) {
        return Words.ring(bytes, 1).capacity(CAPACITY).multiProducer().build();
    }

    private static void checkWhole(RingBuffer<Object> ring, long published) {
        assertThat(ring.cursor().get()).isEqualTo(published);
        for (long sequence = published - CAPACITY + 1; sequence <= published; sequence++) {
            assertThat(ring.newBarrier().available(sequence)).isEqualTo(published);
        }
        assertThat(ring.leftover().openClaims()).isZero();
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whereNobodyHasEverGated(boolean bytes) {
        for (int before : new int[] {0, 5, CAPACITY}) {
            for (Form form : FORMS) {
                RingBuffer<Object> ring = ring(bytes);
                Producer<Object> slow = ring.producer();
                Producer<Object> fast = ring.producer();
                publish(slow, before);
                long[] published = new long[1];
                form.publish(slow, () -> {
                    publish(fast, 2 * CAPACITY);
                    published[0] = ring.cursor().get();
                });
                assertThat(published[0]).isEqualTo(((WatchedClaims) ring).highestClaimed());
                checkWhole(ring, published[0]);
            }
        }
    }

    /** Claimed while a consumer gated, published when it had left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whereTheLastConsumerHasLeftMeanwhile(boolean bytes) {
        for (Form form : FORMS) {
            RingBuffer<Object> ring = ring(bytes);
            Sequence consumer = new Sequence();
            ring.addGating(consumer);
            Producer<Object> slow = ring.producer();
            Producer<Object> fast = ring.producer();
            publish(fast, 2);
            publish(slow, 2);
            form.publish(slow, () -> {
                ring.removeGating(consumer);
                publish(fast, 2 * CAPACITY);
            });
            checkWhole(ring, ((WatchedClaims) ring).highestClaimed());
        }
    }
}
