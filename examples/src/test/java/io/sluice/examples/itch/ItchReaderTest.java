package io.sluice.examples.itch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.Inputs.Outcome;
import io.sluice.examples.oracle.ItchBytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ItchReaderTest {
    private static ItchReader reader(byte[] bytes, int piece) {
        return new ItchReader("f", Inputs.source(bytes, piece));
    }

    private static Outcome read(byte[] bytes) {
        return Inputs.readAll(reader(bytes, 1 << 16));
    }

    private static MarketEvent only(byte[] bytes) throws FeedFault {
        MarketEvent event = new MarketEvent();
        try (ItchReader reader = reader(bytes, 3)) {
            assertThat(reader.next()).isTrue();
            reader.copyTo(event);
            assertThat(reader.next()).isFalse();
            assertThat(reader.next()).as("asked again").isFalse();
        }
        assertThat(Arrays.copyOf(event.raw(), event.rawLength())).isEqualTo(bytes);
        return event;
    }

    private static byte[] session() {
        return new ItchBytes()
                .blank('S', 12)
                .directory("ABC")
                .add("ABC", 1, 'B', 100, 10_000)
                .addAttributed("ABC", 2, 'S', 200, 20_000)
                .execute(1, 50)
                .executeAt(1, 10, 15_000)
                .cancel(2, 5)
                .replace(2, 3, 10, 20_100)
                .delete(1)
                .blank('I', 50)
                .toBytes();
    }

    @Test
    void hasEveryTypeOfTheSpecificationWithItsLength() {
        assertThat(ItchType.values()).hasSize(ItchBytes.types().size());
        int longest = 0;
        for (Map.Entry<Character, Integer> row : ItchBytes.types().entrySet()) {
            ItchType type =
                    Objects.requireNonNull(ItchType.of((byte) row.getKey().charValue()));
            assertThat(type.code()).isEqualTo(row.getKey());
            assertThat(type.length()).as("length of %s", row.getKey()).isEqualTo(row.getValue());
            assertThat(type.title()).isEqualTo(FeedFormat.ITCH.describe(type.code()));
            longest = Math.max(longest, type.length());
        }
        assertThat(longest).isEqualTo(ItchType.MAX_LENGTH);
        assertThat(FeedFormat.ITCH.types())
                .containsExactlyElementsOf(ItchBytes.types().keySet());
    }

    @Test
    void decodesAdds() throws FeedFault {
        MarketEvent event = only(new ItchBytes()
                .add("ABC", -2, 'B', 4_294_967_295L, 3_000_000_000L)
                .toBytes());
        assertThat(event.kind()).isEqualTo(EventKind.ADD);
        assertThat(event.type()).isEqualTo('A');
        assertThat(event.timestamp()).isEqualTo(1_000);
        assertThat(event.reference()).isEqualTo(-2);
        assertThat(event.buy()).isTrue();
        assertThat(event.shares()).isEqualTo(4_294_967_295L);
        assertThat(event.price()).isEqualTo(3_000_000_000L);
        assertThat(reader(new byte[0], 1).instrumentName(event.instrument())).isEqualTo("ABC");

        event = only(new ItchBytes().addAttributed("ABCDEFGH", 7, 'S', 1, 2).toBytes());
        assertThat(event.kind()).isEqualTo(EventKind.ADD);
        assertThat(event.type()).isEqualTo('F');
        assertThat(event.buy()).isFalse();
        assertThat(reader(new byte[0], 1).instrumentName(event.instrument())).isEqualTo("ABCDEFGH");
    }

    @Test
    void decodesReductions() throws FeedFault {
        MarketEvent event = only(new ItchBytes().execute(9, 4_000_000_000L).toBytes());
        assertThat(event.kind()).isEqualTo(EventKind.EXECUTE);
        assertThat(event.reference()).isEqualTo(9);
        assertThat(event.shares()).isEqualTo(4_000_000_000L);
        event = only(new ItchBytes().executeAt(10, 3, 5).toBytes());
        assertThat(event.kind()).isEqualTo(EventKind.EXECUTE);
        assertThat(event.type()).isEqualTo('C');
        assertThat(event.reference()).isEqualTo(10);
        assertThat(event.shares()).isEqualTo(3);
        event = only(new ItchBytes().cancel(11, 4).toBytes());
        assertThat(event.kind()).isEqualTo(EventKind.CANCEL);
        assertThat(event.reference()).isEqualTo(11);
        assertThat(event.shares()).isEqualTo(4);
        event = only(new ItchBytes().delete(12).toBytes());
        assertThat(event.kind()).isEqualTo(EventKind.DELETE);
        assertThat(event.reference()).isEqualTo(12);
    }

    @Test
    void decodesReplacements() throws FeedFault {
        MarketEvent event = only(
                new ItchBytes().replace(1, 2, 4_000_000_000L, 4_100_000_000L).toBytes());
        assertThat(event.kind()).isEqualTo(EventKind.REPLACE);
        assertThat(event.reference()).isEqualTo(1);
        assertThat(event.newReference()).isEqualTo(2);
        assertThat(event.shares()).isEqualTo(4_000_000_000L);
        assertThat(event.price()).isEqualTo(4_100_000_000L);
    }

    @Test
    void passesEveryOtherTypeOn() throws FeedFault {
        for (Map.Entry<Character, Integer> row : ItchBytes.types().entrySet()) {
            char type = row.getKey();
            if ("RAFECXDU".indexOf(type) < 0) {
                MarketEvent event =
                        only(new ItchBytes().blank(type, row.getValue()).toBytes());
                assertThat(event.kind()).as("kind of %s", type).isEqualTo(EventKind.OTHER);
                assertThat(event.type()).isEqualTo(type);
            }
        }
    }

    @Test
    void readsTheSameInPiecesOfAnySize() {
        byte[] session = session();
        Outcome whole = read(session);
        assertThat(whole.fault()).isNull();
        assertThat(whole.records()).hasSize(10);
        assertThat(String.join("", whole.records())).isEqualTo(new String(session, StandardCharsets.ISO_8859_1));
        for (int piece = 1; piece < 60; piece++) {
            assertThat(Inputs.readAll(reader(session, piece)).records()).isEqualTo(whole.records());
        }
    }

    @Test
    void readsAcrossTheEndOfItsBuffer() {
        ItchBytes many = new ItchBytes();
        for (int i = 0; i < 5_000; i++) {
            many.add("ABC", i, 'B', 100, 1).delete(i);
        }
        Outcome outcome = read(many.toBytes());
        assertThat(outcome.fault()).isNull();
        assertThat(outcome.records()).hasSize(10_000);
        assertThat(String.join("", outcome.records()).getBytes(StandardCharsets.ISO_8859_1))
                .isEqualTo(many.toBytes());
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(new ItchBytes(), "f: offset 0: empty file"),
                Arguments.of(new ItchBytes().raw(0), "f: offset 0: truncated record: 1 byte left of a 2-byte length"),
                Arguments.of(new ItchBytes().raw(0, 0), "f: offset 0: message of length 0"),
                Arguments.of(
                        new ItchBytes().raw(0, 12),
                        "f: offset 0: truncated record: message of 12 bytes announced, 0 left"),
                Arguments.of(new ItchBytes().delete(1).raw(0, 0), "f: offset 21: message of length 0"),
                Arguments.of(new ItchBytes().delete(1).raw(0, 0, 'A'), "f: offset 21: message of length 0"),
                Arguments.of(
                        new ItchBytes().delete(1).raw(9),
                        "f: offset 21: truncated record: 1 byte left of a 2-byte length"),
                Arguments.of(new ItchBytes().raw(0, 12, 'Z'), "f: offset 0: unknown message type 'Z'"),
                Arguments.of(new ItchBytes().raw(0, 12, 0x80), "f: offset 0: unknown message type 0x80"),
                Arguments.of(new ItchBytes().raw(0, 12, 0), "f: offset 0: unknown message type 0x00"),
                Arguments.of(
                        new ItchBytes().raw(0, 35, 'A'), "f: offset 0: message of type A has length 35, must be 36"),
                Arguments.of(
                        new ItchBytes().raw(255, 255, 'S'),
                        "f: offset 0: message of type S has length 65535, must be 12"),
                Arguments.of(
                        new ItchBytes().raw(0, 12, 'S', 0, 0),
                        "f: offset 0: truncated record: message of 12 bytes announced, 3 left"),
                Arguments.of(
                        new ItchBytes().add("A", 1, 'b', 1, 1), "f: offset 0: order of side 'b', must be 'B' or 'S'"),
                Arguments.of(
                        new ItchBytes().delete(1).addAttributed("A", 1, '\n', 1, 1),
                        "f: offset 21: order of side 0x0a, must be 'B' or 'S'"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void namesFileOffsetAndReason(ItchBytes input, String message) {
        assertThat(read(input.toBytes()).message()).isEqualTo(message);
    }

    @Test
    void deliversAllBeforeACutAtEveryByte() {
        byte[] session = session();
        List<String> all = read(session).records();
        for (int length = 0; length < session.length; length++) {
            Outcome outcome = read(Arrays.copyOf(session, length));
            int complete = outcome.records().size();
            int bytes = String.join("", outcome.records()).length();
            assertThat(outcome.records()).isEqualTo(all.subList(0, complete));
            if (length == 0) {
                assertThat(outcome.message()).isEqualTo("f: offset 0: empty file");
            } else if (bytes == length) {
                assertThat(outcome.fault())
                        .as("cut between records at %d", length)
                        .isNull();
            } else {
                assertThat(outcome.message()).startsWith("f: offset " + bytes + ": truncated record: ");
                assertThat(length - bytes).isLessThan(all.get(complete).length());
            }
        }
    }

    @Test
    void damageEndsInOneFaultOrNone() {
        byte[] session = session();
        long seed = 4711;
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = session.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Outcome outcome = read(damaged);
            String context = "seed " + seed + ", round " + round + ": " + outcome.message();
            int bytes = String.join("", outcome.records()).length();
            if (outcome.fault() == null) {
                assertThat(bytes).as(context).isEqualTo(damaged.length);
            } else {
                assertThat(outcome.fault().place()).as(context).isEqualTo("offset " + bytes);
                assertThat(outcome.message()).as(context).doesNotContain("\n").isNotBlank();
            }
        }
    }

    @Test
    void writerWritesWhatAHandWould() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ItchWriter writer = new ItchWriter(out);
        writer.begin(ItchType.ADD_ORDER_ATTRIBUTED, 1, 1_000)
                .number8(-5)
                .character('S')
                .number4(4_000_000_000L)
                .text("ABC", 8)
                .number4(12_345)
                .text("ABCD", 4)
                .end();
        writer.begin(ItchType.ORDER_REPLACE, 1, 2_000)
                .number8(1)
                .number8(2)
                .number4(3)
                .number4(4)
                .end();
        assertThat(out.toByteArray())
                .isEqualTo(new ItchBytes()
                        .addAttributed("ABC", -5, 'S', 4_000_000_000L, 12_345)
                        .replace(1, 2, 3, 4)
                        .toBytes());
    }

    @Test
    void writerRefusesAMessageOfTheWrongLength() {
        ItchWriter writer = new ItchWriter(new ByteArrayOutputStream());
        writer.begin(ItchType.ORDER_DELETE, 1, 1).number4(3);
        assertThatThrownBy(writer::end)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("message of type D has 15 bytes, must have 19");
    }

    @Test
    void readsTimesOfSixBytes() {
        byte[] bytes = new byte[8];
        Wire.put6(bytes, 1, 0xfedc_ba98_7654L);
        assertThat(bytes).containsExactly(0, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0);
        assertThat(Wire.get6(bytes, 1)).isEqualTo(0xfedc_ba98_7654L);
    }
}
