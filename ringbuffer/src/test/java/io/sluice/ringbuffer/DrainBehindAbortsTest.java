package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A drain by a thread that polls: aborted claims alone are nothing that it would wait for itself for. */
@Timeout(60)
@Tag("concurrency")
class DrainBehindAbortsTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoHasOnlyAbortedClaimsBeforeItMayWaitForOthers(boolean single) throws Exception {
        assertThat(drainWhileOneIsOpen(single, true).isNone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoHasAnEventBeforeItMayNot(boolean single) {
        assertThatThrownBy(() -> drainWhileOneIsOpen(single, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("which is behind, so it would wait for itself");
    }

    /** Another thread aborts a claim, and aborts or publishes a second one once the drain is under way. */
    private static Ring.Leftover drainWhileOneIsOpen(boolean single, boolean aborts) throws Exception {
        RingBuffer<long[]> ring = Rings.ring(single, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        poller.poll((event, sequence, endOfBatch) -> {}, 1); // this thread runs it from now on
        CountDownLatch isOpen = new CountDownLatch(1);
        Rings.Caller other = new Rings.Caller(() -> {
            Producer<long[]> producer = ring.producer();
            long first = producer.next();
            producer.abort(first, first);
            long open = producer.next();
            isOpen.countDown();
            Rings.await("the drain", () -> ring.state() == State.DRAINING);
            if (aborts) {
                producer.abort(open, open);
            } else {
                producer.publish(open);
            }
            producer.close();
        });
        isOpen.await();
        try {
            return ring.drain(Rings.LONG);
        } finally {
            assertThat(other.result()).isNull();
        }
    }
}
