package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two producers that claim as fast as they can: a claim that loses is kept in mind, so that frequent losses can be told. */
@Timeout(20)
class ContendedClaimsTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLostClaimOfAnObjectIsKeptInMind(boolean fast) throws InterruptedException {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1]).build();
        loseAClaim((MultiProducer<?>) ring.producer(), (MultiProducer<?>) ring.producer(), fast);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLostClaimOfAMessageIsKeptInMind(boolean fast) throws InterruptedException {
        MessageRing ring = (MessageRing) RingBufferBuilder.messages(65_536).build();
        loseAClaim((MultiProducer<?>) ring.newMessageClaims(), (MultiProducer<?>) ring.newMessageClaims(), fast);
    }

    private static void loseAClaim(MultiProducer<?> one, MultiProducer<?> other, boolean fast)
            throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Thread rival = new Thread(() -> {
            while (!over.get()) {
                long hi = other.next(1);
                other.publishClaimed(other.claimedFrom(), hi);
            }
        });
        rival.start();
        boolean lost = false;
        try {
            while (!lost && !Thread.currentThread().isInterrupted()) {
                long before = one.lastLoss;
                long hi = fast ? one.claimFast(1) : one.claimSlow(1);
                lost = one.lastLoss != before;
                if (hi < 0) {
                    hi = one.claimSlow(1); // it reads how far consumers are, and may lose itself
                }
                one.publishClaimed(one.claimedFrom(), hi);
            }
        } finally {
            over.set(true);
            rival.join();
        }
        assertThat(lost).isTrue();
    }
}
