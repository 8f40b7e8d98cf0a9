package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A buffer that uses the producer which copies it: the caller is told so, and nothing that others publish is harmed. */
@Timeout(60)
class OfferedBufferTest {
    private static final int LAP = 32;

    record Kind(boolean single, boolean tracked) {
        RingBuffer<Messages> ring() {
            RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(LAP * Messages.ALIGNMENT);
            if (single) {
                builder.singleProducer();
            }
            return (tracked ? builder.trackClaims() : builder).build();
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(new Kind(true, false), new Kind(false, false), new Kind(true, true), new Kind(false, true));
    }

    private interface Form {
        long offer(MessageProducer producer, DirectBuffer buffer);
    }

    private static final List<Form> FORMS = List.of(
            (producer, buffer) -> producer.offer(1, buffer, 0, 8),
            (producer, buffer) -> producer.offer(1, buffer, 0, 8, Rings.LONG),
            (producer, buffer) -> producer.offerParts(1, number(-2), buffer),
            (producer, buffer) -> producer.offerAll(1, buffer, number(-3)));

    private static DirectBuffer number(long value) {
        SafeBuffer buffer = SafeBuffer.allocate(8);
        buffer.putLong(0, value);
        return buffer;
    }

    /** Runs something while it is copied. */
    private static DirectBuffer running(Runnable within) {
        return running("wrapAdjustment", 1, within); // a copy asks for it, nothing before it does
    }

    /** Runs something when one of its methods is called for the n-th time. If that is getLong, it is over a bare address. */
    private static DirectBuffer running(String call, int nth, Runnable within) {
        SafeBuffer real = SafeBuffer.allocateDirect(8);
        int[] calls = {0};
        return (DirectBuffer) Proxy.newProxyInstance(
                DirectBuffer.class.getClassLoader(),
                new Class<?>[] {DirectBuffer.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals(call) && ++calls[0] == nth) {
                        within.run();
                    }
                    return call.equals("getLong") && method.getName().startsWith("byte")
                            ? null
                            : method.invoke(real, arguments);
                });
    }

    /** The producer that took over has claimed the same place a lap later, and its message is not handled yet. */
    @ParameterizedTest
    @MethodSource("kinds")
    void noMessageThatOthersHavePublishedMeanwhileIsWrittenOver(Kind kind) {
        Set<String> reached = new HashSet<>();
        for (Form form : FORMS) {
            for (String call : List.of("boundsCheck", "capacity", "byteArray", "wrapAdjustment", "getLong")) {
                for (int nth : new int[] {1, 2}) {
                    Followed followed = new Followed(kind);
                    MessageProducer producer = MessageProducer.of(followed.ring);
                    MessageProducer[] next = new MessageProducer[1];
                    DirectBuffer closes = running(call, nth, () -> {
                        producer.close();
                        next[0] = MessageProducer.of(followed.ring);
                        followed.publish(next[0], 0, LAP / 2 - 2);
                        for (int i = 0; i < LAP / 4; i++) {
                            assertThat(next[0].offer(2, number(LAP / 2 - 2 + i), 0, 8))
                                    .isNotNegative();
                        }
                    });
                    try {
                        form.offer(producer, closes);
                    } catch (IllegalStateException e) {
                        assertThat(e).hasMessageStartingWith("close, commit and abort must be called outside");
                    }
                    Rings.exhaust(followed.consumer);
                    if (next[0] != null) {
                        reached.add(call);
                        assertThat(followed.handled)
                                .as(call + " " + nth)
                                .containsExactlyElementsOf(LongStream.range(0, LAP / 2 - 2 + LAP / 4)
                                        .boxed()
                                        .toList());
                    }
                }
            }
        }
        assertThat(reached)
                .containsExactlyInAnyOrder("boundsCheck", "capacity", "byteArray", "wrapAdjustment", "getLong");
    }

    private static final class Followed {
        final RingBuffer<Messages> ring;
        final List<Long> handled = new ArrayList<>();
        final EventProcessor consumer;

        Followed(Kind kind) {
            ring = kind.ring();
            Pipeline<Messages> pipeline = Pipeline.on(ring);
            MessageHandler handler = (type, buffer, offset, length, sequence, last) ->
                    handled.add(type == 2 ? buffer.getLong(offset) : -type);
            pipeline.handleEventsWith(handler);
            consumer = pipeline.startProcessors().get(0);
        }

        void publish(MessageProducer producer, long from, long to) {
            for (long i = from; i < to; i++) {
                assertThat(producer.offer(2, number(i), 0, 8)).isNotNegative();
                Rings.exhaust(consumer);
            }
        }

        void checkWhole(MessageProducer next, long published) {
            publish(next, published, published + LAP);
            assertThat(handled)
                    .containsExactlyElementsOf(
                            LongStream.range(0, published + LAP).boxed().toList());
            assertThat(ring.drain(0).isNone()).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void whoClosesTheProducerIsTold(Kind kind) {
        for (Form form : FORMS) {
            for (int meanwhile : new int[] {0, 1, LAP / 2, LAP, 3 * LAP}) {
                for (boolean fails : new boolean[] {false, true}) {
                    Followed followed = new Followed(kind);
                    MessageProducer producer = MessageProducer.of(followed.ring);
                    MessageProducer[] next = new MessageProducer[1];
                    RuntimeException planned = new RuntimeException("planned");
                    var thrown = assertThatThrownBy(() -> form.offer(producer, running(() -> {
                        producer.close();
                        next[0] = MessageProducer.of(followed.ring);
                        followed.publish(next[0], 0, meanwhile);
                        if (fails) {
                            throw planned;
                        }
                    })));
                    if (fails) {
                        thrown.isSameAs(planned);
                    } else {
                        thrown.isInstanceOf(IllegalStateException.class)
                                .hasMessage(
                                        "close, commit and abort must be called outside of the buffers that are offered,"
                                                + " but were called within one: the claim was settled there, and nothing was published behind it");
                    }
                    followed.checkWhole(next[0], meanwhile);
                }
            }
        }
    }

    /** Who guesses the sequence can commit or abort within. */
    @ParameterizedTest
    @MethodSource("kinds")
    void whatIsClaimedBehindItsOwnIsNotPublished(Kind kind) {
        Followed followed = new Followed(kind);
        MessageProducer producer = MessageProducer.of(followed.ring);
        long[] second = new long[1];
        assertThatThrownBy(() -> producer.offer(
                        1,
                        running(() -> {
                            producer.abort(0);
                            second[0] = producer.tryClaim(2, 8);
                        }),
                        0,
                        8))
                .isInstanceOf(IllegalStateException.class);
        Rings.exhaust(followed.consumer);
        assertThat(followed.handled).isEmpty();
        producer.buffer().putLong(producer.offset(second[0]), 0);
        producer.commit(second[0]);
        followed.checkWhole(producer, 1);
    }
}
