package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a ring that tracks claims an abort in the owner's stead takes what it names, and nothing behind it. */
@Timeout(60)
class ClaimBehindAnAbortTest {
    private static final int CAPACITY = 1 << 14;

    /** So many that the abort is still at work when the owner asks. */
    private static final int MANY = CAPACITY - 8;

    @Test
    @Tag("concurrency")
    void aClaimBehindTheOneThatIsBeingAbortedIsItsOwnersStill() throws Exception {
        for (int round = 0; round < 20; round++) {
            RingBuffer<long[]> ring =
                    Rings.ringBuilder(true, CAPACITY).trackClaims().build();
            Producer<long[]> producer = ring.producer();
            AtomicInteger step = new AtomicInteger();
            Rings.Caller owner = new Rings.Caller(() -> {
                producer.next(MANY);
                step.set(1);
                Rings.await("a look at the claim", () -> step.get() == 2);
                long last = producer.next(3);
                step.set(3);
                while (step.get() == 3) {
                    producer.get(last - 1)[0] = 7;
                }
                producer.publish(last - 2, last);
            });
            Rings.await("the claim", () -> step.get() == 1);
            AbandonedClaim claim =
                    Objects.requireNonNull(StalledClaimDetector.of(ring).look(0));
            assertThat(claim.highest()).isEqualTo(MANY - 1);
            step.set(2);
            Rings.await("the claim behind it", () -> step.get() == 3);
            long aborted = claim.abort();
            step.set(4);
            assertThat(owner.result()).as("round %d", round).isNull();
            assertThat(aborted).isEqualTo(MANY);
            assertThat(ring.cursor().get()).isEqualTo(MANY + 2);
            assertThat(ring.get(MANY + 1)[0]).isEqualTo(7);
        }
    }
}
