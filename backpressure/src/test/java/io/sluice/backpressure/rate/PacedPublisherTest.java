package io.sluice.backpressure.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.backpressure.VirtualClock;
import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacedPublisherTest {
    private static final long MS = 1_000_000;

    private final VirtualClock clock = new VirtualClock(0);
    private final RateLimiter limiter = RateLimiter.singleWriter(clock, 64);
    private final List<List<Integer>> sent = new ArrayList<>();
    private final PacedPublisher<Integer> publisher =
            new PacedPublisher<>(limiter, 4, new Ticking(), batch -> sent.add(List.copyOf(batch)));

    /** Waiting is time going by. */
    private class Ticking implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            clock.now += MS / 10;
        }

        @Override
        public void reset() {}
    }

    @Test
    void unlimitedEachMessageGoesAtOnceWithoutAClock() {
        for (int i = 0; i < 3; i++) {
            assertThat(publisher.tryPublish(i)).isTrue();
        }
        assertThat(sent).containsExactly(List.of(0), List.of(1), List.of(2));
        assertThat(clock.reads).isZero();
        assertThat(publisher.nanosUntilSent()).isZero();
    }

    @Test
    void nearTheLimitTheBatchGrowsBeforeAnythingIsRefused() {
        limiter.setRate(1000); // one a millisecond
        for (int i = 0; i < 4; i++) {
            assertThat(publisher.tryPublish(i)).isTrue();
        }
        assertThat(sent).isEmpty();
        assertThat(publisher.pending()).isEqualTo(4);
        assertThat(publisher.tryPublish(4)).isFalse();
        clock.now += 4 * MS;
        assertThat(publisher.tryPublish(4)).isTrue();
        assertThat(sent).containsExactly(List.of(0, 1, 2, 3));
        assertThat(publisher.pending()).isEqualTo(1);
        assertThat(publisher.nanosUntilSent()).isEqualTo(2 * MS);
        clock.now += MS;
        assertThat(publisher.tryFlush()).isTrue();
        assertThat(sent).containsExactly(List.of(0, 1, 2, 3), List.of(4));
        assertThat(publisher.tryFlush()).isTrue();
    }

    /** It would find its own batch there still, and send it again from the start. */
    @Test
    void aSenderThatPublishesToItsOwnPublisherIsRefusedAndNothingGoesTwice() {
        List<Integer> out = new ArrayList<>();
        AtomicReference<PacedPublisher<Integer>> own = new AtomicReference<>();
        own.set(new PacedPublisher<>(limiter, 4, new Ticking(), batch -> {
            for (int i = 0; i < batch.size(); i++) {
                out.add(batch.get(i));
                assertThatThrownBy(() -> own.get().tryPublish(9))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("publish must be called once the sender has returned, but the sender is at work:"
                                + " the same messages would go again");
                assertThatThrownBy(() -> own.get().flush(0))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith("flush must be called once the sender has returned");
            }
            if (out.size() == 3) {
                throw new IllegalArgumentException("mine");
            }
        }));
        limiter.setRate(1000); // one a millisecond
        own.get().tryPublish(1);
        own.get().tryPublish(2);
        clock.now += 10 * MS;
        assertThat(own.get().tryFlush()).isTrue();
        assertThat(out).containsExactly(1, 2);
        assertThatThrownBy(() -> own.get().tryPublish(3)).hasMessage("mine");
        assertThat(own.get().tryPublish(4)).as("after a sender that threw").isTrue();
        assertThat(out).containsExactly(1, 2, 3, 4);
        assertThat(own.get().pending()).isZero();
    }

    /** What the permits are waited for would change meanwhile: more would go than they allow, or a batch of nothing. */
    @ParameterizedTest
    @Timeout(60)
    @ValueSource(strings = {"flush", "publish"})
    void anIdleStrategyThatUsesThePublisherThatWaitsIsRefusedAndTheLimitHolds(String waits) {
        AtomicReference<PacedPublisher<Integer>> own = new AtomicReference<>();
        List<String> refused = new ArrayList<>();
        Ticking uses = new Ticking() {
            @Override
            public void idle() {
                super.idle();
                for (Runnable call : List.<Runnable>of(
                        () -> own.get().tryPublish(9),
                        () -> own.get().publish(9, 0),
                        () -> own.get().tryFlush(),
                        () -> own.get().flush(0))) {
                    try {
                        call.run();
                    } catch (IllegalStateException e) {
                        refused.add(e.getMessage());
                    }
                }
            }
        };
        own.set(new PacedPublisher<>(limiter, 4, uses, batch -> sent.add(List.copyOf(batch))));
        limiter.setRate(1000); // one a millisecond
        for (int i = 0; i < 4; i++) {
            own.get().tryPublish(i);
        }
        assertThat(waits.equals("flush") ? own.get().flush(100 * MS) : own.get().publish(4, 100 * MS))
                .isTrue();
        assertThat(sent).containsExactly(List.of(0, 1, 2, 3));
        assertThat(own.get().pending()).isEqualTo(waits.equals("flush") ? 0 : 1);
        String reason = " must be called once the wait for permits has ended, but its idle strategy is at work: the"
                + " permits would be for other messages";
        assertThat(refused).hasSizeGreaterThan(4).containsOnly("publish" + reason, "flush" + reason);
        assertThat(refused.subList(0, 4))
                .containsExactly("publish" + reason, "publish" + reason, "flush" + reason, "flush" + reason);
    }

    @Test
    void behindAnIdleStrategyThatThrewThePublisherGoesOn() {
        Ticking throwing = new Ticking() {
            @Override
            public void idle() {
                super.idle();
                throw new IllegalArgumentException("mine");
            }
        };
        PacedPublisher<Integer> own = new PacedPublisher<>(limiter, 4, throwing, batch -> sent.add(List.copyOf(batch)));
        limiter.setRate(1000);
        own.tryPublish(1);
        assertThatThrownBy(() -> own.flush(100 * MS)).hasMessage("mine");
        clock.now += 10 * MS;
        assertThat(own.tryFlush()).isTrue();
        assertThat(sent).containsExactly(List.of(1));
    }

    /** One cannot ask a limiter about more than it grants at once, so a full batch of that size is told of alone. */
    @Test
    void behindTheLargestBatchTheTimeIsThatOfTheBatch() {
        PacedPublisher<Integer> large = new PacedPublisher<>(
                limiter, limiter.maxAcquire(), new Ticking(), batch -> sent.add(List.copyOf(batch)));
        limiter.setRate(1000);
        for (int i = 0; i < limiter.maxAcquire(); i++) {
            large.tryPublish(i);
        }
        assertThat(large.nanosUntilSent()).isEqualTo(32 * MS);
        clock.now += 32 * MS;
        assertThat(large.nanosUntilSent()).as("the batch would go at once").isZero();
        assertThat(large.tryPublish(32)).isTrue();
        assertThat(sent).hasSize(1);
        assertThat(large.pending()).as("the message waits for a permit").isEqualTo(1);
        assertThat(large.nanosUntilSent()).isPositive();
    }

    @Test
    void behindAFullBatchOfFewerMessagesTheTimeIsThatOfTheMessage() {
        limiter.setRate(1000);
        for (int i = 0; i < 4; i++) {
            publisher.tryPublish(i);
        }
        assertThat(publisher.nanosUntilSent()).isEqualTo(5 * MS);
        clock.now += 4 * MS;
        assertThat(publisher.nanosUntilSent())
                .as("the batch would go at once, the message would not")
                .isEqualTo(MS);
        clock.now += MS;
        assertThat(publisher.nanosUntilSent()).isZero();
        assertThat(publisher.tryPublish(4)).isTrue();
        assertThat(sent).containsExactly(List.of(0, 1, 2, 3), List.of(4));
    }

    @Test
    void publishWaitsForTheBatchToGo() {
        limiter.setRate(1000);
        for (int i = 0; i < 9; i++) {
            assertThat(publisher.publish(i)).isTrue();
        }
        assertThat(clock.now).isBetween(7 * MS, 9 * MS);
        assertThat(publisher.flush(100 * MS)).isTrue();
        assertThat(sent.stream().flatMap(List::stream)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
    }

    @Test
    void theDeadlineIsKept() {
        limiter.setRate(100);
        limiter.pause();
        for (int i = 0; i < 4; i++) {
            publisher.publish(i);
        }
        assertThat(publisher.nanosUntilSent()).isEqualTo(Long.MAX_VALUE);
        assertThat(publisher.publish(4, 5 * MS)).isFalse();
        assertThat(publisher.flush(5 * MS)).isFalse();
        assertThat(clock.now).isBetween(10 * MS, 11 * MS);
        assertThat(publisher.pending()).isEqualTo(4);
        Thread.currentThread().interrupt();
        assertThat(publisher.publish(4)).isFalse();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aSenderThatThrowsIsNotAskedAgain() {
        PacedPublisher<Integer> failing = new PacedPublisher<>(limiter, 4, new Ticking(), batch -> {
            throw new IllegalStateException("mine");
        });
        assertThatThrownBy(() -> failing.tryPublish(1)).hasMessage("mine");
        assertThat(failing.pending()).isZero();
        assertThat(failing.tryFlush()).isTrue();
    }

    @Test
    void publishesIntoARing() {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(16)
                .singleProducer()
                .build();
        try (ring;
                Producer<long[]> producer = ring.producer()) {
            PacedPublisher<Integer> paced = PacedPublisher.on(
                    limiter, 4, new Ticking(), producer, (event, sequence, value) -> event[0] = value);
            limiter.setRate(1000);
            for (int i = 0; i < 9; i++) {
                paced.publish(i * 10);
            }
            paced.flush(100 * MS);
            assertThat(ring.cursor().get()).isEqualTo(8);
            for (int i = 0; i < 9; i++) {
                assertThat(ring.get(i)[0]).isEqualTo(i * 10L);
            }
        }
    }

    @Test
    void aFlushTakesADuration() {
        assertThatThrownBy(() -> publisher.flush(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("timeoutNanos must be 0 or more, but was -1");
        assertThat(publisher.flush(Duration.ofMillis(1))).isTrue();
        assertThatThrownBy(() -> publisher.flush(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void anIdleStrategyThatNobodySignalsIsRefused() {
        for (SignalledIdle idle : List.of(SignalledIdle.exact(), SignalledIdle.timed())) {
            assertThatThrownBy(() -> new PacedPublisher<Integer>(limiter, 4, idle, batch -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("idle must be a strategy that wakes by itself, since nobody signals who waits for"
                            + " permits, but was " + idle);
        }
    }

    @Test
    void badInputIsRefused() {
        assertThatThrownBy(() -> new PacedPublisher<Integer>(limiter, 0, new Ticking(), batch -> {}))
                .hasMessage("maxBatch must be from 1 to the limiter's maxAcquire 32, but was 0");
        assertThatThrownBy(() -> new PacedPublisher<Integer>(limiter, 33, new Ticking(), batch -> {}))
                .hasMessage("maxBatch must be from 1 to the limiter's maxAcquire 32, but was 33");
        assertThatThrownBy(() -> publisher.publish(1, -1)).hasMessage("timeoutNanos must be 0 or more, but was -1");
        assertThatThrownBy(() -> publisher.flush(-1)).hasMessage("timeoutNanos must be 0 or more, but was -1");
        assertThatThrownBy(() -> publisher.publish(null)).hasMessage("message must not be null");
    }
}
