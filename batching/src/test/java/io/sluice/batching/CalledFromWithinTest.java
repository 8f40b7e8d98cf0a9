package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy.Action;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import org.agrona.concurrent.IdleStrategy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What an encoder or a sink calls on its own handler or batcher is refused, and harms no message. */
@Timeout(30)
class CalledFromWithinTest {
    private static final String FROM_WITHIN =
            " must be called from outside the encoder and the sink, but was called from within";

    private enum Place {
        SOURCE,
        ENCODER,
        HEADER,
        SINK,
        IDLE,
        END,
        POLICY
    }

    private final RecordingSink sink = new RecordingSink();
    private final List<Throwable> refusals = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private final Queue<String> queue = new ArrayDeque<>();
    private int shutdowns;
    private @Nullable Place place;
    private @Nullable ThrowingCallable again;

    private final BatchSink calls = new BatchSink() {
        @Override
        public void send(Batch batch) throws IOException {
            call(Place.SINK);
            sink.send(batch);
        }

        @Override
        public void endOfBatch() throws IOException {
            call(Place.END);
            sink.endOfBatch();
        }

        @Override
        public void onShutdown() {
            shutdowns++;
        }

        @Override
        public void close() {
            sink.close();
        }
    };

    private final IdleStrategy idle = new IdleStrategy() {
        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            call(Place.IDLE);
        }

        @Override
        public void reset() {}
    };

    private final BatchingConfig config = BatchingConfig.defaults()
            .bufferSize(100)
            .sinkIdle(idle, Long.MAX_VALUE)
            .header(1, batch -> {
                call(Place.HEADER);
                batch.buffer().put(0, (byte) '|');
            });

    private final BatchingHandler<String> handler = new BatchingHandler<>(this::encode, calls, config);

    private final Batcher<String> batcher = new Batcher<>(
            (consumer, limit) -> {
                call(Place.SOURCE);
                String next = queue.poll();
                if (next != null) {
                    consumer.accept(next);
                }
                return next == null ? 0 : 1;
            },
            this::encode,
            calls,
            config,
            (cause, event, sequence, attempt) -> {
                failures.add(cause);
                call(Place.POLICY);
                return Action.RETRY_EVENT;
            });

    private int encode(String event, ByteBuffer buffer, int offset) {
        if (event.equals("b")) {
            call(Place.ENCODER);
        }
        return RecordingSink.encode(event, buffer, offset);
    }

    /** Makes the call that is planned for this place, once, and notes what it throws. */
    private void call(Place here) {
        ThrowingCallable call = again;
        if (call == null || here != place) {
            return;
        }
        again = null;
        try {
            call.call();
        } catch (Throwable refused) {
            refusals.add(refused);
        }
    }

    private void plan(Place where, ThrowingCallable call) {
        place = where;
        again = call;
        if (where == Place.IDLE) {
            sink.script.add(1); // of the batch, and then nothing for a while
            sink.script.add(0);
        }
    }

    private ThrowingCallable byName(String call) {
        return switch (call) {
            case "onEvent" -> () -> handler.onEvent("x", 9, true);
            case "the event again" -> () -> handler.onEvent("a", 0, true);
            case "onBatchEnd" -> () -> handler.onBatchEnd(9);
            case "onShutdown" -> handler::onShutdown;
            default -> handler::discardPending;
        };
    }

    static Stream<Arguments> placesAndCalls() {
        return Stream.of(Place.ENCODER, Place.HEADER, Place.SINK, Place.IDLE, Place.END)
                .flatMap(where -> Stream.of("onEvent", "the event again", "onBatchEnd", "onShutdown", "discardPending")
                        .map(call -> Arguments.of(where, call)));
    }

    @ParameterizedTest
    @MethodSource("placesAndCalls")
    void aHandlerThatIsCalledFromWithinSendsEachMessageOnceAndLosesNone(Place where, String call) throws Exception {
        plan(where, byName(call));
        handler.onEvent("a", 0, false);
        handler.onEvent("b", 1, false);
        handler.onEvent("c", 2, true);
        assertThat(again).as("was called").isNull();
        assertThat(sink.taken()).isEqualTo("|abc");
        assertThat(refusals)
                .singleElement()
                .satisfies(refused -> assertThat(refused)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage((call.equals("onShutdown") || call.equals("discardPending") ? call : "the handler")
                                + FROM_WITHIN));
        assertThat(sink.ends).isEqualTo(1);
        assertThat(shutdowns).isZero();
        assertThat(handler.discardedMessages()).isZero();
        assertThat(handler.takenSequence()).isEqualTo(2);
        handler.onEvent("d", 3, true);
        assertThat(sink.taken()).isEqualTo("|abc|d");
        assertThat(handler.discardPending()).as("is possible outside").isZero();
    }

    /** As any exception of an encoder it concerns its event alone. */
    @Test
    void anEncoderThatThrowsTheRefusalOnHarmsItsEventAlone() throws Exception {
        boolean[] called = {false};
        List<BatchingHandler<String>> self = new ArrayList<>();
        self.add(new BatchingHandler<>(
                (event, buffer, offset) -> {
                    if (event.equals("b") && !called[0]) {
                        called[0] = true;
                        self.get(0).discardPending();
                    }
                    return RecordingSink.encode(event, buffer, offset);
                },
                sink,
                config));
        self.get(0).onEvent("a", 0, false);
        assertThatThrownBy(() -> self.get(0).onEvent("b", 1, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("discardPending" + FROM_WITHIN);
        self.get(0).onEvent("b", 1, true); // RETRY_EVENT
        assertThat(sink.taken()).isEqualTo("|ab");
    }

    /** As any exception of a sink: the messages stay. */
    @Test
    void aSinkThatThrowsTheRefusalOnKeepsTheMessages() throws Exception {
        List<BatchingHandler<String>> self = new ArrayList<>();
        boolean[] called = {false};
        BatchSink again = batch -> {
            if (!called[0]) {
                called[0] = true;
                self.get(0).discardPending();
            }
            sink.send(batch);
        };
        self.add(new BatchingHandler<>(RecordingSink::encode, again, config));
        self.get(0).onEvent("a", 0, false);
        assertThatThrownBy(() -> self.get(0).onEvent("b", 1, true))
                .isInstanceOf(SinkException.class)
                .hasMessageEndingWith("2 of 2 messages not taken")
                .hasRootCauseMessage("discardPending" + FROM_WITHIN);
        self.get(0).onEvent("b", 1, true); // RETRY_EVENT
        assertThat(sink.taken()).isEqualTo("|ab");
    }

    /** Nothing is under way any more, wherever the stack has ended. */
    @ParameterizedTest
    @EnumSource(
            value = Place.class,
            names = {"ENCODER", "HEADER", "SINK", "END"})
    void aHandlerGoesOnBehindTheEndOfTheStack(Place where) throws Exception {
        StackOverflowError end = new StackOverflowError("planned");
        boolean[] thrown = {false};
        BatchingHandler<String> handler = new BatchingHandler<>(
                (event, buffer, offset) -> {
                    endOnce(where == Place.ENCODER, thrown, end);
                    return RecordingSink.encode(event, buffer, offset);
                },
                new BatchSink() {
                    @Override
                    public void send(Batch batch) throws IOException {
                        endOnce(where == Place.SINK, thrown, end);
                        sink.send(batch);
                    }

                    @Override
                    public void endOfBatch() throws IOException {
                        endOnce(where == Place.END, thrown, end);
                        sink.endOfBatch();
                    }
                },
                config.header(1, batch -> endOnce(where == Place.HEADER, thrown, end)));
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isSameAs(end);
        handler.onEvent("b", 1, true);
        assertThat(sink.taken()).endsWith("b");
        assertThat(handler.discardPending()).isZero();
    }

    private static void endOnce(boolean here, boolean[] thrown, Error end) {
        if (here && !thrown[0]) {
            thrown[0] = true;
            throw end;
        }
    }

    @ParameterizedTest
    @EnumSource(Place.class)
    void aBatcherThatIsCalledFromWithinSendsEachMessageOnceAndLosesNone(Place where) {
        plan(where, batcher::doWork);
        if (where == Place.POLICY) {
            sink.script.add(RecordingSink.failAfter(2));
        }
        Collections.addAll(queue, "a", "b", "c");
        for (int i = 0; i < 4; i++) {
            batcher.doWork();
        }
        assertThat(again).as("was called").isNull();
        assertThat(sink.taken()).isEqualTo("|abc");
        assertThat(refusals)
                .singleElement()
                .satisfies(refused -> assertThat(refused)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage(
                                where == Place.SOURCE || where == Place.POLICY
                                        ? "doWork must be called between rounds, but was called within one"
                                        : "doWork" + FROM_WITHIN));
        assertThat(failures).hasSize(where == Place.POLICY ? 1 : 0);
        assertThat(sink.ends).isEqualTo(1);
        assertThat(batcher.pendingMessages()).isZero();
        assertThat(batcher.discardedMessages()).isZero();
        queue.add("d");
        batcher.doWork();
        assertThat(sink.taken()).isEqualTo("|abc|d");
    }

    @ParameterizedTest
    @EnumSource(
            value = Place.class,
            names = {"ENCODER", "HEADER", "SINK", "IDLE", "END"})
    void aBatcherIsNotClosedFromWithin(Place where) {
        plan(where, batcher::onClose);
        Collections.addAll(queue, "a", "b", "c");
        batcher.doWork();
        assertThat(sink.taken()).isEqualTo("|abc");
        assertThat(refusals)
                .singleElement()
                .satisfies(refused -> assertThat(refused).hasMessage("onClose" + FROM_WITHIN));
        assertThat(sink.closed).isFalse();
        assertThat(shutdowns).isZero();
        batcher.onClose();
        assertThat(sink.closed).isTrue();
    }

    /** The element that it would take is not lost either. */
    @Test
    void aBatcherTakesNothingFromItsSourceWhileItsLastMessagesAreSent() {
        sink.script.add(RecordingSink.failAfter(0));
        Collections.addAll(queue, "a", "b", "c");
        batcher.doWork();
        queue.add("d");
        plan(Place.SINK, batcher::doWork);
        batcher.onClose();
        assertThat(sink.taken()).isEqualTo("|abc");
        assertThat(queue).containsExactly("d");
        assertThat(refusals)
                .singleElement()
                .satisfies(refused -> assertThat(refused).hasMessage("doWork" + FROM_WITHIN));
    }
}
