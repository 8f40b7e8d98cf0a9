package io.sluice.aeron;

import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.State;
import io.sluice.ringbuffer.Messages;
import org.agrona.MutableDirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kind of sender, and what happens to it. The table is in docs/testing.md, which {@link PairsTest} reads. */
@Tag("once")
class SenderPairsTest {
    private static final String CHANNEL = IPC + "|mtu=1408";

    /** The kinds, in the order of the table. */
    enum Kind {
        WAITS,
        DROPS,
        FAILS,
        CONCURRENT,
        FRAGMENTS,
        MESSAGES;

        boolean loses() {
            return this == DROPS || this == FAILS;
        }
    }

    /** A sender of a kind with a ring of 16, and a receiver with one of 64. */
    private static final class Bridge {
        final Harness harness;
        final Harness.Sending<?> out;
        final Harness.In in;
        final AeronReceiver receiver;
        final Heard heard = new Heard();

        Bridge(Harness harness, Kind kind, long broken) {
            this.harness = harness;
            out = kind == Kind.MESSAGES
                    ? harness.new MessagesOut(256, ofMessages(harness, broken))
                    : harness.new Out(16, sender(harness, kind, broken));
            in = harness.new In(64);
            MessageSink sink = kind == Kind.MESSAGES ? RingSink.waiting(in.producer, Harness.OF_MESSAGES) : in.sink();
            AeronReceiver.Builder builder = AeronReceiver.builder(harness.link, CHANNEL, STREAM, sink, heard);
            receiver = harness.receiver((kind == Kind.CONCURRENT ? builder : builder.oneSender(1)).build());
            harness.runUntil(
                    () -> out.sender.open() && out.sender.publication().isConnected() && receiver.isConnected());
        }

        void failsWith(SendResult... results) {
            long[] next = {1_000};
            harness.runUntil(() -> {
                out.offer(next[0]++);
                return out.ring.state() == State.FAILED;
            });
            assertThat(out.ring.failure()).isInstanceOf(PublicationEndedException.class);
            assertThat(((PublicationEndedException) out.ring.failure()).result())
                    .isIn((Object[]) results);
        }

        /** Each once and in order, and all of them but those that were counted. */
        void arrives(long all) {
            harness.runUntil(() -> in.values.size() + out.sender.dropped() == all, () -> in.values + " " + heard.all);
            assertThat(in.values).isSorted().doesNotHaveDuplicates();
            assertThat(out.ring.state()).isEqualTo(State.RUNNING);
        }
    }

    /** An encoder that breaks at a value; long messages are of four fragments. */
    private static AeronSender<long[]> sender(Harness harness, Kind kind, long broken) {
        EventEncoder<long[]> encoder = new EventEncoder<>() {
            @Override
            public int length(long[] event) {
                return kind == Kind.FRAGMENTS ? 5_000 : 8;
            }

            @Override
            public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) throws Exception {
                if (event[0] == broken) {
                    throw new IllegalStateException("mine");
                }
                ENCODER.encode(event, buffer, offset, length);
            }
        };
        AeronSender.Builder<long[]> builder = AeronSender.builder(harness.link, CHANNEL, STREAM, encoder);
        return switch (kind) {
            case WAITS, FRAGMENTS, MESSAGES -> builder.build();
            case CONCURRENT -> builder.concurrent().build();
            case DROPS ->
                builder.whenNotConnected(AeronSender.Refused.DROP)
                        .whenBackPressured(AeronSender.Refused.DROP)
                        .build();
            case FAILS ->
                builder.whenNotConnected(AeronSender.Refused.FAIL)
                        .whenBackPressured(AeronSender.Refused.FAIL)
                        .whenEnded(AeronSender.Ended.FAIL)
                        .build();
        };
    }

    private static AeronSender<Messages> ofMessages(Harness harness, long broken) {
        EventEncoder<Messages> encoder = new TypedMessages() {
            @Override
            public void encode(Messages messages, long sequence, MutableDirectBuffer buffer, int offset, int length)
                    throws Exception {
                if (messages.type(sequence) == broken) {
                    throw new IllegalStateException("mine");
                }
                super.encode(messages, sequence, buffer, offset, length);
            }
        };
        return AeronSender.<Messages>builder(harness.link, CHANNEL, STREAM, encoder)
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void theLinkIsLost(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, kind, 0);
            bridge.out.publish(1, 5);
            harness.runUntil(() -> bridge.in.values.size() == 5);
            harness.link.aeron().close();
            if (kind == Kind.FAILS) {
                bridge.failsWith(SendResult.CLOSED, SendResult.NOT_CONNECTED);
                assertThat(bridge.in.values).isEqualTo(numbers(1, 5));
                return;
            }
            bridge.out.publish(6, 40);
            bridge.arrives(40);
            harness.runUntil(() -> harness.link.reconnects() == 1);
            if (kind == Kind.DROPS) {
                harness.runUntil(() -> bridge.out.sender.open()
                        && bridge.out.sender.publication().isConnected());
                bridge.out.publish(41, 41);
                bridge.arrives(41);
            } else {
                assertThat(bridge.in.values).isEqualTo(numbers(1, 40));
            }
            assertThat(bridge.receiver.missing()).isEqualTo(bridge.out.sender.dropped());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theLinkIsClosed(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, kind, 0);
            bridge.out.publish(1, 5);
            harness.runUntil(() -> bridge.in.values.size() == 5);
            harness.link.close();
            bridge.failsWith(SendResult.CLOSED);
            assertThat(bridge.in.values).isEqualTo(numbers(1, 5));
            assertThat(bridge.out.sender.dropped()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theReceiverIsSlow(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, kind, 0);
            bridge.in.polls = false;
            if (kind == Kind.FAILS) {
                bridge.failsWith(SendResult.BACK_PRESSURED);
                bridge.in.polls = true;
                harness.runUntil(() -> bridge.in.values.size() == bridge.out.sender.count(SendResult.SENT));
                assertThat(bridge.in.values).isSorted().doesNotHaveDuplicates();
                return;
            }
            long published = 0;
            for (int refused = 0; refused < 100 && bridge.out.sender.dropped() < 100; ) {
                if (bridge.out.offer(published + 1)) {
                    published++;
                    refused = 0;
                } else {
                    refused++;
                }
                assertThat(published).as("published without end").isLessThan(100_000);
                harness.step();
            }
            assertThat(bridge.out.sender.count(SendResult.BACK_PRESSURED)).isPositive();
            assertThat(bridge.out.sender.dropped()).matches(dropped -> dropped > 0 == (kind == Kind.DROPS));
            bridge.in.polls = true;
            bridge.arrives(published);
            bridge.out.publish(published + 1, published + 1);
            bridge.arrives(published + 1);
            assertThat(bridge.receiver.missing()).isEqualTo(bridge.out.sender.dropped());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theRingIsClosed(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, kind, 0);
            bridge.in.polls = false;
            bridge.out.publish(1, 10);
            harness.runUntil(() -> bridge.out.sender.count(SendResult.SENT) == 10);
            bridge.out.ring.close();
            bridge.out.sender.close();
            bridge.in.polls = true;
            harness.runUntil(() -> bridge.receiver.gone() == 1);
            assertThat(bridge.in.values).isEqualTo(numbers(1, 10));
            assertThat(bridge.heard.all).last().isEqualTo("unavailable aeron:ipc");
            bridge.out.sender.close();
            for (int i = 0; i < 50; i++) {
                assertThat(bridge.out.sender.open())
                        .as("it opens nothing again")
                        .isFalse();
                harness.step();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void theRingFails(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, kind, 3);
            for (long value = 1; value <= 5; value++) {
                bridge.out.offer(value);
            }
            harness.runUntil(() -> bridge.out.ring.state() == State.FAILED);
            assertThat(bridge.out.ring.failure()).hasMessage("mine");
            harness.runUntil(() -> bridge.in.values.size() == 2);
            harness.steps(50);
            bridge.out.sender.close();
            harness.runUntil(() -> bridge.receiver.gone() == 1);
            assertThat(bridge.in.values).as("what went before it").containsExactly(1L, 2L);
            assertThat(bridge.receiver.missing() + bridge.receiver.bad()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void thePublicationEnds(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Bridge bridge = new Bridge(harness, kind, 0);
            bridge.out.publish(1, 5);
            harness.runUntil(() -> bridge.in.values.size() == 5);
            assertThat(bridge.heard.all.contains("first 1"))
                    .as("its messages have numbers")
                    .isEqualTo(kind != Kind.CONCURRENT);
            bridge.out.sender.publication().close();
            if (kind == Kind.FAILS) {
                bridge.failsWith(SendResult.CLOSED);
                harness.runUntil(() -> bridge.receiver.gone() == 1);
                assertThat(bridge.in.values).isEqualTo(numbers(1, 5));
                return;
            }
            bridge.out.publish(6, 40);
            bridge.arrives(40);
            harness.runUntil(() -> bridge.receiver.gone() == 1);
            assertThat(bridge.out.sender.reopened()).isEqualTo(1);
            if (!kind.loses()) {
                assertThat(bridge.in.values).isEqualTo(numbers(1, 40));
            }
            assertThat(bridge.receiver.repeated()).isZero();
        }
    }
}
