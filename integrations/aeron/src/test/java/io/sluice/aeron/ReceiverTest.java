package io.sluice.aeron;

import static io.sluice.aeron.Harness.DECODER;
import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.ExclusivePublication;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FrameDescriptor;
import io.sluice.core.RunnerAgent;
import io.sluice.core.State;
import io.sluice.core.conflation.LatestByKey;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.LangUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver does with messages, and with sessions that come and go. */
class ReceiverTest {
    private static final int REPLAY = 8;

    private static AeronSender<long[]> sender(Harness harness, int stream, long first) {
        return AeronSender.<long[]>builder(harness.link, IPC, stream, ENCODER)
                .firstNumber(first)
                .build();
    }

    @Test
    void aDroppingSinkDropsTheNewestAndCounts() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(8);
            in.polls = false;
            List<Long> dropped = new ArrayList<>();
            DroppingProducer<long[]> dropping =
                    DroppingProducer.dropNewest(in.producer, new long[1], event -> dropped.add(event[0]));
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, RingSink.dropping(dropping, DECODER), new Heard())
                            .build());
            out.publish(1, 20);
            harness.runUntil(() -> receiver.received() == 20);
            in.polls = true;
            harness.runUntil(() -> in.values.size() == 8);
            assertThat(in.values).isEqualTo(numbers(1, 8));
            assertThat(dropped).isEqualTo(numbers(9, 20));
            assertThat(dropping.dropped()).isEqualTo(12);
            assertThat(receiver.held()).isZero();
        }
    }

    @Test
    void aDroppingSinkMayDropTheOldest() throws Exception {
        try (Harness harness = new Harness()) {
            List<Long> shed = new ArrayList<>();
            List<Long> values = new ArrayList<>();
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(8)
                    .singleProducer()
                    .shedding((consumer, event, sequence) -> shed.add(event[0]))
                    .build();
            EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
            DroppingProducer<long[]> dropping = DroppingProducer.dropOldest(ring.producer(), 0);
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, RingSink.dropping(dropping, DECODER), new Heard())
                            .build());
            out.publish(1, 20);
            harness.runUntil(() -> receiver.held() > 0);
            harness.runUntil(() -> {
                poller.poll((event, sequence, endOfBatch) -> values.add(event[0]), 1);
                return values.size() + shed.size() == 20;
            });
            assertThat(shed).as("some were dropped for newer ones").isNotEmpty();
            assertThat(values).last().isEqualTo(20L);
            List<Long> all = new ArrayList<>(values);
            all.addAll(shed);
            assertThat(all).containsExactlyInAnyOrderElementsOf(numbers(1, 20));
            ring.close();
        }
    }

    @Test
    void aSinkMayKeepTheLatestByKey() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            LatestByKey<Long> latest = new LatestByKey<>(4, value -> {});
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                long value = buffer.getLong(offset);
                                latest.offer((int) (value & 3), value);
                                return MessageSink.Taken.TAKEN;
                            },
                            new Heard())
                    .build());
            out.publish(1, 100);
            harness.runUntil(() -> receiver.received() == 100);
            List<Long> values = new ArrayList<>();
            latest.drain((key, value) -> values.add(value), 10);
            assertThat(values).containsExactlyInAnyOrder(97L, 98L, 99L, 100L);
            assertThat(latest.conflated()).isEqualTo(96);
        }
    }

    @Test
    void whatTheDecoderCannotUnderstandIsToldCountedAndPassedOver() throws Exception {
        for (boolean dropping : new boolean[] {false, true}) {
            try (Harness harness = new Harness()) {
                Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
                Harness.In in = harness.new In(8);
                MessageDecoder<long[]> picky = (event, buffer, offset, length, number) -> {
                    event[0] = buffer.getLong(offset);
                    if (event[0] % 3 == 0) {
                        throw new java.io.IOException("a three");
                    }
                };
                MessageSink sink = dropping
                        ? RingSink.dropping(DroppingProducer.dropNewest(in.producer, new long[1], event -> {}), picky)
                        : RingSink.waiting(in.producer, picky);
                Heard heard = new Heard();
                AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, sink, heard)
                        .build());
                out.publish(1, 7);
                harness.runUntil(() -> in.values.size() == 5);
                assertThat(in.values).containsExactly(1L, 2L, 4L, 5L, 7L);
                assertThat(heard.all)
                        .containsExactly("available aeron:ipc", "first 1", "bad 3 a three", "bad 6 a three");
                assertThat(receiver.bad()).isEqualTo(2);
                assertThat(receiver.received()).isEqualTo(5);
                assertThat(receiver.missing()).isZero();
            }
        }
    }

    /** Aeron swallows what a handler throws and goes on behind the message; the receiver must not. */
    @Test
    void anErrorInASinkReachesTheCallerAndLosesNoMessage() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            List<Long> values = new ArrayList<>();
            boolean[] fails = {true};
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                if (number == 3 && fails[0]) {
                                    throw new StackOverflowError("here");
                                }
                                values.add(number);
                                return MessageSink.Taken.TAKEN;
                            },
                            new Heard())
                    .build();
            out.publish(1, 5);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100_000; i++) {
                            harness.step();
                            receiver.doWork();
                        }
                    })
                    .isInstanceOf(StackOverflowError.class);
            fails[0] = false;
            harness.receiver(receiver);
            harness.runUntil(() -> values.size() == 5);
            assertThat(values).isEqualTo(numbers(1, 5));
        }
    }

    /** The message is not at fault, so it stays with Aeron until the ring takes it. */
    @ParameterizedTest
    @ValueSource(strings = {"tryNext", "publish"})
    void whatTheProducerOfTheRingThrowsReachesTheCallerAndLosesNoMessage(String call) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(64);
            boolean[] fails = {false};
            Producer<long[]> failing = failing(in.producer, call, fails);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, RingSink.waiting(failing, DECODER), heard)
                            .build());
            out.publish(1, 2);
            harness.runUntil(() -> in.values.size() == 2);
            fails[0] = true;
            out.publish(3, 5);
            harness.runUntil(() -> harness.errors.size() > 1 || receiver.bad() > 0);
            fails[0] = false;
            harness.runUntil(() -> in.values.size() == 5 || receiver.bad() > 0);
            assertThat(in.values).isEqualTo(numbers(1, 5));
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1");
            assertThat(receiver.bad() + receiver.missing()).isZero();
            assertThat(receiver.received()).isEqualTo(5);
            assertThat(harness.errors)
                    .allSatisfy(e -> assertThat(e).isExactlyInstanceOf(IllegalStateException.class))
                    .allSatisfy(e -> assertThat(e).hasMessage(call + " is mine"));
        }
    }

    /** A producer whose call throws for a while; a publication gives its claim up before. */
    @SuppressWarnings("unchecked")
    static Producer<long[]> failing(Producer<long[]> producer, String call, boolean[] fails) {
        return (Producer<long[]>) Proxy.newProxyInstance(
                Producer.class.getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, args) -> {
                    if (fails[0] && method.getName().equals(call)) {
                        if (call.equals("publish")) {
                            producer.abort((long) args[0], (long) args[0]);
                        }
                        throw new IllegalStateException(call + " is mine");
                    }
                    return method.invoke(producer, args);
                });
    }

    /** Nobody makes room any more, and the producer says so. */
    @Test
    void aConsumerThatHasEndedCostsADroppingSinkNoMessage() throws Exception {
        try (Harness harness = new Harness()) {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(8)
                    .singleProducer()
                    .shedding((consumer, event, sequence) -> {})
                    .build();
            EventHandler<long[]> handler = (event, sequence, endOfBatch) -> {};
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            processor.onStart();
            processor.halt();
            processor.doWork();
            processor.onClose();
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            DroppingProducer<long[]> dropping = DroppingProducer.dropOldest(ring.producer(), 1_000_000_000);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, RingSink.dropping(dropping, DECODER), heard)
                            .build());
            out.publish(1, 20);
            harness.runUntil(() -> harness.errors.size() > 1 || receiver.bad() > 0);
            assertThat(receiver.bad()).isZero();
            assertThat(receiver.received()).isEqualTo(8);
            assertThat(harness.errors)
                    .allSatisfy(e -> assertThat(e)
                            .isExactlyInstanceOf(IllegalStateException.class)
                            .hasStackTraceContaining("DroppingProducer"));
            assertThat(pipeline.consumer(handler).remove(0)).isEqualTo(Removal.LEFT);
            harness.runUntil(() -> receiver.received() == 20);
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1");
            ring.close();
        }
    }

    /** It is dropped and counted when its handler throws, so it must not come again. */
    @Test
    void aMessageWhoseDropHandlerThrowsIsToldAndPassedOver() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(2);
            in.polls = false;
            DroppingProducer<long[]> dropping = DroppingProducer.dropNewest(in.producer, new long[1], event -> {
                throw new IllegalStateException("mine");
            });
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, RingSink.dropping(dropping, DECODER), heard)
                            .build());
            out.publish(1, 4);
            harness.runUntil(() -> receiver.bad() == 2);
            harness.steps(20);
            assertThat(dropping.dropped()).isEqualTo(2);
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1", "bad 3 mine", "bad 4 mine");
            assertThat(harness.errors).isEmpty();
        }
    }

    @Test
    void aListenerThatThrowsIsToldToTheErrorHandler() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(8);
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new ReceiverListener() {
                        @Override
                        public void onFirst(int sessionId, long number) {
                            throw new IllegalStateException("mine");
                        }

                        @Override
                        public void onBadMessage(int sessionId, long number, Exception failure) {}
                    })
                    .build());
            out.publish(1, 3);
            harness.runUntil(() -> in.values.size() == 3);
            assertThat(harness.errors)
                    .singleElement()
                    .satisfies(e -> assertThat(e).hasMessage("mine"));
        }
    }

    /** As one that is written in Kotlin may. */
    @Test
    void aListenerThatThrowsACheckedExceptionIsToldToTheErrorHandlerTooAndGetsNoMessageAgain() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(8);
            MessageDecoder<long[]> noTwo = (event, buffer, offset, length, number) -> {
                event[0] = buffer.getLong(offset);
                if (event[0] == 2) {
                    throw new IllegalStateException("a two");
                }
            };
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            RingSink.waiting(in.producer, noTwo),
                            (session, number, failure) -> LangUtil.rethrowUnchecked(new IOException("mine")))
                    .build());
            out.publish(1, 3);
            harness.runUntil(() -> in.values.size() == 2 || receiver.bad() > 1);
            assertThat(in.values).containsExactly(1L, 3L);
            assertThat(receiver.bad()).isEqualTo(1);
            assertThat(harness.errors).singleElement().isInstanceOf(IOException.class);
        }
    }

    @Test
    void aReceiverThatIsClosedOrHasEndedIsNotConnected() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In closed = harness.new In(8);
            Harness.In ended = harness.new In(8);
            List<AeronReceiver> receivers = new ArrayList<>();
            for (Harness.In in : List.of(closed, ended)) {
                receivers.add(harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                        .build()));
            }
            out.publish(1, 1);
            harness.runUntil(() -> closed.values.size() == 1 && ended.values.size() == 1);
            assertThat(receivers).allMatch(AeronReceiver::isConnected);
            receivers.get(0).close();
            ended.ring.close();
            out.publish(2, 2);
            harness.runUntil(receivers.get(1)::isDone);
            assertThat(receivers).noneMatch(AeronReceiver::isConnected);
        }
    }

    @Test
    void aClosedRingEndsTheReceiver() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(8);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            out.publish(1, 3);
            harness.runUntil(() -> in.values.size() == 3);
            assertThat(receiver.isDone()).isFalse();
            in.ring.close();
            out.publish(4, 4);
            harness.runUntil(receiver::isDone);
            assertThat(receiver.doWork()).isZero();
            assertThat(receiver.received()).isEqualTo(3);
        }
    }

    @Test
    void aRingThatFailsEndsTheReceiver() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(8)
                    .singleProducer()
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.errorHandler(harness::error);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                throw new IllegalStateException("mine");
            });
            RunnerAgent handling = pipeline.startInvoked();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(
                            harness.link, IPC, STREAM, RingSink.waiting(ring.producer(), DECODER), new Heard())
                    .build());
            out.publish(1, 1);
            harness.runUntil(() -> receiver.received() == 1);
            while (ring.state() != State.FAILED) {
                handling.doWork();
            }
            out.publish(2, 20);
            harness.runUntil(receiver::isDone);
            assertThat(receiver.received()).isEqualTo(1);
            ring.close();
        }
    }

    /** A sink that has ended is asked no more, also not by the other stream of the same call. */
    @Test
    void aSinkThatHasEndedIsAskedNoMore() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out live = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.Out replay = harness.new Out(64, sender(harness, STREAM + 1, 1));
            int[] asked = {0};
            MessageSink sink = (buffer, offset, length, session, number) -> {
                asked[0]++;
                return MessageSink.Taken.ENDED;
            };
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, sink, heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, STREAM + 1)
                    .build());
            harness.runUntil(() -> live.sender.open() && replay.sender.open() && heard.all.size() == 2);
            replay.publish(1, 1);
            live.publish(1, 1);
            harness.runUntil(receiver::isDone);
            harness.steps(5);
            assertThat(asked[0]).isEqualTo(1);
        }
    }

    @Test
    void twoSendersOfOneStreamAreTwoSessionsWithNumbersOfTheirOwn() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out one = harness.new Out(16, sender(harness, STREAM, 1));
            Harness.Out two = harness.new Out(16, sender(harness, STREAM, 1_000));
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            for (int i = 0; i < 300; i++) {
                one.publish(i, i);
                two.publish(1_000 + i, 1_000 + i);
            }
            harness.runUntil(() -> in.values.size() >= 600);
            assertThat(in.values.stream().filter(value -> value < 1_000)).isEqualTo(numbers(0, 299));
            assertThat(in.values.stream().filter(value -> value >= 1_000)).isEqualTo(numbers(1_000, 1_299));
            assertThat(receiver.missing() + receiver.repeated()).isZero();
        }
    }

    @Test
    void sessionsThatAreGoneAreForgottenWhenThereAreManyAndNoneThatIsPresent() throws Exception {
        try (Harness harness = new Harness()) {
            HeardStream stream = new HeardStream(
                    harness.link, IPC, STREAM, null, new ArrayDeque<>(), (buffer, offset, length, header) -> null);
            stream.came(1, 5, 1, 0, null);
            stream.session(1).numbers.expected = 7;
            stream.came(2, 5, 2, 0, null);
            stream.session(2).numbers.expected = 9;
            stream.went(2, 64, null);
            assertThat(stream.session(2).numbers.expected)
                    .as("it may come again")
                    .isEqualTo(9);
            for (int other = 3; other < 200; other++) {
                stream.came(other, 5, other, 0, null);
                stream.went(other, 64, null);
            }
            assertThat(stream.session(1).numbers.expected).isEqualTo(7);
            assertThat(stream.session(2).numbers.expected).as("forgotten").isZero();
            stream.close();
        }
    }

    @Test
    void aSenderThatIsClosedStillDeliversWhatItHasSentAndItsEndIsTold() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(8);
            in.polls = false;
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .build());
            out.publish(1, 30);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 30);
            out.ring.close();
            out.sender.close();
            harness.steps(200);
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1");
            in.polls = true;
            harness.runUntil(() -> receiver.gone() == 1);
            assertThat(in.values).isEqualTo(numbers(1, 30));
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1", "unavailable aeron:ipc");
            assertThat(heard.position).isEqualTo(30 * 64);
            assertThat(receiver.isConnected()).isFalse();
        }
    }

    @Test
    void aSenderThatStartsAgainGoesOnExactlyOnceBehindAReceiverOfOneSender() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .build());
            Harness.Out first = harness.new Out(64, sender(harness, STREAM, 1));
            first.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 10);
            first.ring.close();
            first.sender.close();
            Harness.Out second = harness.new Out(64, sender(harness, STREAM, 6)); // knows of 5 only
            second.publish(6, 15);
            harness.runUntil(() -> in.values.size() == 15);
            Harness.Out third = harness.new Out(64, sender(harness, STREAM, 18)); // has lost two
            third.publish(18, 20);
            harness.runUntil(() -> in.values.size() == 18);
            assertThat(in.values.subList(0, 15)).isEqualTo(numbers(1, 15));
            assertThat(in.values.subList(15, 18)).isEqualTo(numbers(18, 20));
            assertThat(receiver.repeated()).isEqualTo(5);
            assertThat(receiver.missing()).isEqualTo(2);
            assertThat(heard.all).contains("first 1", "first 6", "first 18", "gap 16 to 17");
        }
    }

    @Test
    void aGapBeforeAMessageThatFindsNoRoomIsToldAndCountedOnce() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(8);
            in.polls = false;
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .build());
            Harness.Out first = harness.new Out(64, sender(harness, STREAM, 1));
            first.publish(1, 8);
            harness.runUntil(() -> receiver.received() == 8);
            Harness.Out second = harness.new Out(64, sender(harness, STREAM, 11));
            second.publish(11, 11);
            harness.runUntil(() -> receiver.held() > 10);
            assertThat(receiver.missing()).isEqualTo(2);
            in.polls = true;
            harness.runUntil(() -> in.values.size() == 9);
            assertThat(receiver.missing()).isEqualTo(2);
            assertThat(heard.all).filteredOn(text -> text.startsWith("gap")).containsExactly("gap 9 to 10");
        }
    }

    @Test
    void aGapIsFilledFromTheReplayAndLiveMessagesWait() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(4);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(4)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            Harness.Out live = harness.new Out(64, sender(harness, STREAM, 51));
            live.publish(51, 80);
            harness.runUntil(() -> receiver.held() > 10);
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 51", "gap 4 to 50");
            assertThat(in.values).isEmpty();
            Harness.Out replay = harness.new Out(64, sender(harness, REPLAY, 1));
            replay.publish(1, 55); // more than was asked for, on both sides
            harness.runUntil(() -> in.values.size() == 77);
            harness.steps(100);
            assertThat(in.values).isEqualTo(numbers(4, 80));
            assertThat(receiver.missing()).isZero();
            assertThat(receiver.repeated()).isGreaterThanOrEqualTo(3 + 5);
        }
    }

    /** Who asks for what is missing whenever it is told asks once. */
    @Test
    void aGapIsToldOnceWhileItIsBeingFilled() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            Harness.Out live = harness.new Out(64, sender(harness, STREAM, 501));
            live.publish(501, 510);
            harness.runUntil(() -> receiver.held() > 10);
            Harness.Out replay = harness.new Out(16, sender(harness, REPLAY, 1));
            replay.publish(1, 500);
            harness.runUntil(() -> in.values.size() == 510);
            assertThat(in.values).isEqualTo(numbers(1, 510));
            assertThat(heard.all).filteredOn(text -> text.startsWith("gap")).containsExactly("gap 1 to 500");
        }
    }

    /** The replay has not all that was asked for, and Aeron keeps what lies behind the hole. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5})
    void aHoleInAReplayIsToldAndCanBeGivenUp(int before) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            Harness.Out live = harness.new Out(64, sender(harness, STREAM, 21));
            live.publish(21, 22);
            harness.runUntil(() -> receiver.held() > 0);
            Harness.Out first = harness.new Out(16, sender(harness, REPLAY, 1));
            if (before > 0) {
                first.publish(1, before);
            }
            harness.runUntil(() -> in.values.size() == before);
            Harness.Out behind = harness.new Out(16, sender(harness, REPLAY, 9));
            behind.publish(9, 20);
            String hole = "gap " + (before + 1) + " to 8";
            harness.runUntil(() -> heard.all.contains(hole));
            harness.steps(20);
            receiver.acceptGap(9);
            harness.runUntil(() -> in.values.size() == before + 14);
            assertThat(in.values.subList(before, before + 14)).isEqualTo(numbers(9, 22));
            assertThat(heard.all)
                    .filteredOn(text -> text.startsWith("gap"))
                    .startsWith("gap 1 to 20", hole)
                    .doesNotHaveDuplicates();
        }
    }

    /** Whoever asks once more for what a replay has left open may get the same hole again: nothing else tells of it. */
    @Test
    void aHoleThatTheNextReplayHasTooIsToldOnceOfEachReplay() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(32);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            Harness.Out live = harness.new Out(64, sender(harness, STREAM, 21));
            live.publish(21, 22);
            harness.runUntil(() -> receiver.held() > 0);
            List<String> gaps = new ArrayList<>(List.of("gap 1 to 20"));
            for (int i = 1; i <= 2; i++) {
                int sessions = i + 1;
                ExclusivePublication replay = harness.link.aeron().addExclusivePublication(IPC, REPLAY);
                harness.runUntil(replay::isConnected);
                message(replay, 9);
                message(replay, 10);
                harness.runUntil(() -> told(heard, "first ").size() == sessions);
                harness.steps(50);
                gaps.add("gap 1 to 8");
                assertThat(told(heard, "gap ")).as("replay %d", i).isEqualTo(gaps);
                replay.revoke();
                harness.runUntil(() -> receiver.gone() == sessions - 1);
                harness.steps(50);
                gaps.add("gap 1 to 20");
                assertThat(told(heard, "gap ")).as("behind replay %d", i).isEqualTo(gaps);
            }
            Harness.Out whole = harness.new Out(32, sender(harness, REPLAY, 1));
            whole.publish(1, 20);
            harness.runUntil(() -> in.values.size() == 22);
            assertThat(in.values).isEqualTo(numbers(1, 22));
            assertThat(told(heard, "gap ")).isEqualTo(gaps);
        }
    }

    /** What fills a hole makes it smaller with each message. Whoever asks whenever it is told would ask for the same messages again and again. */
    @Test
    void aHoleIsNotToldAgainWhileTheNextReplayFillsIt() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(32);
            Heard heard = new Heard();
            AeronReceiver receiver = withAHole(harness, in, heard);
            ExclusivePublication next = replay(harness);
            for (int number = 1; number <= 20; number++) {
                int all = number;
                message(next, number);
                harness.runUntil(() -> in.values.size() >= all);
                harness.steps(5);
            }
            harness.runUntil(() -> in.values.size() == 22);
            assertThat(in.values).isEqualTo(numbers(1, 22));
            assertThat(told(heard, "gap ")).containsExactly("gap 1 to 20", "gap 1 to 8");
            assertThat(receiver.missing()).isZero();
        }
    }

    /** Also while the replay before it still waits, and nothing of what was asked for has come. */
    @Test
    void eachReplayTellsItsOwnHoleOnceBesideOthersThatWait() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(32);
            Heard heard = new Heard();
            withAHole(harness, in, heard);
            ExclusivePublication second = replay(harness);
            message(second, 9);
            harness.runUntil(() -> told(heard, "first ").size() == 3);
            harness.steps(50);
            ExclusivePublication third = replay(harness);
            for (long number : new long[] {1, 2, 3, 6}) {
                message(third, number);
                harness.steps(50);
            }
            ExclusivePublication fourth = replay(harness);
            message(fourth, 4);
            harness.steps(50);
            message(fourth, 5);
            harness.runUntil(() -> in.values.size() == 6);
            message(third, 7);
            harness.steps(50);
            message(third, 8);
            harness.runUntil(() -> in.values.size() == 10);
            assertThat(in.values).isEqualTo(numbers(1, 10));
            assertThat(told(heard, "gap ")).containsExactly("gap 1 to 20", "gap 1 to 8", "gap 1 to 8", "gap 4 to 5");
        }
    }

    /** Also of a hole that a replay has, and also if nothing was given up. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void whatIsLeftOfAHoleThatIsGivenUpInPartIsToldOnceAgain(int next) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(32);
            Heard heard = new Heard();
            AeronReceiver receiver = withAHole(harness, in, heard);
            receiver.acceptGap(next);
            harness.steps(50);
            assertThat(told(heard, "gap "))
                    .containsExactly("gap 1 to 20", "gap 1 to 8", "gap " + next + " to 8", "gap " + next + " to 20");
            assertThat(receiver.missing()).isEqualTo(next - 1);
            receiver.acceptGap(9);
            harness.runUntil(() -> in.values.size() == 2);
            harness.steps(50);
            assertThat(in.values).containsExactly(9L, 10L);
            assertThat(told(heard, "gap ")).hasSize(5).last().isEqualTo("gap 11 to 20");
        }
    }

    /** Who was asked for what is left may be the one that is gone. */
    @Test
    void aHoleIsToldAgainWhenAnotherReplayGoes() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(32);
            Heard heard = new Heard();
            AeronReceiver receiver = withAHole(harness, in, heard);
            ExclusivePublication next = replay(harness);
            message(next, 1);
            message(next, 2);
            harness.runUntil(() -> in.values.size() == 2);
            next.close();
            harness.runUntil(() -> receiver.gone() == 1);
            harness.steps(50);
            assertThat(told(heard, "gap ")).containsExactly("gap 1 to 20", "gap 1 to 8", "gap 3 to 8", "gap 3 to 20");
        }
    }

    /** A receiver that wants 1 to 20. Its live messages 21 and 22 wait, and a replay that begins with 9. */
    private static AeronReceiver withAHole(Harness harness, Harness.In in, Heard heard) {
        AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                .oneSender(1)
                .fillGapsFrom(IPC, REPLAY)
                .build());
        Harness.Out live = harness.new Out(64, sender(harness, STREAM, 21));
        live.publish(21, 22);
        harness.runUntil(() -> receiver.held() > 0);
        ExclusivePublication replay = replay(harness);
        message(replay, 9);
        message(replay, 10);
        harness.runUntil(() -> heard.all.contains("first 9"));
        harness.steps(50);
        assertThat(told(heard, "gap ")).containsExactly("gap 1 to 20", "gap 1 to 8");
        return receiver;
    }

    private static ExclusivePublication replay(Harness harness) {
        ExclusivePublication replay = harness.link.aeron().addExclusivePublication(IPC, REPLAY);
        harness.runUntil(replay::isConnected);
        return replay;
    }

    private static List<String> told(Heard heard, String what) {
        return heard.all.stream().filter(text -> text.startsWith(what)).toList();
    }

    private static void message(ExclusivePublication to, long number) {
        BufferClaim claim = new BufferClaim();
        assertThat(to.tryClaim(Long.BYTES, claim)).isPositive();
        claim.buffer().putLong(claim.offset(), number);
        claim.reservedValue(number).commit();
    }

    /** What a replay leaves open when it goes has to be asked for again, and so has what is left of a gap that was given up in part. */
    @Test
    void whatIsLeftOfAGapIsToldOnceAgain() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            Harness.Out live = harness.new Out(64, sender(harness, STREAM, 21));
            live.publish(21, 22);
            harness.runUntil(() -> receiver.held() > 0);
            Harness.Out replay = harness.new Out(16, sender(harness, REPLAY, 1));
            replay.publish(1, 5);
            harness.runUntil(() -> in.values.size() == 5);
            replay.ring.close();
            replay.sender.close();
            harness.runUntil(() -> receiver.gone() == 1);
            harness.steps(20);
            receiver.acceptGap(11);
            harness.steps(20);
            assertThat(heard.all)
                    .filteredOn(text -> text.startsWith("gap"))
                    .containsExactly("gap 1 to 20", "gap 6 to 20", "gap 11 to 20");
            assertThat(receiver.missing()).isEqualTo(5);
            Harness.Out second = harness.new Out(16, sender(harness, REPLAY, 11));
            second.publish(11, 20);
            harness.runUntil(() -> in.values.size() == 17);
            assertThat(in.values.subList(5, 17)).isEqualTo(numbers(11, 22));
        }
    }

    /** Aeron gives ids out for each stream, and an application may choose them: nothing keeps two streams from the same one. */
    @Test
    void aReplayWithTheSessionIdOfTheLiveStreamIsASessionOfItsOwn() throws Exception {
        String chosen = IPC + "|session-id=77";
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            Harness.Out live = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, chosen, STREAM, ENCODER)
                            .firstNumber(11)
                            .build());
            Harness.Out replay = harness
            .new Out(
                    64,
                    AeronSender.<long[]>builder(harness.link, chosen, REPLAY, ENCODER)
                            .build());
            live.publish(11, 15);
            harness.runUntil(() -> receiver.held() > 0);
            replay.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 15);
            assertThat(replay.sender.sessionId())
                    .isEqualTo(live.sender.sessionId())
                    .isEqualTo(77);
            assertThat(heard.all.stream().filter(text -> text.startsWith("first")))
                    .as("each session's own")
                    .containsExactly("first 11", "first 1");
            replay.ring.close();
            replay.sender.close();
            harness.runUntil(() -> receiver.gone() == 1);
            assertThat(receiver.isConnected()).as("the live one is still there").isTrue();
            live.publish(16, 20);
            harness.runUntil(() -> in.values.size() == 20);
            assertThat(in.values).isEqualTo(numbers(1, 20));
            live.ring.close();
            live.sender.close();
            harness.runUntil(() -> receiver.gone() == 2);
            assertThat(receiver.isConnected()).isFalse();
        }
    }

    @Test
    void fragmentsOfTwoStreamsWithTheSameSessionIdAreNotMixed() throws Exception {
        String chosen = IPC + "|session-id=77";
        try (Harness harness = new Harness()) {
            List<String> values = new ArrayList<>();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                values.add(number + ": " + buffer.getStringWithoutLengthAscii(offset, length));
                                return MessageSink.Taken.TAKEN;
                            },
                            new Heard())
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build());
            ExclusivePublication live = harness.link.aeron().addExclusivePublication(chosen, STREAM);
            ExclusivePublication replay = harness.link.aeron().addExclusivePublication(chosen, REPLAY);
            harness.runUntil(() -> live.isConnected() && replay.isConnected());
            fragment(live, "in two ", 2, FrameDescriptor.BEGIN_FRAG_FLAG);
            harness.steps(100);
            fragment(replay, "the ", 1, FrameDescriptor.BEGIN_FRAG_FLAG);
            fragment(replay, "first", 1, FrameDescriptor.END_FRAG_FLAG);
            harness.runUntil(() -> values.size() == 1);
            replay.close();
            harness.runUntil(() -> receiver.gone() == 1);
            fragment(live, "parts", 2, FrameDescriptor.END_FRAG_FLAG);
            harness.runUntil(() -> values.size() == 2);
            assertThat(values).containsExactly("1: the first", "2: in two parts");
        }
    }

    private static void fragment(ExclusivePublication to, String text, long number, byte flag) {
        BufferClaim claim = new BufferClaim();
        assertThat(to.tryClaim(text.length(), claim)).isPositive();
        claim.buffer().putStringWithoutLengthAscii(claim.offset(), text);
        claim.flags(flag).reservedValue(number).commit();
    }

    /** A session of the live stream comes while the receiver is in the middle of its replay. */
    @Test
    void aSessionIsToldBeforeItsFirstMessageAlsoIfItComesBetweenTwoPolls() throws Exception {
        try (Harness harness = new Harness()) {
            List<Long> values = new ArrayList<>();
            Heard heard = new Heard();
            AeronReceiver receiver = AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            (buffer, offset, length, session, number) -> {
                                values.add(number);
                                if (number == 1) {
                                    Harness.Out live = harness.new Out(64, sender(harness, STREAM, 2));
                                    live.publish(2, 2);
                                    harness.runUntil(() -> live.sender.count(SendResult.SENT) == 1);
                                    harness.steps(100);
                                }
                                return MessageSink.Taken.TAKEN;
                            },
                            heard)
                    .oneSender(1)
                    .fillGapsFrom(IPC, REPLAY)
                    .build();
            Harness.Out replay = harness.new Out(64, sender(harness, REPLAY, 1));
            replay.publish(1, 1);
            for (int i = 0; i < 100_000 && values.size() < 2; i++) {
                harness.step();
                receiver.doWork();
            }
            assertThat(values).containsExactly(1L, 2L);
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1", "available aeron:ipc", "first 2");
            receiver.close();
        }
    }

    /**
     * Aeron adds an image to its subscription before it calls the handler. So where another thread runs the link, a message may be read in
     * between: then the queue does not say yet that the session has come.
     */
    @Test
    void aSessionIsToldBeforeItsFirstMessageThoughAeronHasNotCalledItsHandlerYet() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(64);
            Heard heard = new Heard();
            AeronReceiver receiver = AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .build();
            for (int i = 0; i < 100; i++) { // its subscription is open behind that
                receiver.doWork();
                harness.step();
            }
            ExclusivePublication publication = harness.link.aeron().addExclusivePublication(IPC, STREAM);
            harness.runUntil(() -> publication.isConnected() && !receiver.changes.isEmpty());
            message(publication, 1);
            List<HeardStream.Change> late = new ArrayList<>(receiver.changes);
            receiver.changes.clear();
            receiver.doWork();
            assertThat(receiver.received()).isEqualTo(1);
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1");
            receiver.changes.addAll(late);
            receiver.doWork();
            message(publication, 5);
            receiver.doWork();
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1", "gap 2 to 4");
            assertThat(receiver.missing()).isEqualTo(3);
            publication.close();
            harness.runUntil(() -> receiver.doWork() >= 0 && receiver.gone() == 1);
            assertThat(receiver.isConnected()).isFalse();
            receiver.close();
        }
    }

    @Test
    void whatCameOfAMessageIsForgottenWithItsSession() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(8);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            ExclusivePublication broken = harness.link.aeron().addExclusivePublication(IPC, STREAM);
            harness.runUntil(() -> broken.isConnected() && receiver.isConnected());
            BufferClaim claim = new BufferClaim();
            assertThat(broken.tryClaim(1_000, claim)).isPositive();
            claim.flags(FrameDescriptor.BEGIN_FRAG_FLAG);
            claim.commit();
            Harness.Out whole = harness.new Out(8, sender(harness, STREAM, 1));
            whole.publish(1, 1);
            harness.runUntil(() -> in.values.size() == 1);
            int session = broken.sessionId();
            broken.close();
            harness.runUntil(() -> receiver.gone() == 1);
            assertThat(receiver.live.forgetFragments(session))
                    .as("a buffer is still there")
                    .isFalse();
            assertThat(in.values).containsExactly(1L);
        }
    }

    @Test
    void aGapThatCannotBeFilledIsGivenUp() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(64);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .oneSender(1)
                            .fillGapsFrom(IPC, REPLAY)
                            .build());
            Harness.Out live = harness.new Out(64, sender(harness, STREAM, 11));
            live.publish(11, 12);
            harness.runUntil(() -> receiver.held() > 0);
            assertThatThrownBy(() -> receiver.acceptGap(0)).hasMessage("next must be 1 or more, but was 0");
            receiver.acceptGap(11);
            harness.runUntil(() -> in.values.size() == 2);
            assertThat(in.values).containsExactly(11L, 12L);
            assertThat(receiver.missing()).isEqualTo(10);
            AeronReceiver other = AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                    .build();
            assertThatThrownBy(() -> other.acceptGap(5))
                    .hasMessage("acceptGap must be for a receiver that fills gaps, but this one does not");
        }
    }

    /** By IPC, a subscriber that is not tethered is left behind when it holds the publication for too long. */
    @Test
    void aSubscriberThatIsLeftBehindHoldsNobodyAndHearsWhatIsMissing() throws Exception {
        try (Harness harness = new Harness(context -> context.untetheredWindowLimitTimeoutNs(200_000_000)
                .untetheredLingerTimeoutNs(100_000_000)
                .untetheredRestingTimeoutNs(100_000_000))) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In fast = harness.new In(64);
            Harness.In slow = harness.new In(8);
            slow.polls = false;
            Heard heard = new Heard();
            AeronReceiver keepsUp =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, fast.sink(), new Heard())
                            .build());
            AeronReceiver leftBehind = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC + "|tether=false|rejoin=true", STREAM, slow.sink(), heard)
                            .build());
            harness.runUntil(() -> out.sender.open() && keepsUp.isConnected() && leftBehind.isConnected());
            out.publish(1, 3_000);
            harness.runUntil(() -> fast.values.size() == 3_000);
            assertThat(fast.values).isEqualTo(numbers(1, 3_000));
            assertThat(keepsUp.missing()).isZero();
            harness.runUntil(() -> leftBehind.gone() > 0);
            assertThat(heard.all).contains("available aeron:ipc", "first 1", "unavailable aeron:ipc");
            slow.polls = true;
            harness.runUntil(leftBehind::isConnected);
            long next = 3_000;
            while (leftBehind.missing() == 0) {
                assertThat(next).as("a gap is told soon").isLessThan(4_000);
                next++;
                out.publish(next, next);
                harness.steps(10);
            }
            long last = next;
            harness.runUntil(() -> slow.values.contains(last) && fast.values.size() == last);
            assertThat(slow.values.size() + leftBehind.missing()).isEqualTo(last);
            assertThat(heard.all).anyMatch(text -> text.startsWith("gap "));
            assertThat(slow.values).isSorted().doesNotHaveDuplicates();
        }
    }

    @Test
    void aRunnerMayWaitBehindAPollThatLeftNothingAndNotBehindAFullOne() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(64, sender(harness, STREAM, 1));
            Harness.In in = harness.new In(64);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .fragmentLimit(8)
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            harness.remove(receiver);
            out.publish(1, 13);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 13);
            assertThat(receiver.doWork()).isEqualTo(8);
            assertThat(receiver.eventsSinceIdle(8)).as("more is there").isZero();
            assertThat(receiver.doWork()).isEqualTo(5);
            assertThat(receiver.eventsSinceIdle(5)).isEqualTo(5);
        }
    }
}
