package io.sluice.aeron;

import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.OF_MESSAGES;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static io.sluice.aeron.Harness.writer;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.ControlledMessageHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.LangUtil;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each answer of Aeron does to a sender of messages, under each policy. The ring's last message often has padding before it. */
class MessageAnswersTest {
    /** Records of 16 and of 24 bytes: see {@link Both#offer}. */
    private static final int BYTES = 256;

    /** A sender of messages and a receiver with a ring of objects, which holds 16. */
    private static final class Both {
        final Harness harness;
        final RingBuffer<Messages> ring;
        final MessageProducer producer;
        final AeronSender<Messages> sender;
        final Harness.In in;
        final List<String> told = new ArrayList<>();

        Both(Harness harness, AeronSender.Builder<Messages> builder, FailurePolicy<Messages> policy) {
            this.harness = harness;
            sender = builder.listener(writer(told)).build();
            Harness.MessagesOut out =
                    harness.new MessagesOut(RingBufferBuilder.messages(BYTES).singleProducer(), sender, policy);
            ring = out.ring;
            producer = out.producer;
            in = harness.new In(16);
        }

        Both(Harness harness, AeronSender.Builder<Messages> builder) {
            this(harness, builder, FailurePolicies.halt());
        }

        /** Every third one is longer, so that some of them have padding before them. And now and then a claim is aborted. */
        boolean offer(long value) {
            if (value % 5 == 0) {
                long given = producer.tryClaim(1, 3);
                if (given >= 0) {
                    producer.abort(given);
                }
            }
            long claimed = producer.tryClaim((int) value, value % 3 == 0 ? 16 : 8);
            if (claimed < 0) {
                return false;
            }
            producer.buffer().putLong(producer.offset(claimed), value);
            producer.commit(claimed);
            return true;
        }

        void publish(long from, long to) {
            for (long value = from; value <= to; value++) {
                long next = value;
                harness.runUntil(() -> offer(next));
            }
        }

        AeronReceiver receives(Heard heard) {
            return harness.receiver(AeronReceiver.builder(
                            harness.link,
                            IPC,
                            STREAM,
                            RingSink.waiting(
                                    in.producer,
                                    (event, buffer, offset, length, number) ->
                                            event[0] = buffer.getLong(offset + RingMessages.HEAD)),
                            heard)
                    .oneSender(1)
                    .build());
        }

        AeronReceiver connects(Heard heard) {
            AeronReceiver receiver = receives(heard);
            harness.runUntil(() -> sender.open() && sender.publication().isConnected() && receiver.isConnected());
            return receiver;
        }

        SendResult fails() {
            harness.runUntil(() -> {
                offer(1);
                return ring.state() == State.FAILED;
            });
            assertThat(ring.failure()).isInstanceOf(PublicationEndedException.class);
            return ((PublicationEndedException) ring.failure()).result();
        }
    }

    private static AeronSender.Builder<Messages> to(Harness harness, String channel) {
        return AeronSender.builder(harness.link, channel, STREAM, RingMessages.withType());
    }

    // ---- NOT_CONNECTED

    @Test
    void notConnectedLetsMessagesWait() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC));
            int published = 0;
            while (both.offer(published + 1)) {
                published++;
            }
            harness.steps(100);
            assertThat(both.offer(published + 1)).as("the ring is full").isFalse();
            assertThat(both.sender.count(SendResult.NOT_CONNECTED)).isPositive();
            assertThat(both.sender.count(SendResult.SENT)).isZero();
            both.receives(new Heard());
            int all = published;
            harness.runUntil(() -> both.in.values.size() == all);
            assertThat(both.in.values).isEqualTo(numbers(1, all));
            assertThat(both.sender.dropped()).isZero();
        }
    }

    @Test
    void notConnectedMayDropAndEachMessageCountsOnce() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC).whenNotConnected(AeronSender.Refused.DROP));
            both.publish(1, 100);
            harness.runUntil(() -> both.sender.dropped() >= 100);
            Heard heard = new Heard();
            AeronReceiver receiver = both.receives(heard);
            harness.runUntil(receiver::isConnected);
            harness.runUntil(() -> both.sender.publication().isConnected());
            both.publish(101, 103);
            harness.runUntil(() -> both.in.values.size() == 3);
            assertThat(both.in.values).isEqualTo(numbers(101, 103));
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 101", "gap 1 to 100");
            assertThat(both.sender.dropped()).isEqualTo(100);
        }
    }

    @Test
    void whileTheLinkIsLostMessagesMayBeDroppedAndEachCountsOnce() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC).whenNotConnected(AeronSender.Refused.DROP));
            AeronReceiver receiver = both.connects(new Heard());
            both.publish(1, 5);
            harness.runUntil(() -> both.in.values.size() == 5);
            harness.link.aeron().close();
            both.publish(6, 60);
            harness.runUntil(
                    () -> both.sender.dropped() > 0 && both.ring.leftover().unhandled() == 0);
            harness.runUntil(() -> harness.link.reconnects() == 1
                    && both.sender.open()
                    && both.sender.publication().isConnected());
            both.publish(61, 61);
            harness.runUntil(() -> both.in.values.contains(61L));
            assertThat(both.in.values).isSorted().doesNotHaveDuplicates();
            assertThat(both.in.values.size() + both.sender.dropped()).isEqualTo(61);
            assertThat(receiver.missing()).isEqualTo(both.sender.dropped());
        }
    }

    @Test
    void notConnectedMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC).whenNotConnected(AeronSender.Refused.FAIL));
            assertThat(both.fails()).isEqualTo(SendResult.NOT_CONNECTED);
        }
    }

    // ---- BACK_PRESSURED

    @Test
    void backPressureLetsMessagesWait() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC));
            both.in.polls = false;
            AeronReceiver receiver = both.receives(new Heard());
            long published = 0;
            for (int refused = 0; refused < 100; harness.step()) {
                boolean taken = both.offer(published + 1);
                published += taken ? 1 : 0;
                refused = taken ? 0 : refused + 1;
                assertThat(published).as("published without end").isLessThan(100_000);
            }
            assertThat(both.sender.count(SendResult.BACK_PRESSURED)).isPositive();
            assertThat(receiver.held()).isPositive();
            both.in.polls = true;
            long all = published;
            harness.runUntil(() -> both.in.values.size() >= all);
            assertThat(both.in.values).isEqualTo(numbers(1, all));
            assertThat(both.sender.dropped() + receiver.missing()).isZero();
        }
    }

    @Test
    void backPressureMayDropAndTheReceiverIsToldWhatIsMissing() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC).whenBackPressured(AeronSender.Refused.DROP));
            both.in.polls = false;
            Heard heard = new Heard();
            AeronReceiver receiver = both.connects(heard);
            long published = 0;
            while (both.sender.dropped() < 50) {
                published++;
                both.publish(published, published);
            }
            harness.steps(10);
            both.in.polls = true;
            long before = published - both.sender.dropped();
            harness.runUntil(() -> both.in.values.size() == before);
            both.publish(published + 1, published + 1);
            harness.runUntil(() -> both.in.values.size() == before + 1);
            assertThat(both.in.values.subList(0, (int) before)).isEqualTo(numbers(1, before));
            assertThat(heard.all).last().isEqualTo("gap " + (before + 1) + " to " + published);
            assertThat(receiver.missing()).isEqualTo(both.sender.dropped());
        }
    }

    @Test
    void backPressureMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC).whenBackPressured(AeronSender.Refused.FAIL));
            both.in.polls = false;
            both.connects(new Heard());
            assertThat(both.fails()).isEqualTo(SendResult.BACK_PRESSURED);
        }
    }

    // ---- ADMIN_ACTION

    /** The encoder brings the log to its end before each try, also in the middle of a batch. */
    @ParameterizedTest
    @ValueSource(longs = {1, 4})
    void anAdminActionThatStaysHandsTheMessageBackAndItGoesLater(long which) throws Exception {
        try (Harness harness = new Harness()) {
            Both[] both = {null};
            int[] tries = {0};
            EventEncoder<Messages> atTheEnd = new TypedMessages() {
                @Override
                public int length(Messages messages, long sequence) throws Exception {
                    if (messages.type(sequence) == which && tries[0] < 3) {
                        tries[0]++;
                        harness.toTheEndOfTheTerm((ExclusivePublication) both[0].sender.publication());
                    }
                    return super.length(messages, sequence);
                }
            };
            both[0] = new Both(harness, AeronSender.builder(harness.link, IPC, STREAM, atTheEnd));
            AeronReceiver receiver = both[0].connects(new Heard());
            for (int value = 1; value <= 6; value++) {
                both[0].offer(value);
            }
            harness.runUntil(() -> both[0].in.values.size() == 6);
            assertThat(both[0].in.values).isEqualTo(numbers(1, 6));
            assertThat(both[0].sender.count(SendResult.ADMIN_ACTION)).isPositive();
            assertThat(both[0].sender.count(SendResult.SENT)).isEqualTo(6);
            assertThat(receiver.missing() + receiver.repeated() + both[0].sender.dropped())
                    .isZero();
        }
    }

    // ---- CLOSED, REVOKED, MAX_POSITION_EXCEEDED

    @ParameterizedTest
    @EnumSource
    void aPublicationThatEndedIsOpenedAgainAndNumbersGoOn(SenderAnswersTest.End end) throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC));
            Heard heard = new Heard();
            AeronReceiver receiver = both.connects(heard);
            both.publish(1, 5);
            harness.runUntil(() -> both.in.values.size() == 5);
            Publication first = both.sender.publication();
            if (end == SenderAnswersTest.End.REVOKED) {
                ((ExclusivePublication) first).revoke();
            } else {
                first.close();
            }
            both.publish(6, 40);
            harness.runUntil(() -> both.in.values.size() == 40 && receiver.gone() == 1);
            assertThat(both.in.values).isEqualTo(numbers(1, 40));
            assertThat(both.told).containsExactly("open at 1", "end at 6 CLOSED", "open at 6");
            assertThat(receiver.missing() + receiver.repeated()).isZero();
            assertThat(both.sender.count(SendResult.CLOSED)).isEqualTo(1);
        }
    }

    @Test
    void aPublicationThatEndedMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, IPC).whenEnded(AeronSender.Ended.FAIL));
            both.connects(new Heard());
            both.sender.publication().close();
            assertThat(both.fails()).isEqualTo(SendResult.CLOSED);
        }
    }

    private static final String NEAR_THE_END = IPC + "|init-term-id=0|term-id=2147483647|term-offset=65216";

    @Test
    void behindTheLastPositionANewSessionGoesOn() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, NEAR_THE_END));
            AeronReceiver receiver = both.receives(new Heard());
            both.publish(1, 40);
            harness.runUntil(() -> both.in.values.size() == 40);
            assertThat(both.in.values).isEqualTo(numbers(1, 40));
            assertThat(both.sender.count(SendResult.MAX_POSITION_EXCEEDED)).isEqualTo(1);
            assertThat(both.sender.reopened()).isEqualTo(1);
            assertThat(receiver.missing() + receiver.repeated()).isZero();
        }
    }

    @Test
    void theLastPositionMayFailTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(harness, to(harness, NEAR_THE_END).whenEnded(AeronSender.Ended.FAIL));
            both.receives(new Heard());
            assertThat(both.fails()).isEqualTo(SendResult.MAX_POSITION_EXCEEDED);
            assertThat(both.in.values.size()).as("what was sent before").isPositive();
        }
    }

    // ---- messages that fail in the middle of a batch

    /** Breaks at 3 and 6, as often as it is told, and counts how often each message was encoded. */
    private static final class Breaks extends TypedMessages {
        final int[] encoded = new int[20];
        private final int times;
        private final Throwable failure;

        Breaks(int times, Throwable failure) {
            this.times = times;
            this.failure = failure;
        }

        @Override
        public void encode(Messages messages, long sequence, MutableDirectBuffer buffer, int offset, int length)
                throws Exception {
            int type = messages.type(sequence);
            if (++encoded[type] <= times && type % 3 == 0) {
                LangUtil.rethrowUnchecked(failure);
            }
            super.encode(messages, sequence, buffer, offset, length);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatCannotBeEncodedFailsTheRingBehindWhatWasSent(boolean error) throws Exception {
        try (Harness harness = new Harness()) {
            Throwable failure = error ? new StackOverflowError("mine") : new java.io.IOException("mine");
            Both both = new Both(harness, AeronSender.builder(harness.link, IPC, STREAM, new Breaks(1, failure)));
            AeronReceiver receiver = both.connects(new Heard());
            for (int value = 1; value <= 5; value++) {
                both.offer(value);
            }
            harness.runUntil(() -> both.ring.state() == State.FAILED);
            assertThat(both.ring.failure()).isSameAs(failure);
            harness.runUntil(() -> both.in.values.size() == 2);
            harness.steps(50);
            assertThat(both.in.values).containsExactly(1L, 2L);
            assertThat(both.ring.leftover().unhandled())
                    .as("from the one that broke on")
                    .isEqualTo(3);
            assertThat(receiver.missing()).isZero();
        }
    }

    @Test
    void skipPassesOverThatMessageAlone() throws Exception {
        try (Harness harness = new Harness()) {
            Both both = new Both(
                    harness,
                    AeronSender.builder(harness.link, IPC, STREAM, new Breaks(1, new java.io.IOException("mine"))),
                    FailurePolicies.skip((cause, sequence, attempt) -> {}));
            both.connects(new Heard());
            for (int value = 1; value <= 8; value++) {
                both.offer(value);
            }
            harness.runUntil(() -> both.in.values.size() == 6);
            harness.steps(20);
            assertThat(both.in.values).containsExactly(1L, 2L, 4L, 5L, 7L, 8L);
            assertThat(both.ring.state()).isEqualTo(State.RUNNING);
        }
    }

    /** Neither a message that is tried again nor those before it go twice. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsTriedAgainGoesOnce(boolean rewind) throws Exception {
        try (Harness harness = new Harness()) {
            FailurePolicy<Messages> policy = rewind
                    ? FailurePolicies.rewindBatch(5, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT)
                    : FailurePolicies.retryEvent(5, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT);
            Breaks breaks = new Breaks(2, new java.io.IOException("mine"));
            Both both = new Both(harness, AeronSender.builder(harness.link, IPC, STREAM, breaks), policy);
            AeronReceiver receiver = both.connects(new Heard());
            for (int value = 1; value <= 8; value++) {
                both.offer(value);
            }
            harness.runUntil(() -> both.in.values.size() == 8);
            harness.steps(20);
            assertThat(both.in.values).isEqualTo(numbers(1, 8));
            assertThat(receiver.missing() + receiver.repeated()).isZero();
            assertThat(both.sender.count(SendResult.SENT)).isEqualTo(8);
            assertThat(java.util.Arrays.copyOfRange(breaks.encoded, 1, 9)).containsExactly(1, 1, 3, 1, 1, 3, 1, 1);
        }
    }

    /** A listener that throws in the middle of a batch: the failure is owed until its message comes again. */
    @Test
    void whatTheListenerThrowsInTheMiddleOfABatchFailsTheRing() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.MessagesOut[] out = {null};
            EventEncoder<Messages> ends = new TypedMessages() {
                @Override
                public int length(Messages messages, long sequence) throws Exception {
                    if (messages.type(sequence) == 4) {
                        out[0].sender.publication().close();
                    }
                    return super.length(messages, sequence);
                }
            };
            out[0] = harness
            .new MessagesOut(
                    BYTES,
                    AeronSender.builder(harness.link, IPC, STREAM, ends)
                            .listener(new SenderListener() {
                                @Override
                                public void onEnd(int sessionId, SendResult result, long nextNumber) {
                                    throw new IllegalStateException("mine " + nextNumber);
                                }
                            })
                            .build());
            Harness.In in = harness.new In(16);
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(
                            harness.link, IPC, STREAM, RingSink.waiting(in.producer, OF_MESSAGES), new Heard())
                    .build());
            harness.runUntil(() -> out[0].sender.open() && receiver.isConnected());
            for (int value = 1; value <= 5; value++) {
                out[0].offer(value);
            }
            harness.runUntil(() -> out[0].ring.state() == State.FAILED);
            assertThat(out[0].ring.failure()).hasMessage("mine 4");
            harness.runUntil(() -> in.values.size() == 3);
            assertThat(in.values).containsExactly(1L, 2L, 3L);
        }
    }

    /** It begins at the slowest consumer, before what it had sent: that goes again, and is not taken for sent. */
    @Test
    void aHandlerThatJoinsAgainSendsFromWhereItJoins() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<Messages> sender = to(harness, IPC).build();
            RingBuffer<Messages> ring =
                    RingBufferBuilder.messages(BYTES).singleProducer().build();
            Pipeline<Messages> pipeline = Pipeline.on(ring);
            EventPoller<Messages> slow = pipeline.poller("slow");
            ControlledMessageHandler handler = RingMessages.handler(ring, sender);
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            Harness.In in = harness.new In(16);
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(
                            harness.link, IPC, STREAM, RingSink.waiting(in.producer, OF_MESSAGES), new Heard())
                    .build());
            harness.runUntil(() -> sender.open() && receiver.isConnected());
            assertThat(slow.poll((messages, sequence, endOfBatch) -> {}, 100)).isZero(); // so it is this thread's
            MessageProducer producer = MessageProducer.of(ring);
            for (int value = 1; value <= 3; value++) {
                long claimed = producer.tryClaim(value, 8);
                producer.buffer().putLong(producer.offset(claimed), value);
                producer.commit(claimed);
            }
            harness.runUntil(() -> processor.doWork() == 0 && in.values.size() == 3);
            pipeline.consumer(handler).remove(0);
            processor.doWork();
            processor.onClose();
            EventProcessor again = pipeline.join(handler).processor(TimeUnit.SECONDS.toNanos(20));
            harness.runUntil(() -> again.doWork() == 0 && in.values.size() == 6);
            assertThat(in.values).containsExactly(1L, 2L, 3L, 1L, 2L, 3L);
            assertThat(slow.poll((messages, sequence, endOfBatch) -> {}, 100)).isPositive();
            ring.close();
            sender.close();
        }
    }
}
