package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A producer that nobody has used yet is closed by one thread while another makes its first claim by it: one of the two is refused. */
@Timeout(60)
class UnboundCloseTest {
    private static final int CAPACITY = 8;

    private static void onAnotherThread(Runnable body) {
        try {
            Rings.onOwnThread(body);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Closed by another thread once its first claim has found it open. */
    private static final class ClosedWithinClaim extends MultiProducer<long[]> {
        private boolean closes = true;

        ClosedWithinClaim(MultiProducerRing<long[]> ring) {
            super(ring, ring.claims, ring.stamps);
        }

        @Override
        long lastOf(long next, int n) {
            if (closes) {
                closes = false;
                onAnotherThread(this::close);
            }
            return super.lastOf(next, n);
        }

        @Override
        long[] slot(long sequence) {
            return ring.get(sequence);
        }
    }

    @Test
    void aFirstClaimOfManyLeavesNothingBehind() {
        for (int form = 0; form < 3; form++) {
            MultiProducerRing<long[]> ring = (MultiProducerRing<long[]>) Rings.ring(false, CAPACITY);
            MultiProducer<long[]> producer = new ClosedWithinClaim(ring);
            switch (form) {
                case 0 -> assertThat(producer.tryNext(1)).isEqualTo(Producer.CLOSED);
                case 1 -> assertThatThrownBy(producer::next).isInstanceOf(RingClosedException.class);
                default -> assertThat(producer.next(1, Rings.LONG)).isEqualTo(Producer.CLOSED);
            }
            assertThat(producer.tryNext(1)).isEqualTo(Producer.CLOSED);
            assertThat(ring.highestClaimed()).isEqualTo(-1);
            assertThat(ring.drain(0).isNone()).isTrue();
        }
    }

    /** Lets another thread claim once its closer has found it unused. */
    private static final class ClaimedWithinClose extends SingleProducer<long[]> {
        volatile Rings.Caller claimer;
        volatile long granted = Long.MIN_VALUE;
        private volatile boolean claims;

        ClaimedWithinClose(SingleProducerRing<long[]> ring) {
            super(ring, ring.cursor);
            claims = true;
        }

        @Override
        long published() {
            if (claims && Thread.holdsLock(ring.recovery)) {
                claims = false;
                claimer = new Rings.Caller(() -> granted = tryNext(1));
                Thread.State state;
                do {
                    Thread.onSpinWait();
                    state = claimer.thread.getState();
                } while (state != Thread.State.TERMINATED && state != Thread.State.BLOCKED);
            }
            return super.published();
        }

        @Override
        long[] slot(long sequence) {
            return ring.get(sequence);
        }
    }

    @Test
    void aFirstClaimOfTheOneProducerFindsItClosed() throws Exception {
        ClaimedWithinClose producer = new ClaimedWithinClose((SingleProducerRing<long[]>) Rings.ring(true, CAPACITY));
        producer.close();
        assertThat(producer.claimer.result()).isNull();
        assertThat(producer.granted).isEqualTo(Producer.CLOSED);
        assertThat(producer.claimedOpaque()).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUnusedOneThatIsClosedIsClosedToAll(boolean single) {
        Producer<long[]> producer = Rings.ring(single, CAPACITY).producer();
        onAnotherThread(producer::close);
        assertThat(producer.tryNext(1)).isEqualTo(Producer.CLOSED);
        onAnotherThread(() -> assertThat(producer.tryNext(1)).isEqualTo(Producer.CLOSED));
        onAnotherThread(() -> assertThatThrownBy(producer::next).isInstanceOf(RingClosedException.class));
        producer.close();
        onAnotherThread(producer::close);
    }
}
