package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that come, lose a claim and go without a further call leave no trace that grows. */
@Timeout(60)
class EndedProducersTest {
    private static final int THREADS = 100;

    /** More are looked through at each doubling only. */
    private static final int FEW = 40;

    private static void abortWhatIsOpen(RingBuffer<?> ring) {
        assertThat(Objects.requireNonNull(StalledClaimDetector.of(ring).look(0)).abort())
                .isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endedProducersWhoseClaimsWereAbortedInTheirSteadAreForgotten(boolean bytes) throws Exception {
        RingBuffer<Object> ring =
                Words.ring(bytes, 1).capacity(256).trackClaims().build();
        for (int i = 0; i < THREADS; i++) {
            Rings.onOwnThread(() -> {
                ring.producer().next();
                abortWhatIsOpen(ring); // as others would, while this thread lives
            });
        }
        assertThat(((MultiProducerRing<Object>) ring).knownProducers()).isLessThan(FEW);
        assertThat(((TrackedMultiProducer<Object>) ring.producer()).number)
                .as("the numbers of the forgotten ones are free")
                .isLessThan(FEW);
    }

    @Test
    void endedProducersOfMessagesWhoseClaimsWereAbortedInTheirSteadAreForgotten() throws Exception {
        RingBuffer<Messages> ring =
                RingBufferBuilder.messages(8 << 10).trackClaims().build();
        for (int i = 0; i < THREADS; i++) {
            Rings.onOwnThread(() -> {
                assertThat(MessageProducer.of(ring).tryClaim(1, 8)).isNotNegative();
                abortWhatIsOpen(ring);
            });
        }
        assertThat(((MessageMultiRing) ring).knownProducers()).isLessThan(FEW);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void producersWhoseThreadsHaveEndedAreNotCountedAsOpen(boolean tracked) throws Exception {
        RingBufferBuilder<long[]> builder = Rings.ringBuilder(false, 256);
        RingBuffer<long[]> ring = (tracked ? builder.trackClaims() : builder).build();
        for (int i = 0; i < THREADS; i++) {
            Rings.onOwnThread(() -> Rings.publish(ring.producer(), 1));
        }
        assertThat(ring.leftover().openProducers()).isZero();
        Producer<long[]> living = ring.producer();
        Rings.publish(living, 1);
        assertThat(ring.leftover().openProducers()).isEqualTo(1);
        assertThat(FollowedRing.of(ring).producersContend()).isFalse();
        Producer<long[]> other = ring.producer();
        assertThat(FollowedRing.of(ring).producersContend()).isTrue();
        other.close();
        assertThat(FollowedRing.of(ring).producersContend()).isFalse();
        living.close();
        assertThat(ring.leftover().openProducers()).isZero();
    }

    /** Who has ended publishes nothing more. Its ring still wants it closed before the next one. */
    @ParameterizedTest
    @ValueSource(strings = {"plain", "tracked", "bytes"})
    void theOneProducerWhoseThreadHasEndedIsNotCountedAsOpen(String kind) throws Exception {
        RingBufferBuilder<Object> builder =
                Words.ring(kind.equals("bytes"), 1).capacity(256).singleProducer();
        RingBuffer<Object> ring = (kind.equals("tracked") ? builder.trackClaims() : builder).build();
        List<Producer<Object>> ended = new ArrayList<>();
        Rings.onOwnThread(() -> {
            ended.add(ring.producer());
            ended.get(0).publishEvent((event, sequence) -> {});
            assertThat(ring.leftover().openProducers()).as("while it lives").isEqualTo(1);
        });
        assertThat(ring.leftover().openProducers()).isZero();
        assertThatThrownBy(ring::producer).hasMessageContaining("close the last one first");
        ended.get(0).close();
        ring.producer().publishEvent((event, sequence) -> {});
        assertThat(ring.leftover().openProducers()).isEqualTo(1);
    }

    /** A forgotten producer may be closed all the same: nobody else is uncounted for it. */
    @Test
    void aProducerThatIsClosedAfterItWasForgottenIsNotUncountedTwice() throws Exception {
        RingBuffer<long[]> ring = Rings.ring(false, 256);
        List<Producer<long[]>> ended = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Rings.onOwnThread(() -> {
                ended.add(ring.producer());
                Rings.publish(ended.get(ended.size() - 1), 1);
            });
        }
        Producer<long[]> first = ring.producer();
        Producer<long[]> second = ring.producer();
        Rings.publish(first, 1);
        Rings.publish(second, 1);
        ended.forEach(Producer::close);
        assertThat(ring.leftover().openProducers()).isEqualTo(2);
        assertThat(FollowedRing.of(ring).producersContend()).isTrue();
    }

    /** What is open stays with its owner, so that it can be aborted. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endedProducersWithAnOpenClaimAreKept(boolean tracked) throws Exception {
        RingBufferBuilder<long[]> builder = Rings.ringBuilder(false, 256);
        RingBuffer<long[]> ring = (tracked ? builder.trackClaims() : builder).build();
        for (int i = 0; i < THREADS; i++) {
            Rings.onOwnThread(() -> ring.producer().next());
        }
        assertThat(((MultiProducerRing<long[]>) ring).knownProducers()).isEqualTo(THREADS);
        for (int i = 0; i < THREADS; i++) {
            abortWhatIsOpen(ring);
        }
        assertThat(ring.leftover().openClaims()).isZero();
        assertThat(((MultiProducerRing<long[]>) ring).knownProducers()).isZero();
    }
}
