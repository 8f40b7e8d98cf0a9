package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.Sequence;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        return ring(bytes, false);
    }

    private static RingBuffer<Object> ring(boolean bytes, boolean tracked) {
        RingBufferBuilder<Object> builder =
                Words.ring(bytes, 1).capacity(CAPACITY).multiProducer();
        return (tracked ? builder.trackClaims() : builder).build();
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

    /** A claim that is open while others overtake it: published, aborted or given up, it is open no more. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void whatIsOvertakenIsSettledLikeAnyOther(boolean bytes, boolean tracked) {
        List<BiConsumer<Producer<Object>, Long>> ends = List.of(
                Producer::publish,
                (producer, hi) -> producer.publish(hi - 2, hi),
                (producer, hi) -> producer.abort(hi - 2, hi),
                (producer, hi) -> producer.close());
        for (int end = 0; end < ends.size(); end++) {
            RingBuffer<Object> ring = ring(bytes, tracked);
            Producer<Object> slow = ring.producer();
            Producer<Object> fast = ring.producer();
            publish(slow, 2);
            long hi = slow.next(end == 0 ? 1 : 3);
            publish(fast, 2 * CAPACITY + 1);
            ends.get(end).accept(slow, hi);
            if (end < 3) {
                assertThat(((AbstractProducer<Object>) slow).openClaimCount()).isZero();
                publish(slow, 2);
            }
            checkWhole(ring, ((WatchedClaims) ring).highestClaimed());
        }
    }

    /** Its own claims may overtake one another, too. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void aProducerMayOvertakeItself(boolean bytes, boolean tracked) {
        RingBuffer<Object> ring = ring(bytes, tracked);
        Producer<Object> producer = ring.producer();
        assertThat(producer.next(3)).isEqualTo(2);
        assertThat(producer.next(CAPACITY)).isEqualTo(CAPACITY + 2);
        producer.publish(3, CAPACITY + 2);
        producer.publish(0, 2);
        assertThat(((AbstractProducer<Object>) producer).openClaimCount()).isZero();
        publish(producer, 1);
        checkWhole(ring, CAPACITY + 3);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void formsOfATrackedRingAreHarmlessToo(boolean bytes) {
        for (Form form : FORMS) {
            RingBuffer<Object> ring = ring(bytes, true);
            Producer<Object> slow = ring.producer();
            Producer<Object> fast = ring.producer();
            publish(slow, 2);
            try {
                form.publish(slow, () -> publish(fast, 2 * CAPACITY));
            } catch (ClaimAbortedException overtaken) {
                assertThat(overtaken)
                        .hasMessageStartingWith("sequences ")
                        .hasMessageEndingWith(" must be open, but no consumer gates the ring,"
                                + " and others have claimed their slots again: claim again");
            }
            AbstractProducer<Object> own = (AbstractProducer<Object>) slow;
            assertThat(own.isClosed() || own.openClaimCount() == 0).isTrue();
            checkWhole(ring, ((WatchedClaims) ring).highestClaimed());
        }
    }

    /** The slot is another's by now. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theEventOfAnOvertakenClaimIsNotHandedOutWhereClaimsAreTracked(boolean bytes) {
        RingBuffer<Object> ring = ring(bytes, true);
        Producer<Object> slow = ring.producer();
        long open = slow.next();
        publish(ring.producer(), CAPACITY);
        assertThatThrownBy(() -> slow.get(open))
                .isInstanceOf(ClaimAbortedException.class)
                .hasMessage("sequences 0 to 0 must be open, but no consumer gates the ring,"
                        + " and others have claimed their slots again: claim again");
        slow.publish(open);
        assertThat(((AbstractProducer<Object>) slow).openClaimCount()).isZero();
    }
}
