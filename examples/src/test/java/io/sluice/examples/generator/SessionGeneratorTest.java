package io.sluice.examples.generator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.feed.MessageTally;
import io.sluice.examples.itch.ItchReader;
import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.MapBooks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SessionGeneratorTest {
    private static byte[] generate(long messages, long seed) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MessageTally tally = new SessionGenerator(messages, seed).writeTo(out);
        assertThat(tally.total()).isEqualTo(messages);
        return out.toByteArray();
    }

    @Test
    void tallyIsWhatTheFormatHolds() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        MessageTally tally = new SessionGenerator(60_000, 1).writeTo(out);
        MessageTally read = new MessageTally();
        MarketEvent event = new MarketEvent();
        try (ItchReader reader = new ItchReader("f", Inputs.source(out.toByteArray(), 1 << 16))) {
            while (reader.next()) {
                reader.copyTo(event);
                read.count(event.type());
            }
        }
        assertThat(read.sameAs(tally)).isTrue();
        MapBooks oracle = MapBooks.ofItch(out.toByteArray());
        for (char type : FeedFormat.ITCH.types()) {
            assertThat(tally.of(type)).as("messages of type %s", type).isPositive();
            assertThat(tally.of(type)).isEqualTo(oracle.count(String.valueOf(type)));
        }
        assertThat(oracle.unknown()).isZero();
        read.count('A');
        assertThat(read.sameAs(tally)).isFalse();
    }

    @Test
    void writesAnyNumberOfMessages() throws Exception {
        for (int messages = 1; messages < 300; messages++) {
            byte[] session = generate(messages, messages);
            Inputs.Outcome outcome = Inputs.readAll(new ItchReader("f", Inputs.source(session, 1 << 16)));
            assertThat(outcome.message()).isEmpty();
            assertThat(outcome.records()).hasSize(messages);
        }
        for (int messages : new int[] {1_999, 2_000, 4_000, 9_999}) {
            assertThat(generate(messages, 1)).isNotEmpty();
        }
    }

    @Test
    void isTheSameEverywhere() throws Exception {
        assertThat(sha(generate(20_000, 42)))
                .isEqualTo("d0765ccc138409f926a0d9abf883a4ea2ff3ceb99b7fe2ffb0797e8402c7cde5");
        assertThat(generate(5_000, 1)).isEqualTo(generate(5_000, 1)).isNotEqualTo(generate(5_000, 2));
    }

    private static String sha(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    /** Follows the session with its own eyes: references rise, only live orders are touched, books are never crossed. */
    @Test
    void looksLikeADay() throws Exception {
        ByteBuffer in = ByteBuffer.wrap(generate(200_000, 7));
        Map<Long, long[]> live = new HashMap<>(); // instrument, side, price, shares
        Set<String> symbols = new HashSet<>();
        long lastTime = 0;
        long lastReference = 0;
        StringBuilder systemEvents = new StringBuilder();
        while (in.hasRemaining()) {
            int length = in.getShort();
            ByteBuffer m = in.slice(in.position(), length);
            in.position(in.position() + length);
            long time = m.getLong(3) & 0xffff_ffff_ffffL;
            assertThat(time).isGreaterThanOrEqualTo(lastTime).isLessThan(86_400_000_000_000L);
            lastTime = time;
            char type = (char) m.get(0);
            long reference = length >= 19 ? m.getLong(11) : 0;
            switch (type) {
                case 'S' -> systemEvents.append((char) m.get(11));
                case 'R' -> {
                    byte[] name = new byte[8];
                    m.get(11, name);
                    assertThat(symbols.add(new String(name, java.nio.charset.StandardCharsets.US_ASCII)))
                            .isTrue();
                }
                case 'A', 'F' -> {
                    assertThat(reference).isGreaterThan(lastReference);
                    lastReference = reference;
                    live.put(reference, new long[] {m.getShort(1), m.get(19), m.getInt(32), m.getInt(20)});
                    assertThat(m.getInt(20)).isPositive();
                    assertThat(m.getInt(32)).isPositive();
                }
                case 'E', 'C', 'X' -> {
                    long[] order = Objects.requireNonNull(live.get(reference));
                    assertThat(order[0]).isEqualTo(m.getShort(1));
                    assertThat(m.getInt(19)).isBetween(1, (int) order[3]);
                    order[3] -= m.getInt(19);
                    if (order[3] == 0) {
                        live.remove(reference);
                    }
                }
                case 'D' -> assertThat(live.remove(reference)).isNotNull();
                case 'U' -> {
                    long[] order = Objects.requireNonNull(live.remove(reference));
                    assertThat(m.getLong(19)).isGreaterThan(lastReference);
                    lastReference = m.getLong(19);
                    live.put(lastReference, new long[] {order[0], order[1], m.getInt(31), m.getInt(27)});
                }
                default -> {}
            }
            if (in.position() % 97 == 0) {
                assertNotCrossed(live);
            }
        }
        assertThat(systemEvents).hasToString("OSQMEC");
        assertThat(symbols).hasSize(100);
        assertThat(live).hasSizeGreaterThan(5_000);
    }

    private static void assertNotCrossed(Map<Long, long[]> live) {
        long[] bid = new long[101];
        long[] ask = new long[101];
        java.util.Arrays.fill(ask, Long.MAX_VALUE);
        for (long[] order : live.values()) {
            int instrument = (int) order[0];
            if (order[1] == 'B') {
                bid[instrument] = Math.max(bid[instrument], order[2]);
            } else {
                ask[instrument] = Math.min(ask[instrument], order[2]);
            }
        }
        for (int i = 0; i < bid.length; i++) {
            assertThat(bid[i]).as("best bid of %d", i).isLessThan(ask[i]);
        }
    }

    @Test
    void refusesNumbersOutOfRange() {
        assertThatThrownBy(() -> new SessionGenerator(0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("messages is 0, must be from 1 to 2000000000");
        assertThatThrownBy(() -> new SessionGenerator(2_000_000_001L, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numbersAreThoseOfThePaper() {
        // The first outputs of SplitMix64 for seed 1234567, as published with its reference implementation.
        SplitMix random = new SplitMix(1234567);
        assertThat(random.next()).isEqualTo(6457827717110365317L);
        assertThat(random.next()).isEqualTo(3203168211198807973L);
        assertThat(random.next()).isEqualTo(Long.parseUnsignedLong("9817491932198370423"));
        for (int bound : new int[] {1, 2, 3, 100}) {
            Set<Integer> seen = new HashSet<>();
            for (int i = 0; i < 5_000; i++) {
                seen.add(random.below(bound));
            }
            assertThat(seen).hasSize(bound).allMatch(i -> i >= 0 && i < bound);
        }
    }
}
