package io.sluice.aeron;

import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import io.aeron.protocol.DataHeaderFlyweight;
import io.sluice.core.State;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.BitUtil;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of a batch become visible in groups, none stays hidden, and each is as if it had been claimed alone. */
@Tag("once")
class FrameGroupsTest {
    private static final int MESSAGES = 64;

    /** Frames of 8 bytes that fit into an MTU of 1,408. */
    private static final int FITTING = 1_408 / 64;

    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    /** Sends a batch, and notes how many messages a subscriber has each time that one is encoded. An event is the length of its message. */
    private static final class Batch implements EventEncoder<long[]> {
        final List<Integer> visible = new ArrayList<>();
        final List<Long> positions = new ArrayList<>();
        final List<String> headers = new ArrayList<>();
        final List<Long> numbers = new ArrayList<>();
        final Harness.Out out;
        private final Subscription subscription;
        private long brokenLength = -1;
        private long brokenBody = -1;
        private int seen;
        private int encoded;

        Batch(Harness harness, boolean concurrent, boolean skips) {
            subscription = harness.link.aeron().addSubscription(IPC, STREAM);
            AeronSender.Builder<long[]> builder = AeronSender.builder(harness.link, IPC + "|mtu=1408", STREAM, this);
            if (skips) {
                builder.skipUnencodable(harness::error);
            }
            out = harness.new Out(4 * MESSAGES, (concurrent ? builder.concurrent() : builder).build());
            harness.runUntil(() -> out.sender.open() && out.sender.publication().isConnected());
        }

        void send(Harness harness, long... lengths) {
            for (long length : lengths) {
                assertThat(out.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, length))
                        .isNotNegative();
            }
            harness.step();
        }

        static long[] times(int messages, long length) {
            long[] all = new long[messages];
            java.util.Arrays.fill(all, length);
            return all;
        }

        int poll() {
            while (subscription.poll((buffer, offset, length, header) -> seen(header), 10) > 0) {}
            return seen;
        }

        private void seen(Header header) {
            seen += (header.flags() & FrameDescriptor.END_FRAG_FLAG) == 0 ? 0 : 1;
            numbers.add(header.reservedValue());
            int at = header.offset();
            boolean tellsWhereItIs = header.buffer()
                            .getInt(at + DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET, java.nio.ByteOrder.LITTLE_ENDIAN)
                    == at;
            headers.add(tellsWhereItIs + " " + header.sessionId() + " " + header.streamId() + " " + header.termId()
                    + " " + header.type() + " " + header.flags() + " "
                    + header.buffer().getByte(at + 4));
        }

        @Override
        public int length(long[] event) {
            if (event[0] == brokenLength) {
                throw new IllegalStateException("length");
            }
            return (int) event[0];
        }

        @Override
        public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) {
            visible.add(poll());
            positions.add(out.sender.position());
            encoded++;
            if (encoded == brokenBody) {
                throw new IllegalStateException("body");
            }
            buffer.putByte(offset, (byte) length);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aGroupIsNoLongerThanWhatWentBeforeItAndOnAPublicationThatIsSharedThereIsNone(boolean concurrent)
            throws Exception {
        try (Harness harness = new Harness()) {
            Batch batch = new Batch(harness, concurrent, false);
            batch.send(harness, Batch.times(MESSAGES, 8));
            List<Integer> expected = new ArrayList<>();
            int shown = 0;
            int group = 1;
            for (int i = 0; i < MESSAGES; i++) {
                if (concurrent) {
                    shown = i;
                } else if (i == shown + Math.min(group, FITTING)) {
                    shown = i;
                    group *= 2;
                }
                expected.add(shown);
            }
            assertThat(batch.visible).isEqualTo(expected);
            if (!concurrent) {
                assertThat(batch.positions)
                        .as("it counts a message before somebody can have it")
                        .isEqualTo(expected.stream().map(Integer::longValue).toList());
            }
            assertThat(batch.poll()).as("the rest, at the end of the batch").isEqualTo(MESSAGES);
            assertThat(batch.out.sender.position()).isEqualTo(MESSAGES);
            assertThat(batch.out.sender.count(SendResult.SENT)).isEqualTo(MESSAGES);
            batch.visible.clear();
            batch.send(harness, Batch.times(MESSAGES, 8));
            assertThat(batch.visible)
                    .as("the next batch begins with a group of one")
                    .isEqualTo(
                            expected.stream().map(before -> MESSAGES + before).toList());
        }
    }

    /** Those of a group, and of one that was claimed alone, tell the same but for their place and number. */
    @Test
    void eachFrameHasTheHeaderOfOneThatIsClaimedAlone() throws Exception {
        try (Harness harness = new Harness()) {
            Batch batch = new Batch(harness, false, false);
            batch.send(harness, 8, 1, 31, 32, 33, 7, 8, 60, 9, 1);
            assertThat(batch.poll()).isEqualTo(10);
            Publication publication = batch.out.sender.publication();
            assertThat(batch.headers)
                    .containsOnly("true " + publication.sessionId() + " " + STREAM + " "
                            + publication.initialTermId() + " " + DataHeaderFlyweight.HDR_TYPE_DATA + " "
                            + FrameDescriptor.UNFRAGMENTED + " " + DataHeaderFlyweight.CURRENT_VERSION);
            assertThat(batch.numbers).isEqualTo(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 6, 7, 8})
    void aLongMessageHasAllBeforeItShownAndThePositionDoesNotGoBack(int longOne) throws Exception {
        try (Harness harness = new Harness()) {
            Batch batch = new Batch(harness, false, false);
            long[] lengths = Batch.times(10, 8);
            lengths[longOne - 1] = 5_000;
            batch.send(harness, lengths);
            assertThat(batch.visible).element(longOne - 1).isEqualTo(longOne - 1);
            assertThat(batch.positions).isSorted();
            assertThat(batch.poll()).isEqualTo(10);
            assertThat(batch.out.sender.position()).isEqualTo(10);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 6, 7, 8})
    void whatIsBeforeAnEventThatBreaksIsSentAndTheRestKeepsItsNumbers(int broken) throws Exception {
        for (boolean inLength : new boolean[] {false, true}) {
            try (Harness harness = new Harness()) {
                Batch batch = new Batch(harness, false, true);
                long[] lengths = Batch.times(20, 8);
                if (inLength) {
                    lengths[broken - 1] = 9;
                    batch.brokenLength = 9;
                } else {
                    batch.brokenBody = broken;
                }
                batch.send(harness, lengths);
                harness.runUntil(() -> batch.poll() == 19);
                List<Long> numbers = new ArrayList<>(
                        java.util.stream.LongStream.rangeClosed(1, 20).boxed().toList());
                numbers.remove(broken - 1);
                assertThat(batch.numbers).isEqualTo(numbers);
                assertThat(batch.out.sender.unencodable()).isEqualTo(1);
                assertThat(batch.out.sender.count(SendResult.SENT)).isEqualTo(19);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 6, 7, 8})
    void anEventThatBreaksFailsTheRingBehindWhatIsBeforeIt(int broken) throws Exception {
        try (Harness harness = new Harness()) {
            Batch batch = new Batch(harness, false, false);
            batch.brokenBody = broken;
            batch.send(harness, Batch.times(10, 8));
            assertThat(batch.poll()).isEqualTo(broken - 1);
            assertThat(batch.out.sender.position()).isEqualTo(broken - 1);
            harness.runUntil(() -> batch.out.ring.state() == State.FAILED);
            assertThat(batch.out.sender.count(SendResult.SENT)).isEqualTo(broken - 1);
        }
    }

    /** An encoder that writes behind its message breaks, as with a claim of its own. */
    @Test
    void nobodyWritesIntoTheNextFrame() throws Exception {
        try (Harness harness = new Harness()) {
            EventEncoder<long[]> greedy = EventEncoder.fixed(8, (event, buffer, offset) -> {
                buffer.putLong(offset, event[0]);
                if (event[0] == 5) {
                    buffer.putByte(offset + 8, (byte) 1);
                }
            });
            Harness.Out out = harness
            .new Out(
                    16,
                    AeronSender.builder(harness.link, IPC, STREAM, greedy)
                            .skipUnencodable(harness::error)
                            .build());
            Harness.In in = harness.new In(16);
            AeronReceiver receiver =
                    harness.receiver(AeronReceiver.builder(harness.link, IPC, STREAM, in.sink(), new Heard())
                            .build());
            harness.runUntil(() -> out.sender.open() && receiver.isConnected());
            out.publish(1, 10);
            harness.runUntil(() -> in.values.size() == 9);
            assertThat(in.values).doesNotContain(5L).hasSize(9);
            assertThat(harness.errors).hasOnlyElementsOfType(IndexOutOfBoundsException.class);
        }
    }

    /** Claims that would often be mostly padding are not made. */
    @Test
    void aBatchWhoseLengthsDifferMuchGoesOnOneByOne() throws Exception {
        try (Harness harness = new Harness()) {
            Batch batch = new Batch(harness, false, false);
            batch.send(harness, 8, 8, 1_000, 8, 8, 8, 8);
            assertThat(batch.visible)
                    .as("the third does not fit beside the second")
                    .isEqualTo(List.of(0, 1, 2, 3, 4, 5, 6));
            batch.visible.clear();
            batch.send(harness, 8, 8, 8);
            assertThat(batch.visible).as("the next batch tries again").isEqualTo(List.of(7, 8, 8));
        }
    }

    /** Events without a message take no number and no place in a group. */
    @Test
    void eventsWithoutAMessageArePassedOverWithinAGroup() throws Exception {
        try (Harness harness = new Harness()) {
            Batch batch = new Batch(harness, false, false);
            batch.send(harness, 0, 8, 0, 8, 0, 0, 8, 0, 8, 8, 8, 0);
            assertThat(batch.visible).isEqualTo(List.of(0, 1, 1, 3, 3, 3));
            assertThat(batch.poll()).isEqualTo(6);
            assertThat(batch.numbers).isEqualTo(List.of(1L, 2L, 3L, 4L, 5L, 6L));
            assertThat(batch.out.sender.count(SendResult.SENT)).isEqualTo(6);
            batch.send(harness, 8);
            assertThat(batch.poll()).isEqualTo(7);
            assertThat(batch.numbers).last().isEqualTo(7L);
        }
    }

    /** Lengths of all kinds, in runs, through many terms, and a ring behind the receiver that is often full. */
    @ParameterizedTest
    @ValueSource(strings = {"ipc", "udp", "mdc"})
    void messagesOfAllLengthsComeWholeOnceAndInOrder(String by) throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        String out = by.equals("ipc") ? IPC + "|mtu=1408" : Harness.udp();
        String in = out;
        if (by.equals("mdc")) {
            String endpoint = out.replaceAll(".*endpoint=([0-9.:]+).*", "$1");
            out = "aeron:udp?control-mode=dynamic|control=" + endpoint + "|term-length=64k";
            in = "aeron:udp?control-mode=dynamic|control=" + endpoint + "|endpoint=127.0.0.1:0";
        }
        try (Harness harness = new Harness()) {
            Harness.Out sender = harness
            .new Out(
                    128,
                    AeronSender.builder(harness.link, out, STREAM, new Runs()).build());
            Harness.In receiver = harness.new In(32);
            receiver.polls = false;
            MessageDecoder<long[]> decoder = (event, buffer, offset, length, number) -> {
                event[0] = (long) length << 32 | number;
                for (int i = 0; i < length; i++) {
                    assertThat(buffer.getByte(offset + i)).isEqualTo((byte) (length + i));
                }
            };
            Heard heard = new Heard();
            AeronReceiver agent = harness.receiver(
                    AeronReceiver.builder(harness.link, in, STREAM, RingSink.waiting(receiver.producer, decoder), heard)
                            .build());
            harness.runUntil(() -> sender.sender.open() && agent.isConnected());
            List<Long> expected = new ArrayList<>();
            for (int run = 0; run < 600; run++) {
                int length = random.nextInt(8) == 0
                        ? random.nextInt(0, 8_000)
                        : new int[] {64, 64, 1_024, random.nextInt(0, 200)}[random.nextInt(4)];
                for (int i = random.nextInt(1, 60); i > 0; i--) {
                    int each = random.nextInt(10) == 0 ? random.nextInt(0, 1_500) : length;
                    if (each > 0) {
                        long number = expected.size() + 1L;
                        expected.add((long) each << 32 | number);
                    }
                    while (sender.producer.tryPublishEvent((event, sequence, v) -> event[0] = v, each) < 0) {
                        harness.step();
                        receiver.poll(random.nextInt(1, 40));
                    }
                }
            }
            receiver.polls = true;
            harness.runUntil(() -> receiver.values.size() >= expected.size(), () -> "seed " + SEED + ", " + heard.all);
            harness.steps(20);
            assertThat(receiver.values).as("seed " + SEED).isEqualTo(expected);
            assertThat(agent.missing() + agent.repeated() + agent.bad()).isZero();
            assertThat(sender.sender.count(SendResult.ADMIN_ACTION))
                    .as("ends of terms")
                    .isPositive();
            assertThat(sender.sender.count(SendResult.SENT)).isEqualTo(expected.size());
        }
    }

    /** An event is the length of its message. */
    private static final class Runs implements EventEncoder<long[]> {
        @Override
        public int length(long[] event) {
            return (int) event[0];
        }

        @Override
        public void encode(long[] event, MutableDirectBuffer buffer, int offset, int length) {
            for (int i = 0; i < length; i++) {
                buffer.putByte(offset + i, (byte) (length + i));
            }
        }
    }

    /** What is left of a claim is a padding as Aeron makes one: of the right length, in the right place, of the same session. */
    @ParameterizedTest
    @CsvSource({"6, 64", "8, 192", "10, 64"})
    void whatIsLeftOfAClaimIsAPadding(int broken, int left) throws Exception {
        try (Harness harness = new Harness()) {
            Batch batch = new Batch(harness, false, true);
            batch.send(harness, Batch.times(3, 8)); // groups of 1 and 2
            batch.brokenBody = broken;
            batch.send(harness, Batch.times(7, 8)); // groups of 1, 2 and 4, one of which breaks
            UnsafeBuffer term = FaultsTest.term(batch.out.sender.publication());
            int at = 0;
            List<Integer> paddings = new ArrayList<>();
            while (term.getInt(at) != 0) {
                int length = term.getInt(at, java.nio.ByteOrder.LITTLE_ENDIAN);
                assertThat(length).isPositive();
                assertThat(term.getInt(at + DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET))
                        .isEqualTo(at);
                assertThat(term.getInt(at + DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET))
                        .isEqualTo(batch.out.sender.sessionId());
                assertThat(term.getInt(at + DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET))
                        .isEqualTo(STREAM);
                assertThat(term.getInt(at + DataHeaderFlyweight.TERM_ID_FIELD_OFFSET))
                        .isEqualTo(batch.out.sender.publication().initialTermId());
                if (FrameDescriptor.isPaddingFrame(term, at)) {
                    paddings.add(length);
                }
                at += BitUtil.align(length, FrameDescriptor.FRAME_ALIGNMENT);
            }
            assertThat(at).isEqualTo(batch.out.sender.publication().position());
            assertThat(paddings).containsExactly(left);
        }
    }
}
