package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NakTest {
    private static final long STREAM = 0x1122334455667788L;
    private static final long SESSION = -9_007_199_254_740_993L;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256);

    private static Nak sample() {
        return new Nak()
                .set(STREAM, -5, 1_000_003, 870_001, 87, Long.MAX_VALUE - 3, Long.MIN_VALUE + 9, -77, 3)
                .session(SESSION);
    }

    @Test
    void bytesAreAsDocumented() {
        ByteBuffer plain = ByteBuffer.allocate(Nak.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        plain.put(new byte[] {'S', 'N', 'A', 'K'}).putShort((short) 2).putShort((short) 80);
        plain.putLong(STREAM).putLong(SESSION).putLong(-5).putLong(1_000_003).putLong(870_001);
        plain.putLong(Long.MAX_VALUE - 3)
                .putLong(Long.MIN_VALUE + 9)
                .putLong(-77)
                .putShort((short) 87)
                .putShort((short) 0)
                .putInt(3);
        assertThat(sample().encode(buffer, 3)).isEqualTo(Nak.LENGTH);
        assertThat(buffer.slice(3, Nak.LENGTH)).isEqualTo(plain.flip());
        plain.putShort(74, (short) 1);
        sample().asEcho().encode(buffer, 3);
        assertThat(buffer.slice(3, Nak.LENGTH)).isEqualTo(plain);
    }

    /** What a receiver of the version before says: refused as such, though it is shorter than a NAK of today. */
    @Test
    void aNakOfTheVersionBeforeIsToldByItsVersion() {
        ByteBuffer old = ByteBuffer.allocate(72).order(ByteOrder.LITTLE_ENDIAN);
        old.put(new byte[] {'S', 'N', 'A', 'K'}).putShort((short) 1).putShort((short) 72);
        old.putLong(STREAM)
                .putLong(1)
                .putLong(1_000)
                .putLong(500)
                .putLong(7)
                .putLong(8)
                .putLong(9);
        old.putInt(50).putInt(1).flip();
        Nak into = sample();
        assertThat(into.decode(old, 0, 72, STREAM)).isEqualTo(Nak.DecodeResult.WRONG_VERSION);
        assertThat(into.decode(old, 0, 8, STREAM)).isEqualTo(Nak.DecodeResult.WRONG_VERSION);
        assertThat(into.decode(old, 0, 7, STREAM)).isEqualTo(Nak.DecodeResult.TRUNCATED);
        assertThat(into).hasToString(sample().toString());
    }

    /** One of a later version, longer or shorter: refused as such. */
    @Test
    void aNakOfALaterVersionIsToldByItsVersion() {
        sample().encode(buffer, 0);
        buffer.put(4, (byte) 3);
        for (int length = 8; length <= 128; length++) {
            buffer.put(6, (byte) length);
            assertThat(new Nak().decode(buffer, 0, length, STREAM)).isEqualTo(Nak.DecodeResult.WRONG_VERSION);
        }
    }

    @Test
    void anEchoSaysWhatTheNakSaidAndThatItIsOne() {
        sample().asEcho().encode(buffer, 0);
        Nak into = new Nak();
        assertThat(into.decode(buffer, 0, Nak.LENGTH, STREAM)).isEqualTo(Nak.DecodeResult.ACCEPTED);
        assertThat(into.isEcho()).isTrue();
        assertThat(into).hasToString("Echo" + sample().toString().substring(3));
        sample().encode(buffer, 0);
        into.decode(buffer, 0, Nak.LENGTH, STREAM);
        assertThat(into.isEcho()).isFalse();
        into.asEcho().set(1, 2, 3, 0, 50, 0, 0, 0, 1);
        assertThat(into.isEcho()).isFalse();
        assertThat(into.session()).isZero();
    }

    @Test
    void aSignOfLifeAndAFarewellAreNoNaks() {
        for (boolean farewell : new boolean[] {false, true}) {
            sample().asSign(farewell).encode(buffer, 0);
            assertThat(buffer.getInt(72)).as("bytes, in the order of a network").isEqualTo(farewell ? 0x300 : 0x200);
            Nak into = new Nak();
            assertThat(into.decode(buffer, 0, Nak.LENGTH, STREAM)).isEqualTo(Nak.DecodeResult.ACCEPTED);
            assertThat(into.isSign()).isTrue();
            assertThat(into.isFarewell()).isEqualTo(farewell);
            assertThat(into.isEcho()).isFalse();
            assertThat(into.level()).isZero();
            assertThat(into.consumedPosition()).isEqualTo(sample().consumedPosition());
            assertThat(new Nak().copy(into)).hasToString(into.toString());
            into.set(1, 2, 3, 0, 50, 0, 0, 0, 1);
            assertThat(into.isSign() || into.isFarewell()).isFalse();
        }
        assertThat(sample().isSign() || sample().asEcho().isSign()).isFalse();
    }

    @Test
    void whatIsEncodedIsDecoded() {
        sample().encode(buffer, 5);
        Nak into = new Nak();
        assertThat(into.decode(buffer, 5, Nak.LENGTH, STREAM)).isEqualTo(Nak.DecodeResult.ACCEPTED);
        assertThat(into).hasToString(sample().toString());
        assertThat(into.toString()).contains("fill 870001 of 1000003", "senders 3", "time -77", "session " + SESSION);
    }

    @Test
    void otherPacketsAreToldApartAndChangeNothing() {
        Nak into = sample();
        String before = into.toString();
        for (int length = 0; length < Nak.LENGTH; length++) {
            sample().encode(buffer, 0);
            assertThat(into.decode(buffer, 0, length, STREAM)).isEqualTo(Nak.DecodeResult.TRUNCATED);
        }
        assertThat(into.decode(buffer, 0, Nak.LENGTH + 1, STREAM)).isEqualTo(Nak.DecodeResult.OVERSIZED);
        assertThat(into.decode(buffer, 0, Nak.LENGTH, STREAM + 1)).isEqualTo(Nak.DecodeResult.OTHER_STREAM);
        assertThat(with(0, 'X', into)).isEqualTo(Nak.DecodeResult.FOREIGN);
        assertThat(with(4, 1, into)).isEqualTo(Nak.DecodeResult.WRONG_VERSION);
        assertThat(with(4, 3, into)).isEqualTo(Nak.DecodeResult.WRONG_VERSION);
        assertThat(with(5, 1, into)).isEqualTo(Nak.DecodeResult.WRONG_VERSION);
        assertThat(with(6, 79, into)).isEqualTo(Nak.DecodeResult.MALFORMED);
        assertThat(with(39, 0x80, into)).isEqualTo(Nak.DecodeResult.MALFORMED); // capacity below 0
        assertThat(with(47, 0x80, into)).isEqualTo(Nak.DecodeResult.MALFORMED); // fill below 0
        assertThat(with(43, 1, into)).isEqualTo(Nak.DecodeResult.MALFORMED); // fill above capacity
        assertThat(with(72, 0, into)).isEqualTo(Nak.DecodeResult.MALFORMED);
        assertThat(with(72, 101, into)).isEqualTo(Nak.DecodeResult.MALFORMED);
        assertThat(with(73, 0x80, into)).isEqualTo(Nak.DecodeResult.MALFORMED); // level below 0
        assertThat(with(74, 2, into)).isEqualTo(Nak.DecodeResult.MALFORMED); // a sign of life with a level
        assertThat(with(74, 3, into)).isEqualTo(Nak.DecodeResult.MALFORMED); // a farewell with a level
        assertThat(with(74, 4, into)).isEqualTo(Nak.DecodeResult.MALFORMED); // an unknown kind
        assertThat(with(75, 0x80, into)).isEqualTo(Nak.DecodeResult.MALFORMED);
        assertThat(with(76, 0, into)).isEqualTo(Nak.DecodeResult.MALFORMED);
        sample().asSign(true).encode(buffer, 0);
        buffer.put(74, (byte) 4); // the next kind, without a level
        assertThat(into.decode(buffer, 0, Nak.LENGTH, STREAM)).isEqualTo(Nak.DecodeResult.MALFORMED);
        assertThat(into).hasToString(before);
    }

    private Nak.DecodeResult with(int index, int value, Nak into) {
        sample().encode(buffer, 0);
        buffer.put(index, (byte) value);
        return into.decode(buffer, 0, Nak.LENGTH, STREAM);
    }

    @Test
    void randomPacketsNeverThrowAndNeverGiveValuesOutOfRange() throws Exception {
        Nak into = new Nak();
        long[] accepted = {0};
        RandomPrograms.Totals totals = RandomPrograms.of(seed -> SeededProgram.of(seed, 300), program -> {
                    buffer.put(0, new byte[buffer.capacity()]);
                    for (int step : program.steps()) {
                        accepted[0] += decodesARandomPacket(program.random(step), into) ? 1 : 0;
                    }
                    return program.size();
                })
                .budget("io.sluice.model.steps", 300_000)
                .run();
        if (!totals.replay()) {
            assertThat((double) accepted[0] / totals.steps()).isBetween(0.2, 0.67); // both ways were taken
        }
    }

    /** Whether it was accepted. */
    private boolean decodesARandomPacket(SplittableRandom random, Nak into) {
        int index = random.nextInt(64);
        int length = random.nextInt(4) == 0 ? random.nextInt(129) : Nak.LENGTH;
        if (random.nextBoolean()) {
            for (int i = 0; i < 192; i++) {
                buffer.put(i, (byte) random.nextInt());
            }
        }
        sample().encode(buffer, index);
        for (int k = random.nextInt(4); k > 0; k--) {
            buffer.put(index + random.nextInt(Nak.LENGTH), (byte) random.nextInt());
        }
        if (into.decode(buffer, index, length, STREAM) != Nak.DecodeResult.ACCEPTED) {
            return false;
        }
        assertThat(into.capacity()).isPositive();
        assertThat(into.fill()).isBetween(0L, into.capacity());
        assertThat(into.level()).isBetween(into.isSign() ? 0 : 1, into.isSign() ? 0 : 100);
        assertThat(into.senders()).isPositive();
        assertThat(into.stream()).isEqualTo(STREAM);
        return true;
    }

    @Test
    void badValuesAndPlacesAreRefused() {
        Nak nak = new Nak();
        assertThatThrownBy(() -> nak.set(1, 1, 0, 0, 50, 0, 0, 0, 1))
                .hasMessage("capacity must be 1 or more, but was 0");
        assertThatThrownBy(() -> nak.set(1, 1, 8, 9, 50, 0, 0, 0, 1))
                .hasMessage("fill must be from 0 to the capacity 8, but was 9");
        assertThatThrownBy(() -> nak.set(1, 1, 8, -1, 50, 0, 0, 0, 1))
                .hasMessage("fill must be from 0 to the capacity 8, but was -1");
        assertThatThrownBy(() -> nak.set(1, 1, 8, 8, 101, 0, 0, 0, 1))
                .hasMessage("level must be from 1 to 100, but was 101");
        assertThatThrownBy(() -> nak.set(1, 1, 8, 8, 50, 0, 0, 0, 0))
                .hasMessage("senders must be 1 or more, but was 0");
        assertThatThrownBy(() -> nak.encode(buffer, 256 - Nak.LENGTH + 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> nak.decode(buffer, 250, 7, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
}
