package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

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
