package io.sluice.examples.lobster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.Inputs.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LobsterReaderTest {
    private static final String ROWS = """
            34200.004241176,1,16113575,18,5853300,1
            34200.02,2,16113575,3,5853300,1
            34201,4,16113575,5,5853300,1
            34202.5,5,0,100,5857900,-1
            34203.5,6,-1,100,5857900,-1
            34204.5,7,0,0,-1,-1
            34205.5,3,16113575,10,5853300,1
            """;

    private static LobsterReader reader(String text, int piece) {
        return new LobsterReader("f", "X", Inputs.source(text.getBytes(StandardCharsets.ISO_8859_1), piece));
    }

    private static Outcome read(String text) {
        return Inputs.readAll(reader(text, 1 << 16));
    }

    private static MarketEvent only(String row) throws FeedFault {
        MarketEvent event = new MarketEvent();
        try (LobsterReader reader = reader(row, 2)) {
            assertThat(reader.next()).isTrue();
            reader.copyTo(event);
            assertThat(reader.next()).isFalse();
            assertThat(reader.next()).as("asked again").isFalse();
        }
        assertThat(new String(event.raw(), 0, event.rawLength(), StandardCharsets.ISO_8859_1))
                .isEqualTo(row);
        return event;
    }

    @Test
    void decodesNewOrders() throws FeedFault {
        MarketEvent event = only("34200.004241176,1,16113575,18,5853300,1\r\n");
        assertThat(event.kind()).isEqualTo(EventKind.ADD);
        assertThat(event.type()).isEqualTo('1');
        assertThat(event.timestamp()).isEqualTo(34_200_004_241_176L);
        assertThat(event.reference()).isEqualTo(16_113_575);
        assertThat(event.shares()).isEqualTo(18);
        assertThat(event.price()).isEqualTo(5_853_300);
        assertThat(event.buy()).isTrue();
        event = only("0.5,1,-9223372036854775808,4294967295,999999999999,-1");
        assertThat(event.timestamp()).isEqualTo(500_000_000);
        assertThat(event.reference()).isEqualTo(Long.MIN_VALUE);
        assertThat(event.shares()).isEqualTo(4_294_967_295L);
        assertThat(event.price()).isEqualTo(999_999_999_999L);
        assertThat(event.buy()).isFalse();
        assertThat(only("1,1,9223372036854775807,1,1,1\n").reference()).isEqualTo(Long.MAX_VALUE);
        assertThat(only("86400,1,1,1,1,1\n").timestamp()).isEqualTo(86_400_000_000_000L);
        assertThat(only("1.0000000019,1,1,1,1,1\n").timestamp())
                .as("tenth decimal")
                .isEqualTo(1_000_000_001L);
    }

    @Test
    void decodesTheOtherTypes() throws FeedFault {
        MarketEvent event = only("1,2,5,30,10,1\n");
        assertThat(event.kind()).isEqualTo(EventKind.CANCEL);
        assertThat(event.reference()).isEqualTo(5);
        assertThat(event.shares()).isEqualTo(30);
        event = only("1,3,6,30,10,1\n");
        assertThat(event.kind()).isEqualTo(EventKind.DELETE);
        assertThat(event.reference()).isEqualTo(6);
        event = only("1,4,7,31,10,-1\n");
        assertThat(event.kind()).isEqualTo(EventKind.EXECUTE);
        assertThat(event.reference()).isEqualTo(7);
        assertThat(event.shares()).isEqualTo(31);
        for (String row : List.of("1,5,0,1,1,-1", "1,6,-1,1,1,1", "1,7,0,0,-1,-1", "1,7,0,0,1,0")) {
            assertThat(only(row).kind()).isEqualTo(EventKind.OTHER);
        }
    }

    @Test
    void readsTheSameInPiecesOfAnySizeWithAnyEnd() {
        Outcome whole = read(ROWS);
        assertThat(whole.message()).isEmpty();
        assertThat(whole.records()).hasSize(7);
        assertThat(String.join("", whole.records())).isEqualTo(ROWS);
        for (int piece = 1; piece < 50; piece++) {
            assertThat(Inputs.readAll(reader(ROWS, piece)).records()).isEqualTo(whole.records());
        }
        assertThat(read(ROWS.stripTrailing()).records()).hasSize(7);
        assertThat(read(ROWS.replace("\n", "\r\n")).records()).hasSize(7);
        assertThat(read(ROWS.replace("\n", "\r\n").stripTrailing()).records()).hasSize(7);
        String many = ROWS.repeat(1_000);
        assertThat(String.join("", read(many).records())).isEqualTo(many);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''|empty file",
                "'\n'|empty line",
                "'\r\n'|empty line",
                "Time,Type,OrderID,Size,Price,Direction|time 'Time', must be seconds after midnight, at most 86400",
                "1,1,1,1,1|5 columns, must be 6",
                "1,1,1,1,1,1,1|7 columns, must be 6",
                "1|1 columns, must be 6",
                ",1,1,1,1,1|time '', must be seconds after midnight, at most 86400",
                "-1,1,1,1,1,1|time '-1', must be seconds after midnight, at most 86400",
                "1.,1,1,1,1,1|time '1.', must be seconds after midnight, at most 86400",
                "1.x,1,1,1,1,1|time '1.x', must be seconds after midnight, at most 86400",
                "1e3,1,1,1,1,1|time '1e3', must be seconds after midnight, at most 86400",
                "86401,1,1,1,1,1|time '86401', must be seconds after midnight, at most 86400",
                "99999999999999999999,1,1,1,1,1|time '99999999999999999999', must be seconds after midnight, at most 86400",
                "1,0,1,1,1,1|type '0', must be an integer from 1 to 7",
                "1,8,1,1,1,1|type '8', must be an integer from 1 to 7",
                "1,1.0,1,1,1,1|type '1.0', must be an integer from 1 to 7",
                "1,1,,1,1,1|order id '', must be an integer from -9223372036854775808 to 9223372036854775807",
                "1,1,-,1,1,1|order id '-', must be an integer from -9223372036854775808 to 9223372036854775807",
                "1,1,9223372036854775808,1,1,1|order id '9223372036854775808', must be an integer from -9223372036854775808 to 9223372036854775807",
                "1,1,-9223372036854775809,1,1,1|order id '-9223372036854775809', must be an integer from -9223372036854775808 to 9223372036854775807",
                "1,1,99999999999999999999,1,1,1|order id '99999999999999999999', must be an integer from -9223372036854775808 to 9223372036854775807",
                "1,1,1,-1,1,1|size '-1', must be an integer from 0 to 4294967295",
                "1,1,1,4294967296,1,1|size '4294967296', must be an integer from 0 to 4294967295",
                "1,1,1,1,-1,1|price '-1', must be an integer from 0 to 999999999999",
                "1,1,1,1,12.5,1|price '12.5', must be an integer from 0 to 999999999999",
                "1,1,1,1,1,0|direction '0', must be 1 (buy) or -1 (sell)",
                "1,1,1,1,1,2|direction '2', must be an integer from -1 to 1",
                "1,5,1,1,1,B|direction 'B', must be an integer from -1 to 1",
                "'1,1,1,1,1, 1'|direction ' 1', must be an integer from -1 to 1"
            })
    void namesFileLineAndReason(String row, String reason) {
        assertThat(read(row).message()).isEqualTo("f: line 1: " + reason);
        if (!row.isEmpty()) {
            Outcome later = read(ROWS + row);
            assertThat(later.message()).isEqualTo("f: line 8: " + reason);
            assertThat(later.records()).hasSize(7);
        }
    }

    @Test
    void refusesEndlessLines() {
        String tooLong = "f: line 1: line longer than 128 bytes";
        assertThat(read("1".repeat(128)).message()).isEqualTo(tooLong);
        assertThat(read("1".repeat(1_000_000)).message()).isEqualTo(tooLong);
        String longest = "1." + "0".repeat(128 - 13) + ",1,1,1,1,1\n";
        assertThat(longest).hasSize(128);
        assertThat(read(longest).records()).hasSize(1);
        assertThat(read("0" + longest).message()).isEqualTo(tooLong);
    }

    @Test
    void aBlankLineAtTheEndIsMalformed() {
        assertThat(read(ROWS + "\n").message()).isEqualTo("f: line 8: empty line");
    }

    @Test
    void aCutAtEveryByteEndsInOneFaultOrNone() {
        for (int length = 1; length < ROWS.length(); length++) {
            Outcome outcome = read(ROWS.substring(0, length));
            String context = "cut at " + length + ": " + outcome.message();
            int lines = (int)
                    ROWS.substring(0, length).chars().filter(c -> c == '\n').count();
            if (outcome.fault() == null) {
                assertThat(String.join("", outcome.records())).as(context).hasSize(length);
            } else {
                assertThat(outcome.records()).as(context).hasSize(lines);
                assertThat(outcome.fault().place()).as(context).isEqualTo("line " + (lines + 1));
            }
        }
    }

    @Test
    void damageEndsInOneFaultOrNone() {
        long seed = 99;
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = ROWS.getBytes(StandardCharsets.ISO_8859_1);
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Outcome outcome = read(new String(damaged, StandardCharsets.ISO_8859_1));
            String context = "seed " + seed + ", round " + round + ": " + outcome.message();
            int complete = outcome.records().size();
            if (outcome.fault() == null) {
                assertThat(String.join("", outcome.records())).as(context).hasSize(damaged.length);
            } else {
                assertThat(outcome.fault().place()).as(context).isEqualTo("line " + (complete + 1));
                assertThat(outcome.message()).as(context).doesNotContain("\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"AAPL_2012-06-21_34200000_message_1.csv", "AAPL.csv", "AAPL_.csv.gz", "AAPL"})
    void takesTheInstrumentFromTheName(String name) {
        assertThat(LobsterReader.instrumentOf(name)).isEqualTo("AAPL");
    }

    @Test
    void namesItsTypes() {
        assertThat(FeedFormat.LOBSTER.types()).containsExactly('1', '2', '3', '4', '5', '6', '7');
        assertThat(FeedFormat.LOBSTER.describe('7')).isEqualTo("trading halt");
    }
}
