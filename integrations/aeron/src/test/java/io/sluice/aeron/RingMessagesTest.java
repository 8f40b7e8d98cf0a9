package io.sluice.aeron;

import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.RunnerAgent;
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
import java.util.SplittableRandom;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** From a ring of messages to a ring of messages, or to and from a ring of objects. */
class RingMessagesTest {
    private static final int MESSAGES = 3_000;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    /** A ring of messages behind a receiver; what was polled out of it, and checked. */
    private static final class In {
        final RingBuffer<Messages> ring;
        final EventPoller<Messages> poller;
        final MessageProducer producer;
        final List<String> all = new ArrayList<>();

        In(int bytes) {
            ring = RingBufferBuilder.messages(bytes).singleProducer().build();
            poller = Pipeline.on(ring).poller("in");
            producer = MessageProducer.of(ring);
        }

        int poll(int limit) {
            return poller.poll(
                    (messages, sequence, endOfBatch) -> {
                        int offset = messages.offset(sequence);
                        int type = messages.type(sequence);
                        int length = messages.length(sequence);
                        for (int i = 0; i < length; i++) {
                            assertThat(messages.buffer().getByte(offset + i)).isEqualTo((byte) (type + i));
                        }
                        all.add(type + " " + length);
                    },
                    limit);
        }
    }

    private static boolean offer(MessageProducer producer, int type, int length) {
        long claimed = producer.tryClaim(type, length);
        if (claimed < 0) {
            return false;
        }
        int offset = producer.offset(claimed);
        for (int i = 0; i < length; i++) {
            producer.buffer().putByte(offset + i, (byte) (type + i));
        }
        producer.commit(claimed);
        return true;
    }

    private static AeronSender.Builder<Messages> to(Harness harness, String channel) {
        return AeronSender.builder(harness.link, channel, STREAM, RingMessages.withType());
    }

    /**
     * All lengths from 0 to the longest, which is longer than a frame; types of all sizes; claims that are aborted in between; both rings and
     * the log are full now and then.
     */
    @ParameterizedTest
    @CsvSource({"ipc, true, false", "ipc, false, false", "ipc, true, true", "udp, true, false", "udp, false, false"})
    void eachMessageComesWholeOnceAndInOrder(String by, boolean single, boolean concurrent) throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        String channel = by.equals("ipc") ? IPC + "|mtu=1408" : Harness.udp();
        try (Harness harness = new Harness()) {
            RingBufferBuilder<Messages> from = RingBufferBuilder.messages(1 << 14);
            AeronSender.Builder<Messages> builder = to(harness, channel);
            Harness.MessagesOut out = harness
            .new MessagesOut(
                    single ? from.singleProducer() : from,
                    (concurrent ? builder.concurrent() : builder).build(),
                    FailurePolicies.halt());
            In in = new In(1 << 14);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, channel, STREAM, MessageRingSink.waiting(in.producer), heard)
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            int longest = out.producer.maxLength();
            List<String> expected = new ArrayList<>();
            long held = 0;
            while (expected.size() < MESSAGES) {
                int kind = random.nextInt(8);
                int run = random.nextInt(1, 40);
                int each = kind == 0 ? longest : kind == 1 ? 0 : kind == 2 ? random.nextInt(longest + 1) : 8 * kind;
                for (int i = 0; i < run; i++) {
                    int length = random.nextInt(10) == 0 ? random.nextInt(100) : each;
                    int type = random.nextInt(3) == 0 ? Integer.MAX_VALUE - i : 1 + i;
                    while (!offer(out.producer, type, length)) {
                        harness.step();
                        if (receiver.held() > held) { // it is full now
                            held = receiver.held();
                            in.poll(random.nextInt(1, 2_000));
                        }
                    }
                    expected.add(type + " " + length);
                    long claimed = random.nextInt(4) == 0 ? out.producer.tryClaim(7, random.nextInt(200)) : -1;
                    if (claimed >= 0) {
                        out.producer.abort(claimed);
                    }
                }
            }
            harness.runUntil(
                    () -> {
                        in.poll(Integer.MAX_VALUE);
                        return in.all.size() >= expected.size();
                    },
                    () -> "seed " + SEED + ", " + in.all.size() + " " + heard.all);
            harness.steps(20);
            in.poll(Integer.MAX_VALUE);
            assertThat(in.all).as("seed " + SEED).isEqualTo(expected);
            assertThat(receiver.held()).as("its ring was full").isPositive();
            assertThat(receiver.missing() + receiver.repeated() + receiver.bad())
                    .isZero();
            assertThat(out.sender.count(SendResult.SENT)).isEqualTo(expected.size());
            assertThat(out.sender.position()).isEqualTo(concurrent ? out.sender.position() : expected.size());
            assertThat(harness.errors).isEmpty();
        }
    }

    /** Notes how many messages a subscriber can have each time that one is encoded. */
    private static final class Looks extends TypedMessages {
        final List<Integer> visible = new ArrayList<>();
        private final io.aeron.Subscription subscription;
        private int seen;

        Looks(Harness harness) {
            subscription = harness.link.aeron().addSubscription(IPC, STREAM);
        }

        int poll() {
            while (subscription.poll((buffer, offset, length, header) -> seen++, 10) > 0) {}
            return seen;
        }

        @Override
        public void encode(Messages messages, long sequence, MutableDirectBuffer buffer, int offset, int length)
                throws Exception {
            visible.add(poll());
            super.encode(messages, sequence, buffer, offset, length);
        }
    }

    /** As events do: 1, 2, 4, 8, as long as the batch; and a claim is no longer than what the batch has left. */
    @Test
    void messagesOfABatchGoInGroups() throws Exception {
        try (Harness harness = new Harness()) {
            Looks looks = new Looks(harness);
            AeronSender<Messages> sender =
                    AeronSender.builder(harness.link, IPC, STREAM, looks).build();
            Harness.MessagesOut out = harness.new MessagesOut(1 << 12, sender);
            harness.runUntil(() -> sender.open() && sender.publication().isConnected());
            for (int value = 1; value <= 10; value++) {
                out.offer(value);
            }
            harness.step();
            assertThat(looks.visible).containsExactly(0, 1, 1, 3, 3, 3, 3, 7, 7, 7);
            assertThat(looks.poll()).isEqualTo(10);
            long frame = 64; // 32 of header, 8 of type, 8 of payload
            assertThat(sender.publication().position())
                    .as("no room was claimed for nothing")
                    .isEqualTo(10 * frame);
        }
    }

    /** An encoder of the application's may leave messages out, alone, in groups, and at the end of a batch. They take no number. */
    @Test
    void messagesThatAnEncoderLeavesOutAreNotSent() throws Exception {
        try (Harness harness = new Harness()) {
            EventEncoder<Messages> odd = new TypedMessages() {
                @Override
                public int length(Messages messages, long sequence) throws Exception {
                    return messages.type(sequence) % 2 == 0 ? 0 : super.length(messages, sequence);
                }
            };
            Harness.MessagesOut out = harness
            .new MessagesOut(
                    1 << 10, AeronSender.builder(harness.link, IPC, STREAM, odd).build());
            In in = new In(1 << 10);
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            List<String> expected = new ArrayList<>();
            for (int type = 1; type <= 200; type++) {
                int next = type;
                harness.runUntil(() -> {
                    in.poll(Integer.MAX_VALUE);
                    return offer(out.producer, next, next % 30);
                });
                if (type % 2 == 1) {
                    expected.add(type + " " + type % 30);
                }
            }
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return in.all.size() == expected.size() && out.ring.leftover().unhandled() == 0;
            });
            assertThat(in.all).isEqualTo(expected);
            assertThat(out.sender.position()).isEqualTo(100);
            for (int type : new int[] {2, 1, 2, 2, 3, 4, 5, 7, 8, 9, 11, 13, 2}) { // one batch
                offer(out.producer, type, 1);
            }
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return in.all.size() == 107;
            });
            assertThat(in.all).endsWith("1 1", "3 1", "5 1", "7 1", "9 1", "11 1", "13 1");
            assertThat(receiver.missing()).isZero();
        }
    }

    /** What is left out in a group is passed by the group, so a failure behind it is told once, and as that of the message that failed. */
    @Test
    void aMessageThatFailsBehindOneLeftOutFailsAlone() throws Exception {
        try (Harness harness = new Harness()) {
            EventEncoder<Messages> failing = new TypedMessages() {
                @Override
                public int length(Messages messages, long sequence) throws Exception {
                    int type = messages.type(sequence);
                    if (type == 5) {
                        throw new java.io.IOException("mine");
                    }
                    return type == 2 ? 0 : super.length(messages, sequence);
                }
            };
            List<String> told = new ArrayList<>();
            Harness.MessagesOut out = harness
            .new MessagesOut(
                    1 << 10,
                    AeronSender.builder(harness.link, IPC, STREAM, failing)
                            .skipUnencodable(e -> told.add(e.getMessage()))
                            .build());
            In in = new In(1 << 10);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), heard)
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            for (int type : new int[] {1, 3, 2, 5, 7}) { // one batch: 1 alone, then a group that begins with 3
                assertThat(offer(out.producer, type, type)).isTrue();
            }
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return in.all.size() == 3;
            });
            assertThat(in.all).containsExactly("1 1", "3 3", "7 7");
            assertThat(told).containsExactly("mine");
            assertThat(out.sender.unencodable()).isEqualTo(1);
            assertThat(heard.all).last().isEqualTo("gap 3 to 3");
        }
    }

    /** The batch begins with padding, and what is behind the batch is not this consumer's yet. */
    @Test
    void nothingIsSentThatTheConsumerBeforeHasNotHandled() throws Exception {
        for (int before = 0; before < 16; before++) {
            try (Harness harness = new Harness()) {
                AeronSender<Messages> sender = to(harness, IPC).build();
                RingBuffer<Messages> ring =
                        RingBufferBuilder.messages(256).singleProducer().build(); // 32 sequences
                Pipeline<Messages> pipeline = Pipeline.on(ring);
                int[] mayHandle = {0};
                int[] handled = {0};
                ControlledMessageHandler holds = (type, buffer, offset, length, sequence, endOfBatch) ->
                        handled[0] < mayHandle[0] && handled[0]++ >= 0
                                ? ControlledMessageHandler.Action.CONTINUE
                                : ControlledMessageHandler.Action.ABORT;
                pipeline.handleEventsWith(holds).then(pipeline.consumer("out", RingMessages.handler(ring, sender)));
                RunnerAgent agent = pipeline.startInvoked();
                harness.agent(new Agent() {
                    @Override
                    public int doWork() throws Exception {
                        return agent.doWork();
                    }

                    @Override
                    public String roleName() {
                        return "out";
                    }
                });
                In in = new In(1 << 12);
                AeronReceiver receiver = harness.receiver(AeronReceiver.builder(
                                harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), new Heard())
                        .build());
                harness.runUntil(() -> sender.open() && receiver.isConnected());
                MessageProducer producer = MessageProducer.of(ring);
                for (int i = 0; i < before; i++) {
                    assertThat(offer(producer, 1, 0)).isTrue(); // one sequence each
                }
                mayHandle[0] = before;
                long first = before;
                harness.runUntil(() -> sender.count(SendResult.SENT) == first);
                int more = 0;
                while (offer(producer, 2, 24)) { // four sequences each, so up to three of padding at the end
                    more++;
                }
                for (int i = 1; i <= more; i++) {
                    mayHandle[0]++;
                    harness.steps(5);
                    assertThat(sender.count(SendResult.SENT))
                            .as("%d behind %d", i, before)
                            .isEqualTo(before + i);
                }
                ring.close();
                sender.close();
            }
        }
    }

    @Test
    void aMessageThatIsTooLongForAeronFailsAloneAndMayBeSkipped() throws Exception {
        try (Harness harness = new Harness()) {
            List<String> told = new ArrayList<>();
            Harness.MessagesOut out = harness
            .new MessagesOut(
                    1 << 17,
                    to(harness, IPC)
                            .skipUnencodable(e -> told.add(e.getMessage()))
                            .build());
            In in = new In(1 << 17);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), heard)
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            int longest = out.sender.publication().maxMessageLength() - RingMessages.HEAD;
            for (int length : new int[] {1, longest, longest + 1, 2}) {
                assertThat(offer(out.producer, 9, length)).isTrue();
            }
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return in.all.size() == 3;
            });
            assertThat(in.all).containsExactly("9 1", "9 " + longest, "9 2");
            assertThat(told).containsExactly("length of a message must be from 0 to 8192 bytes, but was 8193");
            assertThat(out.sender.unencodable()).isEqualTo(1);
            assertThat(heard.all).last().isEqualTo("gap 3 to 3");
        }
    }

    @Test
    void aRingOfObjectsFillsARingOfMessages() throws Exception {
        try (Harness harness = new Harness()) {
            EventEncoder<long[]> encoder = EventEncoder.fixed(RingMessages.HEAD + 3, (event, buffer, offset) -> {
                RingMessages.putType(buffer, offset, (int) event[0]);
                for (int i = 0; i < 3; i++) {
                    buffer.putByte(offset + RingMessages.HEAD + i, (byte) (event[0] + i));
                }
            });
            Harness.Out out = harness
            .new Out(16, AeronSender.builder(harness.link, IPC, STREAM, encoder).build());
            In in = new In(1 << 10);
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            out.publish(1, 20);
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return in.all.size() == 20;
            });
            assertThat(in.all).startsWith("1 3", "2 3").endsWith("20 3");
        }
    }

    @Test
    void aFullRingMayDropWhatIsNewAndShowsIt() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.MessagesOut out =
                    harness.new MessagesOut(1 << 12, to(harness, IPC).build());
            In in = new In(128);
            List<String> dropped = new ArrayList<>();
            MessageRingSink sink = MessageRingSink.droppingNewest(
                    in.producer, (type, buffer, offset, length, sequence, endOfBatch) -> {
                        dropped.add(
                                type + " " + buffer.getByte(offset) + " " + length + " " + sequence + " " + endOfBatch);
                        if (type == 10) {
                            throw new IllegalStateException("mine");
                        }
                    });
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, sink, heard)
                    .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            for (int type = 1; type <= 10; type++) {
                offer(out.producer, type, 8);
            }
            harness.runUntil(() -> sink.dropped() == 2);
            harness.steps(10);
            assertThat(dropped).containsExactly("9 9 8 -1 true", "10 10 8 -1 true");
            assertThat(heard.all).last().asString().contains("mine");
            offer(out.producer, 11, 8);
            harness.runUntil(() -> dropped.size() == 3);
            in.poll(Integer.MAX_VALUE);
            offer(out.producer, 12, 8);
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return in.all.size() == 9;
            });
            assertThat(in.all).endsWith("8 8", "12 8");
            assertThat(sink.dropped()).isEqualTo(3);
            assertThat(receiver.held() + receiver.missing()).isZero();
        }
    }

    /** What cannot be understood costs itself only. */
    @Test
    void messagesWithoutATypeOrTooLongForTheRingArePassedOverAndTold() throws Exception {
        try (Harness harness = new Harness()) {
            EventEncoder<long[]> odd = new EventEncoder<>() {
                @Override
                public int length(long[] event) {
                    return event[0] == 1 ? 7 : event[0] == 5 ? 8 + 129 : 8;
                }

                @Override
                public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) {
                    if (length < 8) {
                        return;
                    }
                    long type = event[0] == 2 ? 0 : event[0] == 3 ? -1 : event[0] == 4 ? 1L << 31 : 6;
                    buffer.putLong(offset, type, java.nio.ByteOrder.LITTLE_ENDIAN);
                }
            };
            Harness.Out out = harness
            .new Out(16, AeronSender.builder(harness.link, IPC, STREAM, odd).build());
            In in = new In(1 << 10);
            List<String> bad = new ArrayList<>();
            ReceiverListener listener = (sessionId, number, failure) -> bad.add(number + " " + failure.getMessage());
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), listener)
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            out.publish(1, 6);
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return in.all.size() == 1;
            });
            assertThat(in.all).containsExactly("6 0");
            assertThat(bad)
                    .containsExactly(
                            "1 length of a message with its type must be 8 or more, but was 7",
                            "2 type must be from 1 to 2147483647, but was 0",
                            "3 type must be from 1 to 2147483647, but was -1",
                            "4 type must be from 1 to 2147483647, but was 2147483648",
                            "5 length must be from 0 to 128, but was 129");
            assertThat(receiver.bad()).isEqualTo(5);
            assertThat(receiver.received()).isEqualTo(1);
        }
    }

    /** The message is not at fault when the producer has a claim open, so it stays with Aeron. */
    @Test
    void whatTheProducerOfARingOfMessagesThrowsReachesTheCallerAndLosesNoMessage() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.MessagesOut out =
                    harness.new MessagesOut(1 << 10, to(harness, IPC).build());
            In in = new In(1 << 10);
            Heard heard = new Heard();
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), heard)
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            long claim = in.producer.tryClaim(99, 8);
            offer(out.producer, 1, 1);
            offer(out.producer, 2, 2);
            harness.runUntil(() -> harness.errors.size() > 1 || receiver.bad() > 0);
            in.producer.abort(claim);
            harness.runUntil(() -> receiver.received() == 2 || receiver.bad() > 0);
            in.poll(Integer.MAX_VALUE);
            assertThat(in.all).containsExactly("1 1", "2 2");
            assertThat(receiver.bad()).isZero();
            assertThat(heard.all).containsExactly("available aeron:ipc", "first 1");
            assertThat(harness.errors).allSatisfy(e -> assertThat(e).isExactlyInstanceOf(IllegalStateException.class));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiverEndsWithItsRing(boolean dropping) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.MessagesOut out =
                    harness.new MessagesOut(1 << 10, to(harness, IPC).build());
            In in = new In(1 << 10);
            MessageRingSink sink = dropping
                    ? MessageRingSink.droppingNewest(in.producer, (type, buffer, offset, length, sequence, last) -> {})
                    : MessageRingSink.waiting(in.producer);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, sink, new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            offer(out.producer, 1, 1);
            harness.runUntil(() -> receiver.received() == 1);
            in.ring.close();
            offer(out.producer, 2, 2);
            harness.runUntil(receiver::isDone);
            assertThat(receiver.received()).isEqualTo(1);
            assertThat(sink.dropped()).isZero();
        }
    }

    /** Behind the ring's end nothing is encoded again, and what was sent is not lost. */
    @Test
    void theRingIsClosedInTheMiddleOfMessages() throws Exception {
        try (Harness harness = new Harness()) {
            Harness.MessagesOut out =
                    harness.new MessagesOut(1 << 14, to(harness, IPC).build());
            In in = new In(1 << 10);
            AeronReceiver receiver = harness.receiver(
                    AeronReceiver.builder(harness.link, IPC, STREAM, MessageRingSink.waiting(in.producer), new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            int published = 0;
            for (int refused = 0; refused < 100; harness.step()) {
                if (offer(out.producer, 1 + published, 100)) {
                    published++;
                    refused = 0;
                } else {
                    refused++;
                }
                assertThat(published).as("published without end").isLessThan(100_000);
            }
            long sent = out.sender.count(SendResult.SENT);
            assertThat(sent).isBetween(1L, published - 1L);
            int unhandled =
                    (int) out.ring.close(java.time.Duration.ofSeconds(1)).unhandled();
            assertThat(unhandled).as("neither twice nor forgotten").isEqualTo(published - sent);
            assertThat(out.ring.state()).isEqualTo(State.CLOSED);
            out.sender.close();
            harness.runUntil(() -> {
                in.poll(Integer.MAX_VALUE);
                return receiver.gone() == 1;
            });
            in.poll(Integer.MAX_VALUE);
            assertThat(in.all).hasSize((int) sent).last().isEqualTo(sent + " 100");
        }
    }

    /** Else it would send the bytes that stand at the same place in its own ring. */
    @Test
    void aHandlerIsForItsOwnRingAndASenderForOneHandler() throws Exception {
        try (Harness harness = new Harness()) {
            AeronSender<Messages> sender = AeronSender.builder(harness.link, IPC, STREAM, RingMessages.withType())
                    .build();
            RingBuffer<Messages> own = RingBufferBuilder.messages(256).build();
            RingBuffer<Messages> other =
                    RingBufferBuilder.messages(256).singleProducer().build();
            assertThatThrownBy(() -> RingMessages.handler(null, sender)).hasMessageContaining("ring");
            assertThatThrownBy(() -> RingMessages.handler(own, null)).hasMessageContaining("sender");
            ControlledMessageHandler handler = RingMessages.handler(own, sender);
            assertThatThrownBy(() -> RingMessages.handler(other, sender))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("sender must send for one handler, but another one has it already");
            Pipeline<Messages> pipeline = Pipeline.on(other).errorHandler(failure -> {});
            pipeline.handleEventsWith(handler);
            EventProcessor processor = pipeline.startProcessors().get(0);
            MessageProducer producer = MessageProducer.of(other);
            producer.commit(producer.tryClaim(1, 8));
            processor.doWork();
            assertThat(other.failure())
                    .hasMessage(
                            "the handler must be a consumer of the ring that it was made for, but is one of another ring");
            assertThat(sender.count(SendResult.SENT)).isZero();
            sender.close();
        }
    }

    @Test
    void badArgumentsAreRefused() throws Exception {
        RingMessages messages = RingMessages.withType();
        Messages none = RingBufferBuilder.messages(64).build().get(0);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[16]);
        assertThatThrownBy(() -> messages.length(none))
                .hasMessage("a message of a ring must be asked for by its sequence, but none was given");
        assertThatThrownBy(() -> messages.encode(none, buffer, 0, 8)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> RingMessages.putType(buffer, 0, 0)).hasMessage("type must be 1 or more, but was 0");
        assertThatThrownBy(() -> RingMessages.putType(buffer, 9, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> RingMessages.type(buffer, 9, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        RingMessages.putType(buffer, 8, Integer.MAX_VALUE);
        assertThat(RingMessages.type(buffer, 8, 8)).isEqualTo(Integer.MAX_VALUE);
        assertThat(buffer.getByte(8)).as("little-endian").isEqualTo((byte) 0xFF);
        assertThat(buffer.getByte(11)).isEqualTo((byte) 0x7F);
        assertThat(buffer.getInt(12)).isZero();
        assertThatThrownBy(() -> MessageRingSink.waiting(null)).hasMessageContaining("producer");
        assertThatThrownBy(() -> MessageRingSink.droppingNewest(
                        MessageProducer.of(RingBufferBuilder.messages(64).build()), null))
                .hasMessageContaining("told");
    }
}
