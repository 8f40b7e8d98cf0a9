package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the product test of the ring has found where nobody gates, or an idle strategy uses its producer. */
@Timeout(60)
class OvertakenAndSettledTest {
    private static final int CAPACITY = 8;

    private static RingBuffer<Object> ring(boolean bytes, boolean tracked) {
        RingBufferBuilder<Object> builder =
                Words.ring(bytes, 1).capacity(CAPACITY).multiProducer();
        return (tracked ? builder.trackClaims() : builder).build();
    }

    private static void publish(Producer<Object> producer, int n) {
        for (int i = 0; i < n; i++) {
            producer.publishEvent((event, sequence) -> {});
        }
    }

    /** It is taken for open still, so its producer counts one claim too few, and loses another. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void whatATranslatorHasPublishedIsNotPublishedAgainOnceItIsOvertaken(boolean bytes, boolean tracked) {
        RingBuffer<Object> ring = ring(bytes, tracked);
        Producer<Object> slow = ring.producer();
        Producer<Object> fast = ring.producer();
        long[] later = new long[1];
        assertThatThrownBy(() -> slow.publishEvent((event, sequence) -> {
                    slow.publish(sequence);
                    publish(fast, CAPACITY);
                    later[0] = slow.next();
                }))
                .isInstanceOf(IllegalStateException.class)
                .isNotInstanceOf(RingException.class);
        slow.publish(later[0]);
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void whatIsPublishedTwiceOnceItIsOvertakenIsRefused(boolean bytes, boolean tracked) {
        RingBuffer<Object> ring = ring(bytes, tracked);
        Producer<Object> slow = ring.producer();
        long first = slow.next();
        publish(ring.producer(), CAPACITY);
        long second = slow.next();
        slow.publish(first);
        assertThatThrownBy(() -> slow.publish(first)).isInstanceOf(IllegalArgumentException.class);
        slow.publish(second);
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void whoseTranslatorClosesItIsToldSoAlsoWithAnOvertakenClaim(boolean bytes, boolean tracked) {
        RingBuffer<Object> ring = ring(bytes, tracked);
        Producer<Object> slow = ring.producer();
        slow.next();
        publish(ring.producer(), CAPACITY);
        assertThatThrownBy(() -> slow.publishEvent((event, sequence) -> slow.close()))
                .isInstanceOf(IllegalStateException.class);
        assertThat(((AbstractProducer<Object>) slow).openClaimCount()).isZero();
    }

    /** Its record of claims is full by then, and has forgotten the first. */
    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void whatIsOvertakenIsPublishedHoweverManyClaimsAreOpen(boolean bytes, boolean tracked) {
        RingBuffer<Object> ring = ring(bytes, tracked);
        Producer<Object> slow = ring.producer();
        Producer<Object> fast = ring.producer();
        for (int i = 0; i < 6; i++) {
            assertThat(slow.next()).isEqualTo(i * (CAPACITY + 1L));
            publish(fast, CAPACITY);
        }
        for (int i = 0; i < 6; i++) {
            slow.publish(i * (CAPACITY + 1L));
        }
        assertThat(((AbstractProducer<Object>) slow).openClaimCount()).isZero();
    }

    /** It counts as open, and holds the cursor: so who looks for what stands in the way finds it, or it does neither. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatHoldsTheCursorOfARingOfMessagesIsFound(boolean tracked) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).multiProducer();
        RingBuffer<Messages> ring = (tracked ? builder.trackClaims() : builder).build();
        MessageProducer slow = MessageProducer.of(ring);
        MessageProducer fast = MessageProducer.of(ring);
        assertThat(slow.tryClaim(1, 8)).isZero();
        for (int i = 0; i < 40; i++) {
            assertThat(fast.offer(2, SafeBuffer.allocate(8), 0, 8)).isNotNegative();
        }
        boolean inTheWay = StalledClaimDetector.of(ring).look(0) != null;
        assertThat(inTheWay).isEqualTo(ring.leftover().openClaims() > 0);
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void aMessageThatIsOvertakenTakesNothingFromThoseThatHaveItsPlace(boolean tracked, boolean aborts) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).multiProducer();
        RingBuffer<Messages> ring = (tracked ? builder.trackClaims() : builder).build();
        MessageProducer slow = MessageProducer.of(ring);
        MessageProducer fast = MessageProducer.of(ring);
        long overtaken = slow.tryClaim(1, 8);
        List<Long> published = new ArrayList<>();
        SafeBuffer eight = SafeBuffer.allocate(8);
        eight.putLong(0, 42);
        for (int i = 0; i < 40; i++) {
            published.add(fast.offer(2, eight, 0, 8));
        }
        if (aborts) {
            slow.abort(overtaken);
        } else {
            slow.commit(overtaken);
        }
        MessageMultiRing messages = (MessageMultiRing) ring;
        for (long last : published.subList(24, 40)) { // the last lap, of records of 16 bytes
            assertThat(messages.isPublished(last)).as("published %d", last).isTrue();
            assertThat(messages.allMessages().type(last)).as("type at %d", last).isEqualTo(2);
            assertThat(messages.allMessages()
                            .buffer()
                            .getLong(messages.allMessages().offset(last)))
                    .as("payload at %d", last)
                    .isEqualTo(42);
        }
        assertThat(ring.drain(0).isNone()).isTrue();
    }

    /** An idle strategy that runs the steps given, one at each call. */
    private static final class Steps implements IdleStrategy {
        final Deque<Runnable> steps = new ArrayDeque<>();

        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            steps.remove().run();
        }

        @Override
        public void reset() {}
    }

    /** As with many producers: asked is only once, before the first step of the wait. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatIsUsedInItsWaitWaitsOnForAConsumerThatItsIdleStrategyRuns(boolean single) {
        Steps idle = new Steps();
        RingBuffer<long[]> ring =
                Rings.ringBuilder(single, 1).producersIdle(() -> idle).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 1);
        Runnable consume = () -> poll(poller, 1);
        idle.steps.addAll(List.of(
                () -> {
                    poll(poller, 1);
                    Rings.publish(producer, 1);
                },
                consume));
        assertThat(producer.next(1, Rings.LONG)).isEqualTo(2);
    }

    private static <E> void poll(EventPoller<E> poller, int most) {
        try {
            poller.poll((event, sequence, endOfBatch) -> {}, most);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void onOwnThread(Runnable body) {
        try {
            Rings.onOwnThread(body);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** It would be published with the event, and is not filled yet. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anEventIsNotPublishedBehindAClaimThatTheIdleStrategyOfItsWaitHasLeftOpen(boolean batch) {
        Steps idle = new Steps();
        RingBuffer<long[]> ring =
                Rings.ringBuilder(true, 2).producersIdle(() -> idle).build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        Producer<long[]> producer = ring.producer();
        Rings.publish(producer, 2);
        long[] within = new long[1];
        idle.steps.add(() -> {
            onOwnThread(() -> poll(poller, 2));
            within[0] = producer.tryNext(1);
        });
        assertThatThrownBy(() -> {
                    if (batch) {
                        producer.publishEvents((event, sequence, index) -> {}, 1);
                    } else {
                        producer.publishEvent((event, sequence) -> {});
                    }
                })
                .isInstanceOf(IllegalStateException.class)
                .isNotInstanceOf(RingException.class)
                .hasMessageContaining("are open");
        assertThat(within[0]).isEqualTo(2);
        assertThat(ring.cursor().get()).as("only what is filled is published").isEqualTo(1);
        producer.publish(2);
        assertThat(producer.tryPublishEvent((event, sequence) -> {})).isEqualTo(3);
    }

    /** A producer of messages has one claim open at a time. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageThatIsClaimedInAWaitIsNotLostToTheClaimThatWaited(boolean single) {
        Steps idle = new Steps();
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(64).producersIdle(() -> idle);
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder.multiProducer()).build();
        EventPoller<Messages> poller = Pipeline.on(ring).poller("books");
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer eight = SafeBuffer.allocate(8);
        while (producer.offer(1, eight, 0, 8) >= 0) {}
        long[] within = new long[1];
        idle.steps.add(() -> {
            onOwnThread(() -> poll(poller, 100));
            within[0] = producer.tryClaim(2, 8);
            assertThat(within[0]).isNotNegative();
        });
        assertThatThrownBy(() -> producer.claim(3, 8, Rings.LONG)).isInstanceOf(IllegalStateException.class);
        producer.commit(within[0]);
        onOwnThread(() -> poll(poller, 100));
        assertThat(ring.drain(0).isNone()).isTrue();
    }
}
