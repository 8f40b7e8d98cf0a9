package io.sluice.examples.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.examples.oracle.Inputs;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GzipSourceTest {
    private static final class Result {
        private final byte[] bytes;
        private final @Nullable FeedFault fault;

        Result(byte[] bytes, @Nullable FeedFault fault) {
            this.bytes = bytes;
            this.fault = fault;
        }

        String message() {
            return fault == null ? "" : String.valueOf(fault.getMessage());
        }
    }

    private static Result read(InputStream in, int piece) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[piece];
        try (GzipSource source = new GzipSource("f", in)) {
            assertThat(source.compressed()).isTrue();
            for (int count; (count = source.read(part, 0, piece)) >= 0; ) {
                out.write(part, 0, count);
            }
            assertThat(source.read(part, 0, piece)).isEqualTo(-1);
            return new Result(out.toByteArray(), null);
        } catch (FeedFault e) {
            return new Result(out.toByteArray(), e);
        }
    }

    private static Result read(byte[] bytes) {
        return read(new ByteArrayInputStream(bytes), 1_000);
    }

    /** Text that compresses to some hundred bytes, in several blocks' worth of symbols. */
    private static byte[] plain() {
        byte[] plain = new byte[3_000];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < plain.length; i++) {
            plain[i] = (byte) ('a' + random.nextInt(1 + i / 400));
        }
        return plain;
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    @Test
    void decompresses() {
        byte[] plain = plain();
        for (int piece : new int[] {1, 7, 100, 10_000}) {
            Result result = read(new ByteArrayInputStream(Inputs.gzip(plain)), piece);
            assertThat(result.message()).isEmpty();
            assertThat(result.bytes).isEqualTo(plain);
        }
    }

    @Test
    void decompressesMoreThanItsBuffers() {
        byte[] plain = new byte[1_000_000];
        new SplittableRandom(2).nextBytes(plain);
        Result result = read(Inputs.gzip(plain));
        assertThat(result.message()).isEmpty();
        assertThat(result.bytes).isEqualTo(plain);
    }

    @Test
    void readsMembersInARow() {
        byte[] one = Inputs.gzip(plain());
        byte[] none = Inputs.gzip(new byte[0]);
        Result result = read(concat(one, none, one));
        assertThat(result.message()).isEmpty();
        assertThat(result.bytes).isEqualTo(concat(plain(), plain()));
    }

    @Test
    void skipsEveryFieldOfTheHeader() {
        byte[] gzip = Inputs.gzip(plain());
        byte[] rest = Arrays.copyOfRange(gzip, 10, gzip.length);
        byte[] header = Arrays.copyOf(gzip, 10);
        header[3] = 2 | 4 | 8 | 16;
        byte[] fields = {3, 0, 9, 9, 9, 'n', 'a', 0, 'c', 0, 55, 66};
        Result result = read(concat(header, fields, rest));
        assertThat(result.message()).isEmpty();
        assertThat(result.bytes).isEqualTo(plain());
    }

    @Test
    void saysWhatIsWrong() {
        byte[] gzip = Inputs.gzip(plain());
        int end = gzip.length;
        assertThat(read(concat(gzip, new byte[] {1, 2, 3})).message())
                .isEqualTo("f: offset " + end + ": neither a gzip member nor the end of the file");
        assertThat(read(new byte[] {0x1f, (byte) 0x8b, 7, 0}).message())
                .isEqualTo("f: offset 3: gzip compression method 7, must be 8");
        assertThat(read(new byte[] {0x1f, (byte) 0x8b, 8, (byte) 0xe0, 0}).message())
                .isEqualTo("f: offset 4: gzip header with reserved flags 0xe0");
        byte[] sum = gzip.clone();
        sum[end - 8] ^= 1;
        assertThat(read(sum).message()).isEqualTo("f: offset " + (end - 4) + ": gzip checksum does not match the data");
        assertThat(read(sum).bytes).as("delivered before the checksum").isEqualTo(plain());
        byte[] length = gzip.clone();
        length[end - 1] ^= 1;
        assertThat(read(length).message()).isEqualTo("f: offset " + end + ": gzip length does not match the data");
        byte[] garbage = Arrays.copyOf(gzip, 100);
        Arrays.fill(garbage, 10, 100, (byte) 0xff);
        assertThat(read(garbage).message()).startsWith("f: offset 1").contains(": gzip data damaged (");
    }

    @Test
    void deliversWhatCameBeforeACutAtEveryByte() {
        byte[] plain = plain();
        byte[] gzip = Inputs.gzip(plain);
        int delivered = 0;
        for (int length = 1; length < gzip.length; length++) {
            Result result = read(Arrays.copyOf(gzip, length));
            assertThat(result.message()).isEqualTo("f: offset " + length + ": gzip data cut short");
            assertThat(result.bytes).isEqualTo(Arrays.copyOf(plain, result.bytes.length));
            assertThat(result.bytes.length).isGreaterThanOrEqualTo(delivered);
            delivered = result.bytes.length;
        }
        assertThat(delivered).as("with only the trailer cut").isEqualTo(plain.length);
    }

    @Test
    void deliversWhatCameBeforeDamage() {
        // Stored blocks: the second one's length is damaged, the first is whole and shorter than the reader's buffer.
        byte[] stored = {
            0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, (byte) 0xfd, (byte) 0xff, 'h', 'i', 0, 1, 0, 0, 0
        };
        Result result = read(stored);
        assertThat(new String(result.bytes, java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("hi");
        assertThat(result.message()).contains("gzip data damaged (");
    }

    @Test
    void flippedBitsEndInOneFaultOrTheSameData() {
        byte[] plain = plain();
        byte[] gzip = Inputs.gzip(plain);
        int harmless = 0;
        for (int bit = 0; bit < gzip.length * 8; bit++) {
            byte[] damaged = gzip.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            Result result = read(damaged);
            if (result.fault == null) {
                // The time, the operating system, a code length that no symbol uses: the data must still be the same.
                harmless++;
                assertThat(result.bytes).isEqualTo(plain);
            } else {
                assertThat(result.message()).startsWith("f: offset ").doesNotContain("\n");
            }
        }
        assertThat(harmless).isBetween(49, 80);
    }

    @Test
    void passesOnWhatTheFileSystemSays() {
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                return read(new byte[1], 0, 1);
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                throw new IOException("Input/output error");
            }
        };
        assertThat(read(broken, 10).message()).isEqualTo("f: offset 0: cannot be read: Input/output error");
        try (StreamSource source = new StreamSource("f", broken)) {
            assertThatThrownBy(() -> source.read(new byte[10], 0, 10))
                    .isInstanceOf(FeedFault.class)
                    .hasMessage("f: offset 0: cannot be read: Input/output error");
        }
    }
}
