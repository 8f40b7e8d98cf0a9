package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.publish;
import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A translator that throws publishes nothing. */
@Timeout(60)
class TranslatorTest {
    private static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failure() {
            super("on purpose");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTranslatorThatThrowsPublishesNothing(boolean single) {
        Failure failure = new Failure();
        List<BiConsumer<Producer<long[]>, Failure>> forms = List.of(
                (p, f) -> p.publishEvent((event, sequence) -> {
                    throw f;
                }),
                (p, f) -> p.publishEvent(
                        (event, sequence, a) -> {
                            throw f;
                        },
                        "a"),
                (p, f) -> p.publishEvent(
                        (event, sequence, a, b) -> {
                            throw f;
                        },
                        "a",
                        "b"),
                (p, f) -> p.publishEvent(
                        (event, sequence, a, b, c) -> {
                            throw f;
                        },
                        "a",
                        "b",
                        "c"),
                (p, f) -> p.publishEvent(
                        (EventTranslatorLong<long[]>) (event, sequence, value) -> {
                            throw f;
                        },
                        1L),
                (p, f) -> p.publishEvents(
                        (event, sequence, index) -> {
                            event[0] = -1;
                            if (index == 2) {
                                throw f;
                            }
                        },
                        3),
                (p, f) -> p.tryPublishEvent((event, sequence) -> {
                    throw f;
                }),
                (p, f) -> p.tryPublishEvent(
                        (event, sequence, a) -> {
                            throw f;
                        },
                        "a"),
                (p, f) -> p.tryPublishEvent(
                        (event, sequence, a, b) -> {
                            throw f;
                        },
                        "a",
                        "b"),
                (p, f) -> p.tryPublishEvent(
                        (event, sequence, a, b, c) -> {
                            throw f;
                        },
                        "a",
                        "b",
                        "c"),
                (p, f) -> p.tryPublishEvent(
                        (EventTranslatorLong<long[]>) (event, sequence, value) -> {
                            throw f;
                        },
                        1L),
                (p, f) -> p.tryPublishEvents(
                        (event, sequence, index) -> {
                            event[0] = -1;
                            if (index == 2) {
                                throw f;
                            }
                        },
                        3));
        for (int i = 0; i < forms.size(); i++) {
            BiConsumer<Producer<long[]>, Failure> form = forms.get(i);
            RingBuffer<long[]> ring = ring(single, 8);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            List<Long> delivered = new ArrayList<>();
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> delivered.add(event[0]));
            EventProcessor processor = pipeline.startProcessors().get(0);
            Producer<long[]> producer = ring.producer();
            publish(producer, 1);
            assertThatThrownBy(() -> form.accept(producer, failure))
                    .as("form " + i)
                    .isSameAs(failure);
            producer.publishEvent((event, sequence, value) -> event[0] = value, 77L);
            Rings.exhaust(processor);
            assertThat(delivered).as("form " + i).containsExactly(0L, 77L);
            assertThat(ring.drain(0).isNone()).as("form " + i).isTrue();
        }
    }
}
