package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of other rings of bytes have met: a flag or a warning, a handler that throws, bad input, a producer that several threads use. */
@Timeout(60)
class MessageContractTest {
    private static RingBuffer<Messages> ring(boolean single, int bytes) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(bytes);
        return (single ? builder.singleProducer() : builder).build();
    }

    // without a flag

    @Test
    @Tag("once")
    void aProgramThatIsStartedWithoutAnyOptionPrintsNoWarning(@TempDir Path folder) throws Exception {
        assertThat(PlainJava.output(folder, Program.class)).isEqualTo("sum 249975000");
    }

    /** What a user starts with {@code java -cp}. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws Exception {
            long sum = 0;
            for (boolean single : new boolean[] {true, false}) {
                RingBuffer<Messages> ring = ring(single, 4_096);
                long[] handled = {0};
                MessageHandler adds = (type, buffer, offset, length, sequence, last) ->
                        handled[0] += (single ? 4L : 1L) * buffer.getLong(offset);
                ControlledMessageHandler follows =
                        (type, buffer, offset, length, sequence, last) -> ControlledMessageHandler.Action.COMMIT;
                try (Pipeline<Messages> pipeline = Pipeline.on(ring)) {
                    pipeline.handleEventsWith(adds).then(follows);
                    pipeline.start();
                    MessageProducer producer = MessageProducer.of(ring);
                    SafeBuffer message = SafeBuffer.allocate(64);
                    for (int i = 0; i < 10_000; i++) {
                        message.putLong(0, i);
                        if (i % 2 == 0) {
                            producer.offer(1, message, 0, 8 + i % 57, TimeUnit.SECONDS.toNanos(20));
                        } else {
                            long sequence = producer.claim(2, 8, TimeUnit.SECONDS.toNanos(20));
                            producer.buffer().putLong(producer.offset(sequence), i);
                            producer.commit(sequence);
                        }
                    }
                    pipeline.drain(TimeUnit.SECONDS.toNanos(20));
                }
                sum += handled[0];
            }
            System.out.println("sum " + sum);
        }
    }

    // a handler that throws

    /** With the policy that holds if nobody chose one: the ring fails, and who waits for room is told, and does not wait for ever. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    @Tag("concurrency")
    void aHandlerThatThrowsReleasesWhoWaitsForRoom(boolean single, boolean controlled) throws Exception {
        RingBuffer<Messages> ring = ring(single, 64);
        MessageHandler plain = (type, buffer, offset, length, sequence, last) -> {
            throw new IllegalStateException("planned");
        };
        ControlledMessageHandler choosing = (type, buffer, offset, length, sequence, last) -> {
            throw new IllegalStateException("planned");
        };
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        pipeline.handleEventsWith(controlled ? choosing : plain);
        List<EventProcessor> processors = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        long[] result = {0};
        SafeBuffer message = SafeBuffer.allocate(8);
        Rings.Caller caller = new Rings.Caller(() -> {
            do {
                result[0] = producer.offer(1, message, 0, 8, Rings.LONG);
            } while (result[0] >= 0);
        });
        caller.awaitWaiting();
        assertThat(processors.get(0).doWork()).isZero();
        assertThat(caller.result()).isNull();
        assertThat(Producer.resultName(result[0])).isEqualTo("FAILED");
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(ring.failure()).hasMessage("planned");
        assertThat(processors.get(0).isDone()).isTrue();
        assertThatThrownBy(() -> MessageProducer.of(ring)).isInstanceOf(RingFailedException.class);
        pipeline.close();
    }

    /** A poller tells its caller, and hands the same message out again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPollerWhoseHandlerThrowsStandsBeforeTheMessage(boolean single) throws Exception {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        EventPoller<Messages> poller = pipeline.poller("poller");
        pipeline.startInvoked();
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 3; type++) {
            producer.offer(type, SafeBuffer.allocate(8), 0, 8);
        }
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> poller.poll(
                            (event, sequence, last) -> {
                                seen.add(event.type(sequence));
                                if (event.type(sequence) == 2) {
                                    throw new IllegalStateException("planned");
                                }
                            },
                            100))
                    .hasMessage("planned");
        }
        assertThat(seen).containsExactly(1, 2, 2, 2);
        assertThat(poller.sequence().get()).isEqualTo(1);
    }

    // bad input

    @Test
    void sizesAreNamed() {
        for (int bytes : new int[] {0, -64, 32, 96, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> RingBufferBuilder.messages(bytes))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("bytes must be a power of two from 64 to 1073741824, but was " + bytes);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyFormNamesTypeLengthAndPlaceAndClaimsNothing(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline.on(ring).handleEventsWith((MessageHandler) (type, buffer, offset, length, sequence, last) -> {});
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer eight = SafeBuffer.allocate(8);
        for (int type : new int[] {0, -1, Integer.MIN_VALUE}) {
            String message = "type must be 1 or more, but was " + type;
            assertThatThrownBy(() -> producer.tryClaim(type, 8)).hasMessage(message);
            assertThatThrownBy(() -> producer.claim(type, 8, 1_000)).hasMessage(message);
            assertThatThrownBy(() -> producer.offer(type, eight, 0, 8)).hasMessage(message);
            assertThatThrownBy(() -> producer.offer(type, eight, 0, 8, 1_000)).hasMessage(message);
            assertThatThrownBy(() -> producer.offerParts(type, eight)).hasMessage(message);
            assertThatThrownBy(() -> producer.offerAll(type, eight)).hasMessage(message);
        }
        for (int length : new int[] {-1, 33, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            String message = "length must be from 0 to 32, but was " + length;
            assertThatThrownBy(() -> producer.tryClaim(1, length)).hasMessage(message);
            assertThatThrownBy(() -> producer.claim(1, length, 1_000)).hasMessage(message);
            assertThatThrownBy(() -> producer.offer(1, eight, 0, length)).hasMessage(message);
            assertThatThrownBy(() -> producer.offer(1, eight, 0, length, 1_000)).hasMessage(message);
        }
        for (int offset : new int[] {-1, 1, 8, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> producer.offer(1, eight, offset, 8))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining(String.valueOf(offset));
        }
        assertThatThrownBy(() -> producer.offerParts(1, eight, null)).hasMessage("part must not be null");
        assertThatThrownBy(() -> producer.offerAll(1, eight, null)).hasMessage("message must not be null");
        assertThatThrownBy(() -> producer.offerParts(1, (DirectBuffer[]) null)).hasMessage("parts must not be null");
        assertThatThrownBy(() -> MessageProducer.of(null)).hasMessage("ring must not be null");
        assertThat(producer.tryClaim(1, 8))
                .as("what was refused has claimed nothing")
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClosedBufferIsNamedAndClaimsNothing(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline.on(ring).handleEventsWith((MessageHandler) (type, buffer, offset, length, sequence, last) -> {});
        MessageProducer producer = MessageProducer.of(ring);
        SafeBuffer closed = SafeBuffer.allocateDirect(8);
        closed.close();
        assertThatThrownBy(() -> producer.offer(1, closed, 0, 8)).hasMessage("the buffer must be open, but is closed");
        assertThat(producer.tryClaim(1, 8)).isZero();
        assertThat(ring.leftover().openClaims()).isEqualTo(2);
    }

    /** The owner learns of the loss when it next uses its producer; nobody has to wait for that. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasAbortedInTheOwnersSteadIsOpenNoMoreWhereNobodyFollows(boolean single) {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256).trackClaims();
        RingBuffer<Messages> ring = (single ? builder.singleProducer() : builder).build();
        MessageProducer producer = MessageProducer.of(ring);
        assertThat(producer.offer(1, SafeBuffer.allocate(8), 0, 8)).isZero();
        long lost = producer.tryClaim(1, 8);
        assertThat(ring.leftover().openClaims()).isEqualTo(2);
        assertThat(ring.cursor().get()).isEqualTo(1);
        AbandonedClaim claim = StalledClaimDetector.of(ring).look(0);
        assertThat(claim).isNotNull();
        assertThat(Objects.requireNonNull(claim).abort()).isEqualTo(2);
        assertThat(ring.leftover().openClaims()).isZero();
        assertThat(ring.cursor().get()).isEqualTo(3);
        assertThatThrownBy(() -> producer.commit(lost)).isInstanceOf(ClaimAbortedException.class);
        assertThat(producer.tryClaim(1, 8)).isEqualTo(4);
    }

    // one thread a producer

    /** What another thread asks of a producer has no effect, and says so: also if it names the open claim. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void anotherThreadIsRefused(boolean single, boolean tracked) throws Exception {
        RingBufferBuilder<Messages> builder = RingBufferBuilder.messages(256);
        if (single) {
            builder.singleProducer();
        }
        RingBuffer<Messages> ring = (tracked ? builder.trackClaims() : builder).build();
        Pipeline.on(ring).handleEventsWith((MessageHandler) (type, buffer, offset, length, sequence, last) -> {});
        MessageProducer producer = MessageProducer.of(ring);
        long open = producer.tryClaim(1, 8);
        SafeBuffer message = SafeBuffer.allocate(8);
        List<Runnable> calls = List.of(
                () -> producer.abort(open),
                () -> producer.commit(open),
                () -> producer.abort(open + 2),
                () -> producer.commit(open + 2),
                () -> producer.tryClaim(1, 8),
                () -> producer.offer(1, message, 0, 8),
                producer::close);
        for (Runnable call : calls) {
            assertThatThrownBy(() -> Rings.onOwnThread(call))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a producer must be");
        }
        producer.commit(open);
        assertThat(ring.leftover().unhandled()).isEqualTo(1);
    }
}
