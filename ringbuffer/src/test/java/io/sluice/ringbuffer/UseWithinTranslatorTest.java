package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A translator that publishes or aborts what it is filling: nothing is lost or doubled, and the cursor never goes back. */
@Timeout(60)
class UseWithinTranslatorTest {
    private static final int CAPACITY = 8;
    private static final String TOLD =
            "publish and abort must be called outside of the producer's own translators, but were called within one: ";

    record Kind(String name, boolean bytes, boolean single, UnaryOperator<RingBufferBuilder<Object>> settings) {
        RingBuffer<Object> ring() {
            RingBufferBuilder<Object> builder = Words.ring(bytes, 1).capacity(CAPACITY);
            return settings.apply(single ? builder.singleProducer() : builder.multiProducer())
                    .build();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind("single", false, true, b -> b),
                new Kind("large single", false, true, b -> b.capacity(2 * CachedCursorProducer.FEWEST_SLOTS)),
                new Kind("multi", false, false, b -> b),
                new Kind("single of bytes", true, true, b -> b),
                new Kind("multi of bytes", true, false, b -> b),
                new Kind("signalled single", false, true, b -> b.consumersIdle(SignalledIdle::exact)),
                new Kind("signalled multi", false, false, b -> b.consumersIdle(SignalledIdle::exact)),
                new Kind("tracked single", false, true, RingBufferBuilder::trackClaims),
                new Kind("tracked multi", false, false, RingBufferBuilder::trackClaims));
    }

    /** A ring with a consumer, which writes down the sequences that it gets. */
    private static final class Followed {
        final RingBuffer<Object> ring;
        final Producer<Object> producer;
        final List<Long> handled = new ArrayList<>();
        final EventProcessor consumer;

        Followed(Kind kind) {
            ring = kind.ring();
            Pipeline<Object> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled.add(sequence));
            consumer = pipeline.startProcessors().get(0);
            producer = ring.producer();
        }

        void handle() {
            Rings.exhaust(consumer);
        }

        void publishAndHandle(Producer<Object> by, int n) {
            for (int i = 0; i < n; i++) {
                by.publishEvent((event, sequence) -> {});
                handle();
            }
        }

        /** All is handled once, but what was aborted, and the ring goes on. */
        void checkWhole(int published, long... aborted) {
            handle();
            publishAndHandle(producer, 2);
            List<Long> expected =
                    new ArrayList<>(LongStream.range(0, published + 2).boxed().toList());
            LongStream.of(aborted).forEach(expected::remove);
            assertThat(handled).containsExactlyElementsOf(expected);
            assertThat(ring.cursor().get()).isEqualTo(published + 1);
            assertThat(((AbstractProducer<Object>) producer).openClaimCount()).isZero();
            assertThat(ring.drain(0).isNone()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatItPublishesItselfIsHandledOnce(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<Object> producer = followed.producer;
        Throwable told = catchThrowable(() -> producer.publishEvent((event, sequence) -> {
            producer.publish(sequence);
            followed.handle();
        }));
        checkTold(told, "sequences 0 to 0", kind.single);
        followed.checkWhole(1);
    }

    private static void checkTold(Throwable told, String sequences, boolean mayBeHarmless) {
        if (told != null || !mayBeHarmless) {
            assertThat(told)
                    .isInstanceOf(IllegalStateException.class)
                    .isNotInstanceOf(RingException.class)
                    .hasMessageStartingWith(TOLD + sequences);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatItPublishesBehindItsOwnIsNotTakenBack(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<Object> producer = followed.producer;
        assertThatThrownBy(() -> producer.publishEvent((event, sequence) -> {
                    producer.publish(sequence);
                    followed.handle();
                    followed.publishAndHandle(producer, CAPACITY + 3);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(TOLD + "sequences 0 to 0");
        assertThat(followed.ring.cursor().get()).isEqualTo(CAPACITY + 3);
        followed.checkWhole(CAPACITY + 4);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whatItClaimsBehindItsOwnStaysItsOwn(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<Object> producer = followed.producer;
        assertThatThrownBy(() -> producer.publishEvent((event, sequence) -> {
                    producer.publish(sequence);
                    assertThat(producer.next()).isEqualTo(1);
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(TOLD + "sequences 0 to 0");
        assertThat(followed.ring.cursor().get()).isZero();
        producer.publish(1);
        followed.checkWhole(2);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoAbortsIsToldThatTheEventIsNotPublished(Kind kind) {
        for (boolean tries : new boolean[] {false, true}) {
            Followed followed = new Followed(kind);
            Producer<Object> producer = followed.producer;
            EventTranslator<Object> translator = (event, sequence) -> producer.abort(sequence, sequence);
            assertThatThrownBy(() -> {
                        if (tries) {
                            producer.tryPublishEvent(translator);
                        } else {
                            producer.publishEvent(translator);
                        }
                    })
                    .isInstanceOf(IllegalStateException.class)
                    .isNotInstanceOf(RingException.class)
                    .hasMessageStartingWith(TOLD + "sequences 0 to 0");
            followed.checkWhole(1, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aPartOfABatchIsSettledOnce(Kind kind) {
        for (boolean aborts : new boolean[] {false, true}) {
            Followed followed = new Followed(kind);
            Producer<Object> producer = followed.producer;
            Throwable told = catchThrowable(() -> producer.publishEvents(
                    (event, sequence, index) -> {
                        if (index == 2) {
                            if (aborts) {
                                producer.abort(sequence - 2, sequence - 2);
                            } else {
                                producer.publish(sequence - 2);
                                followed.handle();
                            }
                        }
                    },
                    3));
            checkTold(told, "sequences 0 to 2", kind.single && !aborts);
            if (aborts) {
                followed.checkWhole(3, 0);
            } else {
                followed.checkWhole(3);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoPublishesAndThrowsTakesNothingBack(Kind kind) {
        RuntimeException planned = new RuntimeException("planned");
        for (boolean goesOn : new boolean[] {false, true}) {
            Followed followed = new Followed(kind);
            Producer<Object> producer = followed.producer;
            assertThatThrownBy(() -> producer.publishEvent((event, sequence) -> {
                        producer.publish(sequence);
                        if (goesOn) {
                            followed.handle();
                            followed.publishAndHandle(producer, CAPACITY);
                        }
                        throw planned;
                    }))
                    .isSameAs(planned);
            followed.checkWhole(goesOn ? CAPACITY + 1 : 1);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoPublishesAPartOfABatchAndThrowsAbortsTheRest(Kind kind) {
        RuntimeException planned = new RuntimeException("planned");
        Followed followed = new Followed(kind);
        Producer<Object> producer = followed.producer;
        assertThatThrownBy(() -> producer.publishEvents(
                        (event, sequence, index) -> {
                            if (index == 1) {
                                producer.publish(sequence - 1);
                                throw planned;
                            }
                        },
                        3))
                .isSameAs(planned);
        followed.checkWhole(3, 1, 2);
    }

    /** With an earlier claim open the count of what is open does not tell it. */
    @ParameterizedTest
    @MethodSource("kinds")
    void anEarlierClaimOfManyProducersStaysItsOwn(Kind kind) {
        if (kind.single) {
            return; // refuses the form
        }
        Followed followed = new Followed(kind);
        Producer<Object> producer = followed.producer;
        assertThat(producer.next()).isZero();
        assertThatThrownBy(() -> producer.publishEvent((event, sequence) -> producer.publish(sequence)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith(TOLD + "sequences 1 to 1");
        producer.publish(0);
        followed.checkWhole(2);
    }

    /** What a translator may do: claim more, to be published later, and publish by another producer. */
    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsClaimedWithinIsPublishedBehindIt(Kind kind) {
        Followed followed = new Followed(kind);
        Producer<Object> producer = followed.producer;
        if (!kind.single) {
            assertThat(producer.next()).isZero();
        }
        long first = kind.single ? 0 : 1;
        assertThat(producer.publishEvent(
                        (event, sequence) -> assertThat(producer.next()).isEqualTo(first + 1)))
                .isEqualTo(first);
        if (!kind.single) {
            producer.publish(0);
        }
        producer.publish(first + 1);
        followed.checkWhole((int) first + 2);
    }
}
