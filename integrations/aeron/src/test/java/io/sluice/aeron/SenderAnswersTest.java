package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static io.sluice.aeron.Harness.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.aeron.AeronCounters;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each answer of Aeron does to a sender, under each policy. */
@Tag("once")
class SenderAnswersTest {
    private static AeronSender.Builder<long[]> to(Harness harness, String channel) {
        return AeronSender.builder(harness.link, channel, STREAM, ENCODER);
    }

    private static PublicationEndedException cause(Harness.Out out) {
        Throwable failure = out.ring.failure();
        assertThat(failure).isInstanceOf(PublicationEndedException.class);
        return (PublicationEndedException) failure;
    }

    @Test
    void notConnectedLetsEventsWaitUntilASubscriberComes() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(16, to(harness, IPC).build());
            out.publish(1, 16);
            harness.steps(100);
            assertThat(out.producer.tryNext(1)).as("the ring is full").isNegative();
            assertThat(out.sender.count(SendResult.NOT_CONNECTED)).isPositive();
            assertThat(out.sender.count(SendResult.SENT)).isZero();
            Harness.In in = harness.new In(16);
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                    .build());
            harness.runUntil(() -> in.values.size() == 16);
            assertThat(in.values).isEqualTo(numbers(1, 16));
            assertThat(out.sender.dropped()).isZero();
        }
    }

    @Test
    void notConnectedMayDropAndALateSubscriberKnowsWhereItBegins() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    to(harness, IPC).whenNotConnected(AeronSender.Refused.DROP).build());
            out.publish(1, 100);
            harness.runUntil(() -> out.sender.dropped() == 100);
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .build());
            harness.runUntil(receiver::isConnected);
            harness.runUntil(() -> out.sender.publication().isConnected());
            out.publish(101, 103);
            harness.runUntil(() -> in.values.size() == 3);
            assertThat(in.values).isEqualTo(numbers(101, 103));
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 101");
            assertThat(out.sender.dropped()).isEqualTo(100);
        }
    }

    @Test
    void notConnectedMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    to(harness, IPC).whenNotConnected(AeronSender.Refused.FAIL).build());
            out.publish(1, 1);
            harness.runUntil(() -> out.ring.state() == State.FAILED);
            assertThat(cause(out).result()).isEqualTo(SendResult.NOT_CONNECTED);
            assertThat(cause(out)).hasMessage("cannot send on " + IPC + ", stream 7: NOT_CONNECTED");
        }
    }

    @Test
    void backPressureLetsEventsWait() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(16, to(harness, IPC).build());
            Harness.In in = harness.new In(16);
            in.polls = false;
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            long published = 0;
            int refused = 0;
            while (refused < 100) {
                if (out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, published + 1) >= 0) {
                    published++;
                    refused = 0;
                } else {
                    refused++; // the ring is full, and stays so
                }
                assertThat(published).as("published without end").isLessThan(100_000);
                harness.step();
            }
            assertThat(out.sender.count(SendResult.BACK_PRESSURED)).isPositive();
            assertThat(receiver.held()).isPositive();
            in.polls = true;
            long all = published;
            harness.runUntil(() -> in.values.size() >= all);
            assertThat(in.values).isEqualTo(numbers(1, all));
            assertThat(out.sender.dropped() + receiver.missing()).isZero();
        }
    }

    @Test
    void backPressureMayDropAndTheReceiverIsToldWhatIsMissing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    to(harness, IPC).whenBackPressured(AeronSender.Refused.DROP).build());
            Harness.In in = harness.new In(16);
            in.polls = false;
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            long published = 0;
            while (out.sender.dropped() < 10) {
                published++;
                out.publish(published, published);
            }
            harness.steps(10);
            in.polls = true;
            long before = published - out.sender.dropped();
            long gapTo = published;
            harness.runUntil(() -> in.values.size() == before);
            out.publish(published + 1, published + 1);
            harness.runUntil(() -> in.values.size() == before + 1);
            assertThat(in.values.subList(0, (int) before)).isEqualTo(numbers(1, before));
            assertThat(in.values.get((int) before)).isEqualTo(published + 1);
            assertThat(heard.all).last().isEqualTo("gap " + (before + 1) + " to " + gapTo);
            assertThat(receiver.missing()).isEqualTo(out.sender.dropped());
        }
    }

    @Test
    void backPressureMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    to(harness, IPC).whenBackPressured(AeronSender.Refused.FAIL).build());
            Harness.In in = harness.new In(1);
            in.polls = false;
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                    .build());
            harness.runUntil(() -> {
                out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, 1);
                return out.ring.state() == State.FAILED;
            });
            assertThat(cause(out).result()).isEqualTo(SendResult.BACK_PRESSURED);
        }
    }

    /** Until the driver has answered, nobody has refused anything: the policy is not asked. */
    @Test
    void whileThePublicationOpensEventsWaitWhateverThePolicy() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.steps(50); // its subscription is open
            Harness.Out out = harness
            .new Out(
                    16,
                    to(harness, IPC).whenNotConnected(AeronSender.Refused.FAIL).build());
            out.publish(1, 5);
            harness.runUntil(() -> in.values.size() == 5 || out.ring.state() == State.FAILED);
            assertThat(in.values).isEqualTo(numbers(1, 5));
            assertThat(out.sender.count(SendResult.NOT_CONNECTED)).isZero();
            assertThat(receiver.missing()).isZero();
        }
    }

    /** The encoder brings the log to its end before each try: each of them is answered by ADMIN_ACTION. */
    @Test
    void anAdminActionThatStaysHandsTheEventBackAndItGoesLater() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out[] out = {null};
            int[] tries = {0};
            EventEncoder<long[]> atTheEnd = new EventEncoder<>() {
                @Override
                public int length(long[] event) {
                    if (event[0] == 1 && tries[0] < 3) {
                        tries[0]++;
                        harness.toTheEndOfTheTerm((ExclusivePublication) out[0].sender.publication());
                    }
                    return 8;
                }

                @Override
                public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) {
                    buffer.putLong(offset, event[0]);
                }
            };
            out[0] = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, atTheEnd)
                            .build());
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .oneSender(1)
                            .build());
            harness.runUntil(() -> out[0].sender.open() && receiver.isConnected());
            out[0].publish(1, 5);
            harness.runUntil(() -> in.values.size() == 5);
            assertThat(in.values).isEqualTo(numbers(1, 5));
            assertThat(out[0].sender.count(SendResult.ADMIN_ACTION)).isEqualTo(3);
            assertThat(out[0].sender.count(SendResult.SENT)).isEqualTo(5);
            assertThat(receiver.missing() + receiver.repeated() + out[0].sender.dropped())
                    .isZero();
        }
    }

    /** How a publication ends under its sender. */
    enum End {
        CLOSED,
        REVOKED
    }

    @ParameterizedTest
    @EnumSource
    void aPublicationThatEndedIsOpenedAgainAndNumbersGoOn(End end) throws Exception {
        try (Harness harness = new Harness()) {
            List<String> told = new ArrayList<>();
            Harness.Out out =
                    harness.new Out(16, to(harness, IPC).listener(writer(told)).build());
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .build());
            out.publish(1, 5);
            harness.runUntil(() -> in.values.size() == 5);
            Publication first = out.sender.publication();
            if (end == End.REVOKED) {
                ((ExclusivePublication) first).revoke();
            } else {
                first.close();
            }
            out.publish(6, 10);
            harness.runUntil(() -> in.values.size() == 10);
            harness.runUntil(() -> receiver.gone() == 1);
            assertThat(in.values).isEqualTo(numbers(1, 10));
            assertThat(told).containsExactly("open at 1", "end at 6 CLOSED", "open at 6");
            assertThat(heard.all)
                    .contains(
                            "first 1",
                            "first 6",
                            end == End.REVOKED ? "unavailable aeron:ipc revoked" : "unavailable aeron:ipc");
            assertThat(receiver.missing() + receiver.repeated()).isZero();
            assertThat(out.sender.reopened()).isEqualTo(1);
            assertThat(out.sender.count(SendResult.CLOSED)).isEqualTo(1);
            assertThat(out.sender.hasSession(first.sessionId())).isTrue();
            assertThat(out.sender.hasSession(out.sender.sessionId())).isTrue();
            assertThat(out.sender.sessionId()).isNotEqualTo(first.sessionId());
        }
    }

    /** The publication ends behind events of the same batch that went; the failure of that batch's event must not be forgotten. */
    @Test
    void whatTheListenerThrowsInTheMiddleOfABatchFailsTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out[] out = {null};
            boolean[] ended = {false};
            EventEncoder<long[]> ends = new EventEncoder<>() {
                @Override
                public int length(long[] event) {
                    if (event[0] == 4 && !ended[0]) {
                        ended[0] = true;
                        out[0].sender.publication().close();
                    }
                    return 8;
                }

                @Override
                public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) {
                    buffer.putLong(offset, event[0]);
                }
            };
            out[0] = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ends)
                            .listener(new SenderListener() {
                                @Override
                                public void onEnd(int sessionId, SendResult result, long nextNumber) {
                                    throw new IllegalStateException("mine " + nextNumber);
                                }
                            })
                            .build());
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.runUntil(() -> out[0].sender.open() && receiver.isConnected());
            for (long value = 1; value <= 5; value++) {
                out[0].producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value);
            }
            harness.runUntil(() -> out[0].ring.state() == State.FAILED);
            assertThat(out[0].ring.failure()).hasMessage("mine 4");
            harness.runUntil(() -> in.values.size() == 3);
            assertThat(in.values).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void aPublicationThatEndedMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(16, to(harness, IPC).whenEnded(AeronSender.Ended.FAIL).build());
            harness.runUntil(out.sender::open);
            out.sender.publication().close();
            out.publish(1, 1);
            harness.runUntil(() -> out.ring.state() == State.FAILED);
            assertThat(cause(out).result()).isEqualTo(SendResult.CLOSED);
        }
    }

    /** The first publication begins 320 bytes before the last position that it can have. */
    private static final String NEAR_THE_END = IPC + "|init-term-id=0|term-id=2147483647|term-offset=65216";

    @Test
    void behindTheLastPositionANewSessionGoesOn() throws Exception {
        try (Harness harness = new Harness()) {
            List<String> told = new ArrayList<>();
            Harness.Out out = harness
            .new Out(16, to(harness, NEAR_THE_END).listener(writer(told)).build());
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .oneSender(1)
                            .build());
            out.publish(1, 40);
            harness.runUntil(() -> in.values.size() == 40);
            assertThat(in.values).isEqualTo(numbers(1, 40));
            assertThat(out.sender.count(SendResult.MAX_POSITION_EXCEEDED)).isEqualTo(1);
            assertThat(out.sender.reopened()).isEqualTo(1);
            assertThat(told).hasSize(3).element(1).asString().endsWith("MAX_POSITION_EXCEEDED");
            assertThat(receiver.missing() + receiver.repeated()).isZero();
        }
    }

    @Test
    void theLastPositionMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    to(harness, NEAR_THE_END).whenEnded(AeronSender.Ended.FAIL).build());
            Harness.In in = harness.new In(16);
            harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                    .build());
            harness.runUntil(() -> {
                out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, 1);
                return out.ring.state() == State.FAILED;
            });
            assertThat(cause(out).result()).isEqualTo(SendResult.MAX_POSITION_EXCEEDED);
            assertThat(in.values.size()).as("what was sent before").isPositive();
        }
    }

    @Test
    void aClosedLinkFailsTheRingWhateverThePolicy() throws Exception {
        try (Harness harness = new Harness()) {
            List<String> told = new ArrayList<>();
            Harness.Out out =
                    harness.new Out(16, to(harness, IPC).listener(writer(told)).build());
            harness.runUntil(out.sender::open);
            harness.link.close();
            out.publish(1, 1);
            harness.runUntil(() -> out.ring.state() == State.FAILED);
            assertThat(cause(out).result()).isEqualTo(SendResult.CLOSED);
            assertThat(out.sender.reopened()).isZero();
            assertThat(told).as("nothing is opened again").containsExactly("open at 1");
        }
    }

    @Test
    void aLinkThatIsClosedBeforeThePublicationIsOpenFailsTheRingWhateverThePolicy() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness.new Out(16, to(harness, IPC).build());
            harness.link.close();
            out.publish(1, 1);
            harness.runUntil(() -> out.ring.state() == State.FAILED);
            assertThat(cause(out).result()).isEqualTo(SendResult.CLOSED);
        }
    }

    @Test
    void whileTheDriverIsLostThePolicyForNoSubscriberIsAsked() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    to(harness, IPC).whenNotConnected(AeronSender.Refused.DROP).build());
            harness.runUntil(out.sender::open);
            harness.remove(harness.link); // it does not look for a new one
            harness.link.aeron().close();
            out.publish(1, 40);
            harness.runUntil(() -> out.sender.dropped() == 40);
            assertThat(out.sender.count(SendResult.NOT_CONNECTED)).isEqualTo(40);
            assertThat(out.ring.state()).isEqualTo(State.RUNNING);
        }
    }

    /** Every second event makes no message: it takes no number, so that nobody hears of a gap of it. */
    @Test
    void eventsWithoutAMessageAreNotDroppedWhileTheDriverIsLost() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, new Some())
                            .whenNotConnected(AeronSender.Refused.DROP)
                            .build());
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .oneSender(1)
                    .build());
            connect(harness, out, receiver);
            out.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 5);
            harness.remove(harness.link); // it does not look for a new one
            harness.link.aeron().close();
            out.publish(11, 20);
            harness.runUntil(() -> out.ring.leftover().unhandled() == 0);
            assertThat(out.sender.dropped()).isEqualTo(5);
            harness.agent(harness.link);
            harness.runUntil(() -> harness.link.reconnects() == 1);
            connect(harness, out, receiver);
            out.publish(21, 22);
            harness.runUntil(() -> in.values.size() == 6);
            assertThat(in.values).containsExactly(2L, 4L, 6L, 8L, 10L, 22L);
            assertThat(heard.all).filteredOn(text -> text.startsWith("gap")).containsExactly("gap 6 to 10");
            assertThat(receiver.missing()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEventWithoutAMessageNeedsNoDriverWhateverThePolicy(AeronSender.Refused policy) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, new Some())
                            .whenNotConnected(policy)
                            .build());
            harness.remove(harness.link);
            harness.link.aeron().close();
            out.publish(1, 1);
            harness.runUntil(() -> out.ring.leftover().unhandled() == 0 || out.ring.state() == State.FAILED);
            assertThat(out.ring.state()).isEqualTo(State.RUNNING);
            assertThat(out.sender.dropped()).isZero();
            out.ring.close();
        }
    }

    @Test
    void anEventWhoseLengthFailsIsPassedOverAlsoWhileTheDriverIsLost() throws Exception {
        try (Harness harness = new Harness()) {
            List<String> skipped = new ArrayList<>();
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, PICKY)
                            .whenNotConnected(AeronSender.Refused.DROP)
                            .skipUnencodable(e -> skipped.add(e.getMessage()))
                            .build());
            harness.remove(harness.link);
            harness.link.aeron().close();
            out.publish(1, 4);
            harness.runUntil(() -> out.ring.leftover().unhandled() == 0);
            assertThat(skipped).containsExactly("no length");
            assertThat(out.sender.unencodable()).isEqualTo(1);
            assertThat(out.sender.dropped()).isEqualTo(3);
        }
    }

    /** The event fails behind one that went, so its failure waits until it comes again. It does not: a publisher has it dropped. */
    @Test
    void theFailureOfAnEventThatIsShedIsNotThatOfTheNextOne() throws Exception {
        try (Harness harness = new Harness()) {
            List<Long> shed = new ArrayList<>();
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(16) // a batch has a quarter at most
                    .singleProducer()
                    .shedding((consumer, event, sequence) -> shed.add(event[0]))
                    .build();
            EventEncoder<long[]> noTwo = EventEncoder.fixed(8, (event, buffer, offset) -> {
                if (event[0] == 2) {
                    throw new IllegalStateException("a two");
                }
                buffer.putLong(offset, event[0]);
            });
            AeronSender<long[]> sender = AeronSender.<long[]>builder(harness.link, IPC, STREAM, noTwo)
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(pipeline.batchConsumer("out", sender)
                    .onFailure((cause, event, sequence, attempt) -> FailurePolicy.Action.SKIP));
            Harness.In in = harness.new In(64);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.agent(pipeline.startInvoked()); // the last one of a step
            harness.runUntil(() -> sender.open() && sender.publication().isConnected() && receiver.isConnected());
            DroppingProducer<long[]> producer = DroppingProducer.dropOldest(ring.producer(), 0);
            EventTranslatorLong<long[]> fill = (event, sequence, value) -> event[0] = value;
            for (long value = 1; value <= 16; value++) {
                assertThat(producer.publishEvent(fill, value)).isNotNegative();
            }
            harness.runUntil(() -> sender.count(SendResult.SENT) == 1);
            assertThat(producer.publishEvent(fill, 17)).isNotNegative();
            assertThat(producer.publishEvent(fill, 18)).as("only asks").isEqualTo(Producer.TIMED_OUT);
            harness.runUntil(() -> !shed.isEmpty());
            assertThat(producer.publishEvent(fill, 18)).isNotNegative();
            harness.runUntil(() -> ring.leftover().unhandled() == 0);
            harness.steps(20);
            assertThat(shed).containsExactly(2L);
            assertThat(in.values.get(0)).isEqualTo(1);
            assertThat(in.values.subList(1, in.values.size())).isEqualTo(numbers(3, 18));
            assertThat(harness.errors)
                    .singleElement()
                    .satisfies(e -> assertThat(e).hasMessage("a two"));
            ring.close();
            sender.close();
        }
    }

    /** It is encoded aside before Aeron is asked. */
    @ParameterizedTest
    @EnumSource(names = {"WAIT", "DROP"})
    void aLongMessageThatAeronDoesNotTakeIsNoneThatAReceiverCanHave(AeronSender.Refused policy) throws Exception {
        String channel = IPC + "|mtu=1408";
        EventEncoder<long[]> longOnes =
                EventEncoder.fixed(4_000, (event, buffer, offset) -> buffer.putLong(offset, event[0]));
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, channel, STREAM, longOnes)
                            .whenNotConnected(policy)
                            .build());
            out.publish(1, 3);
            harness.runUntil(() -> out.sender.count(SendResult.NOT_CONNECTED) >= 3);
            assertThat(out.sender.position()).isZero();
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, channel, STREAM, in.sink(), new Heard())
                            .build());
            connect(harness, out, receiver);
            out.publish(4, 4);
            harness.runUntil(() -> in.values.contains(4L));
            assertThat(out.sender.position()).isEqualTo(4);
        }
    }

    private static void connect(Harness harness, Harness.Out out, AeronReceiver receiver) {
        harness.runUntil(() -> out.sender.open() && out.sender.publication().isConnected() && receiver.isConnected());
    }

    /** Odd events make no message. */
    private static final class Some implements EventEncoder<long[]> {
        @Override
        public int length(long[] event) {
            return event[0] % 2 == 0 ? 8 : 0;
        }

        @Override
        public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) throws Exception {
            ENCODER.encode(event, buffer, offset, length);
        }
    }

    /** Aeron lets nobody close a publication from within its own callbacks. */
    @Test
    void aSenderThatAeronDoesNotLetCloseCanBeClosedLater() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, ENCODER)
                            .build());
            out.publish(1, 1);
            harness.runUntil(() -> in.values.size() == 1);
            harness.link.aeron().addSubscription(IPC, STREAM + 50, image -> out.sender.close(), image -> {});
            try (Publication other = harness.link.aeron().addPublication(IPC, STREAM + 50)) {
                harness.runUntil(() -> other.isConnected() && !harness.errors.isEmpty());
            }
            assertThat(harness.errors)
                    .singleElement()
                    .satisfies(t -> assertThat(t).hasMessageContaining("reentrant"));
            harness.errors.clear();
            assertThat(receiver.isConnected()).isTrue();
            out.sender.close();
            harness.runUntil(() -> !receiver.isConnected());
        }
    }

    @Test
    void aSenderThatIsClosedWhileItOpensLeavesNoPublicationWithTheDriver() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<long[]> sender = to(harness, IPC).build();
            assertThat(sender.open()).as("it has asked").isFalse();
            harness.runUntil(() -> publications(harness) == 1);
            sender.close();
            harness.runUntil(() -> publications(harness) == 0);
        }
    }

    private static int publications(Harness harness) {
        int[] found = {0};
        harness.link.aeron().countersReader().forEach((id, type, key, label) -> {
            found[0] += type == AeronCounters.DRIVER_PUBLISHER_LIMIT_TYPE_ID ? 1 : 0;
        });
        return found[0];
    }

    @Test
    void aChannelThatTheDriverRefusesFailsTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16, to(harness, "aeron:udp?endpoint=no.such.host.invalid:1").build());
            out.publish(1, 1);
            harness.runUntil(() -> out.ring.state() == State.FAILED);
            assertThat(out.ring.failure()).isInstanceOf(io.aeron.exceptions.RegistrationException.class);
        }
    }

    @Test
    void eachNumberOfAeronHasItsNameAndOthersAreRefused() {
        assertThat(SendResult.of(32)).isEqualTo(SendResult.SENT);
        assertThat(SendResult.of(Publication.NOT_CONNECTED)).isEqualTo(SendResult.NOT_CONNECTED);
        assertThat(SendResult.of(Publication.BACK_PRESSURED)).isEqualTo(SendResult.BACK_PRESSURED);
        assertThat(SendResult.of(Publication.ADMIN_ACTION)).isEqualTo(SendResult.ADMIN_ACTION);
        assertThat(SendResult.of(Publication.CLOSED)).isEqualTo(SendResult.CLOSED);
        assertThat(SendResult.of(Publication.MAX_POSITION_EXCEEDED)).isEqualTo(SendResult.MAX_POSITION_EXCEEDED);
        assertThatThrownBy(() -> SendResult.of(-6)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> SendResult.of(0)).isInstanceOf(AssertionError.class);
    }

    // ---- events that cannot be encoded

    /** Throws for 3, is too long for 4, and breaks off in the middle for 5. */
    private static final EventEncoder<long[]> PICKY = new EventEncoder<>() {
        @Override
        public int length(long[] event) {
            if (event[0] == 3) {
                throw new IllegalStateException("no length");
            }
            return event[0] == 4 ? 1 << 20 : 8;
        }

        @Override
        public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) throws Exception {
            buffer.putLong(offset, event[0]);
            if (event[0] == 5) {
                throw new java.io.IOException("broken off");
            }
        }
    };

    @Test
    void whatCannotBeEncodedFailsTheRingBehindWhatWasSent() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, PICKY)
                            .build());
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            for (long value : new long[] {1, 2, 5, 6}) {
                out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value);
            }
            harness.runUntil(() -> out.ring.state() == State.FAILED);
            harness.runUntil(() -> in.values.size() == 2);
            harness.steps(50);
            assertThat(out.ring.failure()).hasMessage("broken off");
            assertThat(in.values).as("each once").containsExactly(1L, 2L);
            assertThat(out.pipeline.consumers().get(0).sequence().get())
                    .as("progress behind what was sent")
                    .isEqualTo(1);
        }
    }

    /** An error halts whatever the policy says; what went before it must not go again when the ring's events are rescued. */
    @Test
    void anErrorOfTheEncoderFailsTheRingBehindWhatWasSent() throws Exception {
        try (Harness harness = new Harness()) {
            EventEncoder<long[]> fails = EventEncoder.fixed(8, (event, buffer, offset) -> {
                if (event[0] == 3) {
                    throw new StackOverflowError("here");
                }
                buffer.putLong(offset, event[0]);
            });
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, fails)
                            .build());
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            for (long value = 1; value <= 4; value++) {
                out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value);
            }
            harness.runUntil(() -> out.ring.state() == State.FAILED);
            harness.runUntil(() -> in.values.size() == 2);
            harness.steps(50);
            assertThat(out.ring.failure()).isInstanceOf(StackOverflowError.class);
            assertThat(in.values).containsExactly(1L, 2L);
            assertThat(out.pipeline.consumers().get(0).sequence().get())
                    .as("progress behind what was sent")
                    .isEqualTo(1);
        }
    }

    @Test
    void whatCannotBeEncodedMayBeSkippedAndTakesItsNumber() throws Exception {
        try (Harness harness = new Harness()) {
            List<String> skipped = new ArrayList<>();
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, PICKY)
                            .skipUnencodable(e -> skipped.add(e.getMessage()))
                            .build());
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            out.publish(1, 7);
            harness.runUntil(() -> in.values.size() == 4);
            assertThat(in.values).containsExactly(1L, 2L, 6L, 7L);
            assertThat(skipped)
                    .containsExactly(
                            "no length",
                            "length of a message must be from 0 to 8192 bytes, but was 1048576",
                            "broken off");
            assertThat(out.sender.unencodable()).isEqualTo(3);
            assertThat(heard.all).last().isEqualTo("gap 3 to 5");
        }
    }

    /** Nothing was passed over yet when the handler that is told throws: the event comes again, and is passed over once. */
    @Test
    void whoIsToldOfAnEventThatCannotBeEncodedMayThrowAndItTakesOneNumber() throws Exception {
        try (Harness harness = new Harness()) {
            int[] told = {0};
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.<long[]>builder(harness.link, IPC, STREAM, PICKY)
                            .skipUnencodable(e -> {
                                if (++told[0] <= 2) {
                                    throw new IllegalStateException("mine");
                                }
                            })
                            .build(),
                    FailurePolicies.retryEvent(5, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT));
            Harness.In in = harness.new In(16);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), heard)
                    .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            out.publish(1, 3);
            out.publish(6, 6);
            harness.runUntil(() -> in.values.size() == 3);
            assertThat(in.values).containsExactly(1L, 2L, 6L);
            assertThat(told[0]).isEqualTo(3);
            assertThat(out.sender.unencodable()).isEqualTo(1);
            assertThat(heard.all).last().isEqualTo("gap 3 to 3");
        }
    }

    @Test
    void badSettingsAreRefused() throws Exception {
        try (Harness harness = new Harness()) {
            assertThatThrownBy(() -> to(harness, IPC).firstNumber(0)).hasMessage("first must be 1 or more, but was 0");
            assertThatThrownBy(() -> EventEncoder.fixed(0, (event, buffer, offset) -> {}))
                    .hasMessage("length must be 1 or more, but was 0");
            assertThatThrownBy(() -> to(harness, IPC).build().sessionId())
                    .hasMessage("sender must have been opened, but no publication is there yet");
            assertThatThrownBy(() -> AeronReceiver.builder(
                                    harness.link, IPC, STREAM, harness.new In(2).sink(), new Heard())
                            .fillGapsFrom(IPC, 8)
                            .build())
                    .hasMessage("fillGapsFrom must come with oneSender, but several senders may be heard");
            assertThatThrownBy(() -> AeronLink.external(Harness.freshDirectory(), e -> {})
                            .threads(io.aeron.driver.ThreadingMode.SHARED))
                    .hasMessageStartingWith("threads must be for an embedded driver, but the driver is that of ");
        }
    }
}
