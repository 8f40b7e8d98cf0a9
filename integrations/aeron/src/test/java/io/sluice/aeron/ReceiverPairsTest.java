package io.sluice.aeron;

import static io.sluice.aeron.Harness.DECODER;
import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static io.sluice.aeron.Harness.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.conflation.LatestByKey;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each kind of sink, and what comes to its receiver. The table is in docs/testing.md, which {@link PairsTest} reads. */
@Tag("once")
class ReceiverPairsTest {
    private static final String CHANNEL = IPC + "|mtu=1408";
    private static final int CAPACITY = 8;

    /** The kinds, in the order of the table. */
    enum Kind {
        WAITING,
        DROP_NEWEST,
        DROP_OLDEST,
        LATEST_BY_KEY,
        MESSAGES_WAITING,
        MESSAGES_DROP_NEWEST;

        boolean ofMessages() {
            return this == MESSAGES_WAITING || this == MESSAGES_DROP_NEWEST;
        }
    }

    /** A receiver of a kind, and what was taken out behind it. */
    private static final class In implements Agent {
        final Heard heard = new Heard();
        final List<Long> values = new ArrayList<>();
        final List<Long> dropped = new ArrayList<>();
        final LatestByKey<Long> latest = new LatestByKey<>(CAPACITY, dropped::add);
        final RingBuffer<long[]> ring;
        final EventPoller<long[]> poller;
        final RingBuffer<Messages> messages;
        final EventPoller<Messages> messagePoller;
        final AeronReceiver receiver;
        boolean polls = true;

        In(Harness harness, Kind kind) {
            this(harness, kind, 16 * CAPACITY);
        }

        In(Harness harness, Kind kind, int bytes) {
            var builder =
                    RingBufferBuilder.of(() -> new long[1]).capacity(CAPACITY).singleProducer();
            ring = kind == Kind.DROP_OLDEST
                    ? builder.shedding((consumer, event, sequence) -> dropped.add(event[0]))
                            .build()
                    : builder.build();
            poller = Pipeline.on(ring).poller("in");
            messages = RingBufferBuilder.messages(bytes).singleProducer().build();
            messagePoller = Pipeline.on(messages).poller("in");
            receiver = AeronReceiver.builder(harness.link, CHANNEL, STREAM, sink(kind), heard)
                    .build();
            harness.agent(this);
        }

        private MessageSink sink(Kind kind) {
            return switch (kind) {
                case WAITING -> RingSink.waiting(ring.producer(), DECODER);
                case DROP_NEWEST ->
                    RingSink.dropping(
                            DroppingProducer.dropNewest(ring.producer(), new long[1], event -> dropped.add(event[0])),
                            DECODER);
                case DROP_OLDEST -> RingSink.dropping(DroppingProducer.dropOldest(ring.producer(), 0), DECODER);
                case LATEST_BY_KEY ->
                    (buffer, offset, length, session, number) -> {
                        long value = buffer.getLong(offset);
                        latest.offer((int) (value % CAPACITY), value);
                        return MessageSink.Taken.TAKEN;
                    };
                case MESSAGES_WAITING -> MessageRingSink.waiting(MessageProducer.of(messages));
                case MESSAGES_DROP_NEWEST ->
                    MessageRingSink.droppingNewest(
                            MessageProducer.of(messages),
                            (type, buffer, offset, length, sequence, endOfBatch) ->
                                    dropped.add(buffer.getLong(offset)));
            };
        }

        @Override
        public int doWork() {
            receiver.doWork();
            if (!polls) {
                return 0;
            }
            latest.drain((key, value) -> values.add(value), CAPACITY);
            messagePoller.poll(
                    (all, sequence, endOfBatch) -> values.add(all.buffer().getLong(all.offset(sequence))), CAPACITY);
            return poller.poll((event, sequence, endOfBatch) -> values.add(event[0]), CAPACITY);
        }

        @Override
        public String roleName() {
            return "in";
        }

        void close() {
            receiver.close();
            ring.close();
            messages.close();
        }
    }

    /** An encoder that breaks at 3 and 4, if it is to. */
    private static Harness.Out out(Harness harness, Kind kind, int length, boolean breaks) {
        EventEncoder<long[]> encoder = new EventEncoder<>() {
            @Override
            public int length(long[] event) {
                return kind.ofMessages() && length == 8 ? 16 : length;
            }

            @Override
            public void encode(long[] event, MutableDirectBuffer buffer, int offset, int bytes) throws Exception {
                if (breaks && (event[0] == 3 || event[0] == 4)) {
                    throw new IllegalStateException("mine");
                }
                if (kind.ofMessages()) {
                    RingMessages.putType(buffer, offset, 5);
                    buffer.putLong(offset + RingMessages.HEAD, event[0]);
                } else {
                    ENCODER.encode(event, buffer, offset, bytes);
                }
            }
        };
        return harness
        .new Out(
                64,
                AeronSender.<long[]>builder(harness.link, CHANNEL, STREAM, encoder)
                        .whenNotConnected(AeronSender.Refused.DROP)
                        .skipUnencodable(e -> {})
                        .build());
    }

    private static void connect(Harness harness, Harness.Out out, In in) {
        harness.runUntil(
                () -> out.sender.open() && out.sender.publication().isConnected() && in.receiver.isConnected());
    }

    @ParameterizedTest
    @EnumSource
    void itIsFull(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = out(harness, kind, 8, false);
            In in = new In(harness, kind);
            connect(harness, out, in);
            in.polls = false;
            out.publish(1, 40);
            harness.runUntil(() -> out.sender.count(SendResult.SENT) == 40);
            harness.steps(100);
            in.polls = true;
            switch (kind) {
                case WAITING, MESSAGES_WAITING -> {
                    assertThat(in.receiver.held()).isPositive();
                    harness.runUntil(() -> in.values.size() == 40);
                    assertThat(in.values).isEqualTo(numbers(1, 40));
                }
                case DROP_NEWEST, MESSAGES_DROP_NEWEST -> {
                    harness.runUntil(() -> in.values.size() == 8);
                    assertThat(in.values).isEqualTo(numbers(1, 8));
                    assertThat(in.dropped).isEqualTo(numbers(9, 40));
                }
                case DROP_OLDEST -> {
                    harness.runUntil(() -> in.values.size() + in.dropped.size() == 40);
                    assertThat(in.dropped).as("for newer ones").isNotEmpty();
                    assertThat(in.values).isSorted().last().isEqualTo(40L);
                }
                case LATEST_BY_KEY -> {
                    harness.runUntil(() -> in.values.size() == 8);
                    assertThat(in.values).containsExactlyInAnyOrderElementsOf(numbers(33, 40));
                    assertThat(in.latest.conflated()).isEqualTo(32);
                }
            }
            assertThat(in.receiver.missing() + in.receiver.repeated() + in.receiver.bad())
                    .isZero();
            in.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void messagesAreMissing(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = out(harness, kind, 8, true);
            In in = new In(harness, kind);
            connect(harness, out, in);
            for (long value = 1; value <= 6; value++) {
                out.publish(value, value);
                harness.steps(10);
            }
            harness.runUntil(() -> in.values.size() == 4);
            assertThat(in.values).containsExactly(1L, 2L, 5L, 6L);
            assertThat(in.heard.all).containsExactly("available aeron:ipc", "first 1", "gap 3 to 4");
            assertThat(in.receiver.missing()).isEqualTo(2);
            in.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void itJoinsLate(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = out(harness, kind, 8, false);
            out.publish(1, 5);
            harness.runUntil(() -> out.sender.dropped() == 5);
            In in = new In(harness, kind);
            connect(harness, out, in);
            out.publish(6, 8);
            harness.runUntil(() -> in.values.size() == 3);
            assertThat(in.values).containsExactlyInAnyOrder(6L, 7L, 8L);
            assertThat(in.heard.all).containsExactly("available aeron:ipc", "first 6");
            assertThat(in.receiver.missing()).isZero();
            in.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void messagesAreLong(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = out(harness, kind, 5_000, false);
            In in = new In(harness, kind, 1 << 16);
            connect(harness, out, in);
            for (long value = 1; value <= 30; value++) { // the log is full in between, with twelve of them
                out.publish(value, value);
                long all = value;
                harness.runUntil(() -> in.values.size() == all);
            }
            assertThat(in.values).isEqualTo(numbers(1, 30));
            assertThat(in.receiver.missing() + in.receiver.bad()).isZero();
            in.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void itIsClosedAndAnotherOneComes(Kind kind) throws Exception {
        try (Harness harness = new Harness()) {
            Harness.Out out = out(harness, kind, 8, false);
            In in = new In(harness, kind);
            connect(harness, out, in);
            out.publish(1, 5);
            harness.runUntil(() -> in.values.size() == 5);
            in.receiver.close();
            assertThat(in.receiver.doWork()).isZero();
            assertThat(in.receiver.isDone()).isTrue();
            harness.runUntil(() -> !out.sender.publication().isConnected());
            out.publish(6, 7);
            harness.runUntil(() -> out.sender.dropped() == 2);
            In next = new In(harness, kind);
            connect(harness, out, next);
            out.publish(8, 9);
            harness.runUntil(() -> next.values.containsAll(List.of(8L, 9L)));
            assertThat(next.values).doesNotHaveDuplicates();
            // a driver lets it join where it saw the slowest subscriber last,
            // so the end of what the other one read may come again
            long first = next.values.stream().min(Long::compare).orElseThrow();
            assertThat(next.heard.all).startsWith("available aeron:ipc", "first " + first);
            assertThat(next.values.size() + next.receiver.missing()).isEqualTo(9 - first + 1);
            assertThat(in.values).as("nothing more came").hasSize(5);
            in.close();
            next.close();
        }
    }
}
