package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A translator that closes its own producer: the claim is aborted, the caller is told so, and nothing that comes later is harmed. */
@Timeout(60)
class CloseWithinTranslatorTest {
    private static final int CAPACITY = 8;

    record Kind(String name, boolean bytes, UnaryOperator<RingBufferBuilder<Object>> settings) {
        RingBuffer<Object> ring() {
            return settings.apply(Words.ring(bytes, 1).capacity(CAPACITY)).build();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind("single", false, RingBufferBuilder::singleProducer),
                new Kind(
                        "large single",
                        false,
                        b -> b.capacity(2 * CachedCursorProducer.FEWEST_SLOTS).singleProducer()),
                new Kind("multi", false, RingBufferBuilder::multiProducer),
                new Kind("single of bytes", true, RingBufferBuilder::singleProducer),
                new Kind("multi of bytes", true, RingBufferBuilder::multiProducer),
                new Kind("signalled single", false, b -> b.singleProducer().consumersIdle(SignalledIdle::exact)),
                new Kind("signalled multi", false, b -> b.multiProducer().consumersIdle(SignalledIdle::exact)),
                new Kind("tracked single", false, b -> b.singleProducer().trackClaims()),
                new Kind("tracked multi", false, b -> b.multiProducer().trackClaims()));
    }

    /** A form that publishes: calls what it is given first within the translator. */
    private interface Form {
        void publish(Producer<Object> producer, Runnable within);
    }

    private static final List<Form> ONE = List.of(
            (producer, within) -> producer.publishEvent((event, sequence) -> within.run()),
            (producer, within) -> producer.tryPublishEvent((event, sequence) -> within.run()),
            (producer, within) -> producer.publishEvent((event, sequence, value) -> within.run(), 1L),
            (producer, within) -> DroppingProducer.dropNewest(producer, spare(producer), event -> {})
                    .publishEvent((event, sequence) -> within.run()));

    private static final List<Form> SEVERAL = List.of(
            (producer, within) -> producer.publishEvents((event, sequence, index) -> runLast(index, within), 3),
            (producer, within) -> producer.tryPublishEvents((event, sequence, index) -> runLast(index, within), 3));

    private static void runLast(int index, Runnable within) {
        if (index == 2) {
            within.run();
        }
    }

    private static Object spare(Producer<Object> producer) {
        Object event = ((AbstractProducer<Object>) producer).ring.get(0);
        return event instanceof ByteSlots ? ByteSlots.one(Long.BYTES) : new long[1];
    }

    /** A ring with a consumer, which writes down what it gets. */
    private static final class Followed {
        final RingBuffer<Object> ring;
        final List<Long> handled = new ArrayList<>();
        final EventProcessor consumer;

        Followed(Kind kind) {
            ring = kind.ring();
            Pipeline<Object> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.add(Words.get(event, sequence, 0)));
            consumer = pipeline.startProcessors().get(0);
        }

        void publish(Producer<Object> producer, int from, int to) {
            for (long i = from; i < to; i++) {
                producer.publishEvent((event, sequence, value) -> Words.set(event, sequence, 0, value), i);
                Rings.exhaust(consumer);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theCallerIsToldThatItsEventIsAborted(Kind kind) {
        for (List<Form> forms : List.of(ONE, SEVERAL)) {
            for (Form form : forms) {
                Followed followed = new Followed(kind);
                Producer<Object> producer = followed.ring.producer();
                String sequences = forms == ONE ? "sequences 0 to 0" : "sequences 0 to 2";
                assertThatThrownBy(() -> form.publish(producer, producer::close))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(
                                "close must be called outside of the producer's own translators, but was called within one: "
                                        + sequences + " were aborted, and not published");
                Rings.exhaust(followed.consumer);
                assertThat(followed.handled).isEmpty();
                assertThat(producer.tryNext(1)).isEqualTo(Producer.CLOSED);
                assertThat(followed.ring.drain(0).isNone()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatOthersPublishMeanwhileStaysPublished(Kind kind) {
        for (Form form : ONE) {
            Followed followed = new Followed(kind);
            Producer<Object> producer = followed.ring.producer();
            assertThatThrownBy(() -> form.publish(producer, () -> closeForASuccessor(producer, followed)))
                    .isInstanceOf(IllegalStateException.class);
            checkWhole(followed);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoClosesAndThrowsHarmsNothingEither(Kind kind) {
        RuntimeException planned = new RuntimeException("planned");
        for (Form form : ONE) {
            Followed followed = new Followed(kind);
            Producer<Object> producer = followed.ring.producer();
            assertThatThrownBy(() -> form.publish(producer, () -> {
                        closeForASuccessor(producer, followed);
                        throw planned;
                    }))
                    .isSameAs(planned);
            checkWhole(followed);
        }
    }

    /** Closes a producer, and lets the next one publish a lap. */
    private static void closeForASuccessor(Producer<Object> producer, Followed followed) {
        producer.close();
        followed.publish(followed.ring.producer(), 0, CAPACITY);
    }

    /** The claim that was aborted, a lap of events behind it, and nothing lost of these. */
    private static void checkWhole(Followed followed) {
        assertThat(followed.ring.cursor().get()).isEqualTo(CAPACITY);
        assertThat(followed.handled).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        assertThat(((WatchedClaims) followed.ring).isPublished(CAPACITY)).isTrue();
        assertThat(followed.ring.drain(0).isNone()).isTrue();
    }

    /** Without a consumer others may overtake what was aborted: then its slots are theirs. */
    @ParameterizedTest
    @MethodSource("kinds")
    void whoIsOvertakenAndThrowsHarmsNothing(Kind kind) {
        RuntimeException planned = new RuntimeException("planned");
        for (Form form : ONE) {
            RingBuffer<Object> ring = kind.ring();
            Producer<Object> producer = ring.producer();
            assertThatThrownBy(() -> form.publish(producer, () -> {
                        producer.close();
                        Producer<Object> next = ring.producer();
                        for (int i = 0; i < 2 * CAPACITY; i++) {
                            next.publishEvent((event, sequence) -> {});
                        }
                        throw planned;
                    }))
                    .isSameAs(planned)
                    .hasNoSuppressedExceptions();
            assertThat(ring.cursor().get()).isEqualTo(2 * CAPACITY);
            assertThat(ring.drain(0).isNone()).isTrue();
        }
    }

    /** Without a consumer a lap more may be claimed within the translator. */
    @ParameterizedTest
    @MethodSource("kinds")
    void theCursorNeverGoesBack(Kind kind) {
        for (Form form : ONE) {
            RingBuffer<Object> ring = kind.ring();
            Producer<Object> producer = ring.producer();
            assertThatThrownBy(() -> form.publish(producer, () -> {
                        producer.close();
                        Producer<Object> next = ring.producer();
                        for (int i = 0; i < 2 * CAPACITY; i++) {
                            next.publishEvent((event, sequence) -> {});
                        }
                        assertThat(ring.cursor().get()).isEqualTo(2 * CAPACITY);
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(ring.cursor().get()).isEqualTo(2 * CAPACITY);
            assertThat(ring.drain(0).isNone()).isTrue();
        }
    }
}
